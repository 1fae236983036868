/** Change points over commits, held against those that Apache Otava publishes for its example series. */
import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { changePointsOf } from "../../runner/stats/trend/change_points.ts";
import { bestSplit } from "../../runner/stats/trend/energy.ts";

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
