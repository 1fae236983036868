import assert from "node:assert/strict";
import fc from "fast-check";
import { medianOf, quantileOf } from "../../runner/stats/quantile.ts";
import { forAll } from "../for_all.ts";

const table: [string, number[], number, number][] = [
  ["the middle of three values", [1, 2, 9], 0.5, 2],
  ["half way between the middle two of four", [1, 2, 4, 9], 0.5, 3],
  ["the least at 0", [1, 2, 9], 0, 1],
  ["the largest at 1", [1, 2, 9], 1, 9],
  // numpy.quantile([1, 2, 4, 9, 20], [0.1, 0.9]) is [1.4, 15.6].
  ["NumPy's at 10 %", [1, 2, 4, 9, 20], 0.1, 1.4],
  ["NumPy's at 90 %", [1, 2, 4, 9, 20], 0.9, 15.6],
  ["the only value", [7], 0.3, 7],
];

for (const [sentence, sorted, share, value] of table) {
  Deno.test(`a quantile is ${sentence}`, () => {
    assert.ok(Math.abs(quantileOf(sorted, share) - value) < 1e-12);
  });
}

Deno.test("a median sorts first, and leaves the values as they were", () => {
  const values = [9, 1, 2];
  assert.equal(medianOf(values), 2);
  assert.deepEqual(values, [9, 1, 2]);
});

Deno.test("nothing has no quantile", () =>
  assert.ok(Number.isNaN(quantileOf([], 0.5)) && Number.isNaN(medianOf([]))));

Deno.test("the median of few values and of many is the middle of the sorted ones", () => {
  const value = fc.oneof(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), fc.integer({ max: 9 }));
  forAll([fc.array(value, { maxLength: 60 })], (values) => {
    const sorted = values.toSorted((a, b) => a - b);
    assert.equal(medianOf(values) + 0, quantileOf(sorted, 0.5) + 0);
  });
});
