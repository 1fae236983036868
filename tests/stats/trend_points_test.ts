/** Change points over commits, held against those that Apache Otava publishes for its example series. */
import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { changePointsOf } from "../../runner/stats/trend/change_points.ts";
import { bestSplit } from "../../runner/stats/trend/energy.ts";
import { levelChangesOf } from "../../runner/stats/trend/level_changes.ts";

/** TigerBeetle's requests/s over 365 commits, as in `tests/tigerbeetle_test.py` of Apache Otava (Apache License 2.0). */
const TIGERBEETLE: number[] = JSON.parse(
  Deno.readTextFileSync(new URL("data/tigerbeetle_series.json", import.meta.url)),
);

/** The points that the same file of Otava has, for windows of 30. */
const PUBLISHED: readonly [mostP: number, marginRatio: number, points: readonly number[]][] = [
  [0.01, 0.05, [15, 71]],
  [0.05, 0.05, [15, 71]],
  [0.1, 0.05, [10, 11, 15, 71, 363]],
  [0.2, 0.05, [10, 11, 15, 71]],
  [0.01, 0, [15, 26, 61, 71, 95, 117, 131, 142, 148, 165, 169, 192, 212, 260]],
  [0.001, 0, [15, 61, 71, 95, 117, 131, 142, 148, 192, 212, 260]],
  [0.0001, 0, [71, 95, 117, 131, 142, 148, 192, 212]],
  [0.00001, 0, [71, 95, 131, 192, 212]],
];

for (const [mostP, marginRatio, points] of PUBLISHED) {
  Deno.test(`change points: Otava's of TigerBeetle at p ${mostP}, changes over ${marginRatio}`, () => {
    const found = changePointsOf(TIGERBEETLE, { marginRatio, seed: 1, mostP, window: 30 });
    assert.deepEqual(found.map(({ index }) => index), points);
  });
}

/** From `tests/analysis_test.py` of Apache Otava. */
const SHORT = [
  ...[1.02, 0.95, 0.99, 1, 1.12, 1, 1.01, 0.98, 1.01, 0.96],
  ...[0.5, 0.51, 0.48, 0.48, 0.55, 0.5, 0.49, 0.51, 0.5, 0.49],
];

Deno.test("change points: Otava's of its short series, with the size and its interval", () => {
  const [point, ...others] = changePointsOf(SHORT, {
    marginRatio: 0,
    seed: 1,
    mostP: 0.0001,
    window: 10,
  });
  assert.deepEqual([point.index, others.length], [10, 0]);
  const { value, low, high } = point.ratio;
  assert.ok(low < value && value < high && low > 0.47 && high < 0.53, `${low} ${value} ${high}`);
  const longer = [...SHORT, 0.47, 0.48, 0.45, 0.01, 0.1, 0.22];
  const found = changePointsOf(longer, { marginRatio: 0, seed: 1, mostP: 0.0001, window: 5 });
  assert.deepEqual(found.map(({ index }) => index), [10, 23]);
});

Deno.test("energy: the best split is that of the definition, tried pair by pair", () => {
  const random = new Random(3);
  for (let round = 0; round < 20; round++) {
    const values = Array.from({ length: 12 }, (_, i) => random.normal() + (i > round % 9 ? 1 : 0));
    let best = { index: 0, energy: -Infinity };
    for (let index = 1; index < values.length; index++) {
      for (let end = index + 1; end <= values.length; end++) {
        const energy = energyOf(values.slice(0, index), values.slice(index, end));
        if (energy > best.energy + 1e-9) best = { index, energy };
      }
    }
    const found = bestSplit(values, { from: 0, to: values.length });
    assert.equal(found?.index, best.index);
    assert.ok(Math.abs((found?.energy ?? 0) - best.energy) < 1e-9);
  }
});

function energyOf(left: readonly number[], right: readonly number[]): number {
  const within = (side: readonly number[]): number =>
    side.reduce(
      (sum, a, i) => sum + side.slice(i + 1).reduce((inner, b) => inner + Math.abs(a - b), 0),
      0,
    );
  const across = left.reduce(
    (sum, a) => sum + right.reduce((inner, b) => inner + Math.abs(a - b), 0),
    0,
  );
  const [n, m] = [left.length, right.length];
  const share = (side: readonly number[], other: number): number =>
    side.length > 1 ? other / (side.length - 1) * within(side) : 0;
  return 2 / (n + m) * (across - share(left, m) - share(right, n));
}

Deno.test("change points: 40 commits of noise have one in at most 1 of 20 series", () => {
  const random = new Random(5);
  const alarms = Array.from({ length: 300 }, () => {
    const series = Array.from({ length: 40 }, () => Math.exp(0.03 * random.normal()));
    return changePointsOf(series, { marginRatio: 0.02, seed: 1 }).length > 0;
  }).filter(Boolean).length;
  assert.ok(alarms <= 15, `${alarms}`);
});

