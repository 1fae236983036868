import assert from "node:assert/strict";
import fc from "fast-check";
import { findChangePoints } from "../../runner/stats/steady_state/change_points.ts";
import reference from "./data/change_points.json" with { type: "json" };
import { forAll } from "../for_all.ts";

const SEED = 20_120_101;

/** The least total cost by trying every segmentation, as the definition says: O(n²) segments, summed one by one. */
function bruteForce(values: readonly number[], penalty: number, minSegment: number): number {
  const best = [-penalty, ...values.map(() => Infinity)];
  for (let end = minSegment; end <= values.length; end++) {
    for (let start = 0; start <= end - minSegment; start++) {
      best[end] = Math.min(best[end], best[start] + costOf(values.slice(start, end)) + penalty);
    }
  }
  return best[values.length];
}

function costOf(values: readonly number[], minVariance = 1e-4): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const variance = Math.max(minVariance, squares / values.length);
  return values.length * Math.log(variance) + squares / variance;
}

function totalCost(values: readonly number[], changes: readonly number[], penalty: number): number {
  const bounds = [0, ...changes, values.length];
  const costs = bounds.slice(1).map((end, i) => costOf(values.slice(bounds[i], end)));
  return costs.reduce((sum, cost) => sum + cost, 0) + penalty * changes.length;
}

for (const { name, values, penalty, minSegment, changes } of reference.cases) {
  Deno.test(`PELT finds the changes that ruptures finds: ${name}, penalty ${penalty.toFixed(1)}, at least ${minSegment} a segment`, () => {
    assert.deepEqual(findChangePoints(values, { penalty, minSegment }), changes);
  });
}

Deno.test("the default penalty is 6 · ln n, which sees what 15 · ln n does not", () => {
  const found = reference.cases.map(({ values }) =>
    [6, 15].map((factor) => findChangePoints(values, { penalty: factor * Math.log(values.length) }))
  );
  reference.cases.forEach(({ values }, i) =>
    assert.deepEqual(findChangePoints(values), found[i][0])
  );
  assert.ok(found.some(([six, fifteen]) => six.length > fifteen.length));
});

Deno.test("no segmentation is cheaper than PELT's, whatever the series, penalty and least segment", () => {
  const level = fc.tuple(
    fc.integer({ min: -9, max: 9 }),
    fc.integer({ min: 0, max: 4 }),
    fc.integer({ min: 1, max: 12 }),
  );
  const series = fc.tuple(
    fc.array(level, { minLength: 1, maxLength: 4 }),
    fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
  )
    .map(([levels, noise]) =>
      levels.flatMap(([mean, spread, length]) =>
        Array.from({ length }, () => mean + spread * noise.next().value)
      )
    );
  forAll(
    [series, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 2, max: 6 })],
    (values, penalty, minSegment) => {
      const changes = findChangePoints(values, { penalty, minSegment, minVariance: 1e-4 });
      const bounds = [0, ...changes, values.length];
      if (values.length >= minSegment) {
        assert.ok(
          bounds.slice(1).every((end, i) => end - bounds[i] >= minSegment),
          `too short a segment in ${bounds}`,
        );
        assert.ok(
          totalCost(values, changes, penalty) <= bruteForce(values, penalty, minSegment) + 1e-6,
        );
      }
    },
    { seed: SEED, numRuns: 300 },
  );
});

const table: [string, number[], number[]][] = [
  ["an empty series has no changes", [], []],
  ["a series shorter than two segments has none", [1, 9, 1], []],
  ["equal values have none", new Array(50).fill(7), []],
  ["two levels without any noise have one, where the second begins", [
    ...new Array(20).fill(3),
    ...new Array(20).fill(4),
  ], [20]],
  ["far from zero, a small change is found as well", [
    ...Array.from({ length: 40 }, (_, i) => 1e9 + (i % 3) + (i < 15 ? 50 : 0)),
  ], [15]],
];

for (const [sentence, values, changes] of table) {
  Deno.test(sentence, () => assert.deepEqual(findChangePoints(values), changes));
}
