import assert from "node:assert/strict";
import fc from "fast-check";
import { medianOf, quantileOf } from "../../runner/stats/quantile.ts";
import { findOutliers } from "../../runner/stats/steady_state/segments.ts";
import { forAll } from "../for_all.ts";

/** Small, even noise without randomness. */
const wiggle = (length: number, level = 0): number[] =>
  Array.from({ length }, (_, i) => level + ((i * 7) % 5 - 2) / 10);

function withSpikes(values: number[], ...at: number[]): number[] {
  return values.map((value, i) => at.includes(i) ? value + 9 : value);
}

const table: [string, number[], number[]][] = [
  ["noise alone has no outliers", wiggle(80), []],
  ["a spike is one", withSpikes(wiggle(80), 40), [40]],
  ["so is a dip", wiggle(80).map((value, i) => i === 40 ? value - 9 : value), [40]],
  ["a cluster of three doesn't hide itself", withSpikes(wiggle(80), 30, 31, 33), [30, 31, 33]],
  [
    "a spike close to a change of level is found, and the change is none",
    withSpikes([...wiggle(40, 20), ...wiggle(40)], 44),
    [44],
  ],
  ["a slow start of three intervals is not set aside", [...wiggle(3, 5), ...wiggle(60)], []],
  ["nor is one of two", [...wiggle(2, 5), ...wiggle(60)], []],
  ["a single slow first interval is", [...wiggle(1, 5), ...wiggle(60)], [0]],
  ["so is a single slow last one", [...wiggle(60), ...wiggle(1, 5)], [60]],
  ["two values have none", [1, 9], []],
  ["equal values have none", new Array(30).fill(4), []],
  ["an empty series has none", [], []],
];

for (const [sentence, values, outliers] of table) {
  Deno.test(`outliers: ${sentence}`, () => {
    const found = findOutliers(values);
    assert.deepEqual([...found.keys()].filter((index) => found[index]), outliers);
  });
}

Deno.test("outliers are those of windows that are sorted anew for every value", () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ noNaN: true, max: 1e3 }));
  forAll([fc.array(value, { maxLength: 120 })], (values) => {
    assert.deepEqual(findOutliers(values), sortedAnew(values));
  });
});

/** The median of up to seven values, and the quartiles of up to 51 deviations from it. */
function sortedAnew(values: readonly number[]): boolean[] {
  const deviations = values.map((value, index) => {
    const reach = Math.max(1, Math.min(3, index, values.length - 1 - index));
    const start = Math.max(0, Math.min(index - reach, values.length - 1 - 2 * reach));
    return value - medianOf(values.slice(start, start + 2 * reach + 1));
  });
  return deviations.map((deviation, index) => {
    const far = deviations.slice(Math.max(0, index - 25), index + 26).sort((a, b) => a - b);
    return Math.abs(deviation) > 5.7 * (quantileOf(far, 0.75) - quantileOf(far, 0.25));
  });
}
