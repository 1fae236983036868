import assert from "node:assert/strict";
import {
  findSettlingTime,
  type SettlingTime,
} from "../../runner/stats/steady_state/settling_time.ts";

const at = (level: number, length: number): number[] => new Array(length).fill(level);
const wild = (length: number): number[] =>
  Array.from({ length }, (_, i) => [10, 11, 12, 13, 12, 11, 10, 9, 8, 9][i % 10]);

const table: [string, (number | null)[], Omit<SettlingTime, "isAtLeast"> | null][] = [
  ["what never changes is flat from the start", at(5, 40), { from: 0, settledValue: 5 }],
  ["a step flattens where it ends", [...at(9, 6), ...at(5, 34)], { from: 6, settledValue: 5 }],
  ["so does one from below", [...at(3, 6), ...at(5, 34)], { from: 6, settledValue: 5 }],
  ["two spikes in a row don't matter", [...at(9, 6), ...at(5, 12), 50, 60, ...at(5, 20)], {
    from: 6,
    settledValue: 5,
  }],
  ["a second hill does", [...at(9, 6), ...at(5, 8), ...at(8, 6), ...at(5, 20)], {
    from: 20,
    settledValue: 5,
  }],
  ["within 5 % of the final value is flat", [...at(9, 6), ...at(5.2, 10), ...at(5, 24)], {
    from: 6,
    settledValue: 5,
  }],
  ["beyond 5 % isn't", [...at(9, 6), ...at(5.3, 10), ...at(5, 24)], { from: 16, settledValue: 5 }],
  ["a percentile that stays wild flattens where it is no wilder than it ends", [
    ...at(30, 10),
    ...wild(30),
  ], { from: 10, settledValue: 10.5 }],
  ["empty intervals are skipped, but count", [null, 9, 9, 9, null, ...at(5, 35)], {
    from: 5,
    settledValue: 5,
  }],
  ["a single value is flat", [7], { from: 0, settledValue: 7 }],
  ["no values flatten never", [null, null], null],
];

for (const [sentence, values, flattening] of table) {
  Deno.test(`flattening: ${sentence}`, () => {
    const found = findSettlingTime(values);
    const { from, settledValue } = found ?? {};
    assert.deepEqual(found && { from, settledValue }, flattening);
  });
}

Deno.test("a series that is far until its last quarter may settle later", () => {
  const until = (steps: number): (number | null)[] => [...at(9, steps), ...at(5, 40 - steps)];
  assert.equal(findSettlingTime(until(30))?.isAtLeast, true);
  assert.equal(findSettlingTime(until(20))?.isAtLeast, false);
  assert.equal(findSettlingTime(at(5, 40))?.isAtLeast, false);
});
