import assert from "node:assert/strict";
import { findOutliers } from "../../runner/stats/steady_state/segments.ts";

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
