import assert from "node:assert/strict";
import { Turns, turnsOf, type TurnsSpec } from "../../scenarios/pace/slices.ts";

const LENGTHS = { sliceUs: 100_000, cutUs: 10_000, shiftUs: 7_000, pauseUs: 5_000 };
const PERIOD_US = LENGTHS.sliceUs + LENGTHS.pauseUs;

function turnsOfSide(side: TurnsSpec["side"], seed = 1, warmPairs = 0): Turns {
  return new Turns({ ...turnsOf(LENGTHS, { seed, pairs: 20, warmPairs }), side });
}

Deno.test("the two sides share out all slices, one after the other", () => {
  const starts = ([0, 1] as const).flatMap((side) =>
    Array.from({ length: 20 }, (_, pair) => turnsOfSide(side).startUs(pair))
  );
  assert.deepEqual(
    starts.toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, slot) => slot * PERIOD_US),
  );
  assert.equal(turnsOfSide(0).spec.durationUs, 40 * PERIOD_US);
});

Deno.test("pairs stand in twos that mirror each other, and by the seed either side begins", () => {
  const first = new Set<number>();
  for (let seed = 0; seed < 20; seed++) {
    const turns = turnsOfSide(0, seed);
    for (let pair = 0; pair < 20; pair += 2) {
      assert.notEqual(turns.place(pair), turns.place(pair + 1));
      assert.notEqual(turns.place(pair), turnsOfSide(1, seed).place(pair));
      first.add(turns.place(pair));
    }
  }
  assert.deepEqual([...first].toSorted(), [0, 1]);
});

Deno.test("own time passes in the measured parts alone, and leads back to its moments", () => {
  for (const [side, warmPairs] of [[0, 0], [1, 0], [0, 1], [1, 3]] as const) {
    const turns = turnsOfSide(side, 1, warmPairs);
    const measuredPairs = 20 - warmPairs;
    let before = 0;
    for (let nowUs = 0; nowUs <= 40 * PERIOD_US; nowUs += 1_234) {
      const ownUs = turns.ownUs(nowUs);
      assert.ok(ownUs >= before && ownUs - before <= 1_234);
      if (nowUs < turns.startUs(warmPairs)) assert.equal(ownUs, 0);
      if (ownUs > before && ownUs < measuredPairs * turns.measuredUs) {
        assert.ok(turns.whenUs(ownUs) <= nowUs);
        assert.equal(turns.ownUs(turns.whenUs(ownUs)), ownUs);
      }
      before = ownUs;
    }
    assert.equal(before, measuredPairs * turns.measuredUs);
    assert.equal(turns.whenUs(before), Infinity);
    assert.equal(turns.startUs(20), Infinity);
  }
});

Deno.test("a moment is measured where own time passes", () => {
  for (const [side, warmPairs] of [[0, 0], [1, 2]] as const) {
    const turns = turnsOfSide(side, 1, warmPairs);
    for (let nowUs = 0; nowUs < 40 * PERIOD_US; nowUs += 777) {
      assert.equal(turns.isMeasuredAt(nowUs), turns.ownUs(nowUs + 1) > turns.ownUs(nowUs));
    }
    assert.equal(turns.isMeasuredAt(40 * PERIOD_US), false);
  }
});

Deno.test("what is due in loaded time is due in a slice, from its beginning on", () => {
  const turns = turnsOfSide(1);
  for (let loadedUs = 0; loadedUs < 20 * LENGTHS.sliceUs; loadedUs += 9_999) {
    const nowUs = turns.whenLoadedUs(loadedUs);
    assert.equal(turns.loadedUs(nowUs), loadedUs);
  }
  assert.equal(turns.whenLoadedUs(LENGTHS.sliceUs), turns.startUs(1));
  assert.equal(turns.whenLoadedUs(Infinity), Infinity);
});

Deno.test("requests that begin in step are counted at their rate, not in whole rounds", () => {
  const rateOf = (requestUs: number): number => {
    const lengths = { sliceUs: 155_000, cutUs: 5_000, shiftUs: 50_000, pauseUs: 60_000 };
    const turns = new Turns({ ...turnsOf(lengths, { seed: 7, pairs: 40 }), side: 0 });
    let sent = 0;
    for (let pair = 0; pair < 40; pair++) {
      const startUs = turns.startUs(pair);
      for (let atUs = startUs; atUs < startUs + lengths.sliceUs; atUs += requestUs) {
        const passedUs = atUs - turns.measuredFromUs(pair);
        if (passedUs >= 0 && passedUs < turns.measuredUs) sent++;
      }
    }
    return sent / (40 * turns.measuredUs / 1e6);
  };
  for (const requestUs of [49_000, 50_000, 51_000, 45_000, 33_000, 20_000]) {
    const off = rateOf(requestUs) * requestUs / 1e6 - 1;
    assert.ok(Math.abs(off) < 0.02, `${requestUs} µs: ${off}`);
  }
});
