import assert from "node:assert/strict";
import { SEEN, shareRight } from "../../bench/statistics/labels.ts";
import { telegraph } from "../../bench/statistics/truths.ts";

/** The bench has more runs of each; the bar is the same. */
const RUNS = 40;

for (const [what, truth, noise] of SEEN) {
  Deno.test(`a run of 30 s is labelled right in 9 of 10 cases: ${what}`, () => {
    const share = shareRight(truth, noise, { seed: 14, runs: RUNS });
    assert.ok(share >= 0.9, `${share}`);
  });
}

Deno.test("levels that change every half second are no steady state, though no window shows them", () => {
  assert.ok(shareRight(telegraph(0.1, 0.3, 0.5), undefined, { seed: 15, runs: RUNS }) >= 0.9);
});
