import assert from "node:assert/strict";
import { runsToDecide } from "../../runner/stats/runs_needed.ts";

/** Sample sizes for 80 % power at 5 % that G*Power 3.1 gives for these effect sizes. */
const known: [effect: number, sides: 1 | 2, runs: number][] = [
  [1, 1, 10],
  [0.5, 1, 34],
  [1, 2, 17],
  [0.5, 2, 64],
];

for (const [effect, sides, runs] of known) {
  Deno.test(`a distance of ${effect} standard deviations, of ${sides}, needs ${runs} runs`, () => {
    // After 4 runs, of a deviation of 1 on each side.
    const standardError = Math.sqrt(sides / 4);
    assert.equal(runsToDecide({ distance: -effect, standardError, runs: 4, sides }), runs);
  });
}

Deno.test("what lies at the limit needs more runs than there will be", () => {
  assert.equal(runsToDecide({ distance: 0, standardError: 1, runs: 5 }), Infinity);
  assert.equal(runsToDecide({ distance: 0.01, standardError: 1, runs: 5 }), Infinity);
});