Deno.test("change points: a step of 5 % over noise of 1 % is found at its commit, whichever seed", () => {
  const random = new Random(6);
  const series = Array.from(
    { length: 24 },
    (_, i) => (i < 16 ? 1 : 0.95) * Math.exp(0.01 * random.normal()),
  );
  for (const seed of [1, 2, 3]) {
    const found = changePointsOf(series, { marginRatio: 0.02, seed });
    assert.deepEqual(found.map(({ index }) => index), [16]);
    assert.ok(found[0].ratio.low < 0.95 && found[0].ratio.high > 0.94);
  }
});

Deno.test("change points: none of a series of one value, of two, or of none", () => {
  for (const series of [[], [1], [1, 2], [5, 5, 5, 5, 5, 5]]) {
    assert.deepEqual(changePointsOf(series, { marginRatio: 0.02, seed: 1 }), []);
  }
});

// What dependence of results in a row, and many series, make of it.

const LEVELS = { marginRatio: 0.02 };

/** Shares of so many series of waves that are found to change, as values were independent and as they are. */
function alarmsUnder(
  correlation: number,
  cases: number,
): { independent: number; dependent: number } {
  const random = new Random(7);
  let [independent, dependent] = [0, 0];
  for (let i = 0; i < cases; i++) {
    const series = random.waves(24, { stdev: 0.02, correlation }).map(Math.exp);
    if (changePointsOf(series, { marginRatio: 0.02, seed: 1 }).length > 0) independent++;
    if (levelChangesOf([series], LEVELS)[0].changes.length > 0) dependent++;
  }
  return { independent: independent / cases, dependent: dependent / cases };
}

const DEPENDENT: [correlation: number, most: number][] = [[0, 0.05], [0.3, 0.08], [0.5, 0.1]];

for (const [correlation, most] of DEPENDENT) {
  Deno.test(`levels: without a change few series of AR(${correlation}) have one`, () => {
    const { independent, dependent } = alarmsUnder(correlation, 120);
    assert.ok(dependent <= most, `${dependent}`);
    if (correlation >= 0.3) assert.ok(independent > most, `${independent}`);
  });
}

Deno.test("levels: how alike results in a row are is said, and grows with their correlation", () => {
  const random = new Random(8);
  const [none, some, much] = [0, 0.5, 0.8].map((correlation) => {
    const found = Array.from({ length: 20 }, () => {
      const series = random.waves(40, { stdev: 0.02, correlation }).map(Math.exp);
      return levelChangesOf([series], LEVELS)[0].correlation ?? NaN;
    });
    return found.reduce((sum, one) => sum + one, 0) / found.length;
  });
  assert.ok(none < 0.3 && none < some && some < much && much > 0.5, `${none} ${some} ${much}`);
});

Deno.test("levels: a step of 5 % over noise of 2 % is found at its commit, with an interval that holds it", () => {
  const random = new Random(5);
  const noise = random.waves(60, { stdev: 0.02, correlation: 0.3 });
  const series = noise.map((log, i) => Math.exp(log) * (i < 36 ? 1 : 0.95));
  const [{ changes: [change, ...others] }] = levelChangesOf([series], LEVELS);
  assert.ok(change && Math.abs(change.index - 36) <= 2 && others.length === 0);
  assert.ok(change.ratio.low < 0.95 && change.ratio.high > 0.95, JSON.stringify(change));
});

Deno.test("levels: of many series a change must be as much surer, and none alone has one by chance", () => {
  const random = new Random(14);
  const noise = (): number[] => random.waves(20, { stdev: 0.02, correlation: 0 });
  const weak = noise().map((log, i) => Math.exp(log) * (i < 10 ? 1 : 0.945));
  const others = Array.from({ length: 20 }, () => noise().map(Math.exp));
  const [{ changes: alone }] = levelChangesOf([weak], LEVELS);
  assert.equal(alone.length, 1);
  const among = levelChangesOf([weak, ...others], LEVELS);
  assert.equal(among.flatMap(({ changes }) => changes).length, 0);
  const sure = noise().map((log, i) => Math.exp(log) * (i < 10 ? 1 : 0.8));
  const [{ changes: found }] = levelChangesOf([sure, ...others], LEVELS);
  assert.deepEqual(found.map(({ index }) => index), [10]);
});

Deno.test("levels: two results in a row that are odd are no change, and too few results have none", () => {
  const random = new Random(13);
  const series = Array.from(
    { length: 30 },
    (_, i) => Math.exp(0.01 * random.normal()) * (i === 14 || i === 15 ? 1.1 : 1),
  );
  assert.deepEqual(levelChangesOf([series], LEVELS)[0].changes, []);
  assert.deepEqual(levelChangesOf([[1, 1, 1, 2, 2]], LEVELS), [{ changes: [], correlation: null }]);
});
