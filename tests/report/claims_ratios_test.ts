/** Claims of whether one figure changes by more than another. */
import assert from "node:assert/strict";
import type { JudgedClaim } from "../../report/judge/claims/claims.ts";
import type { Results } from "../../runner/result/result.ts";
import { assertJudged, judge } from "./claimed.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";

/** Rates of 1,000 and 2,000; start-up times whose ratio is given, 1 % around. */
function results(startUps: number, runs = 5): Results {
  const rates = { slow: around(1_000).slice(0, runs), fast: around(2_000, 0.001).slice(0, runs) };
  const made = resultsAt(rates);
  const noise = [100.4, 98.9, 101, 99.2, 100.5]; // in another order than the rates
  for (const run of made.runs) {
    run.startUp = noise[run.repetition - 1] * (run.target === "fast" ? startUps : 1);
  }
  return made;
}

const CLAIM = "startUp(fast) / startUp(slow) < rate(fast) / rate(slow)";

const rows: [startUps: number, outcome: JudgedClaim["outcome"], sentence: RegExp][] = [
  [
    1.5,
    "reproduced",
    /^startUp is 1\.50× \(static, fast over static, slow\) against rate is 2\.00× \(static, fast over static, slow\): 0\.75× \[0\.7\d, 0\.7\d\], claimed less than 1×$/,
  ],
  [3, "not reproduced", /: 1\.50× \[1\.\d\d, 1\.\d\d\], claimed less than 1×$/],
  [2, "inconclusive", /; the interval lies across the limit, more runs would decide$/],
];

for (const [startUps, outcome, sentence] of rows) {
  Deno.test(`start-up ${startUps} times as long, rate twice as high: ${outcome}`, () => {
    assertJudged(judge(results(startUps), CLAIM), outcome, sentence);
  });
}

Deno.test("what a run does to two figures alike does not make their ratio uncertain", () => {
  const made = resultsAt({ slow: [1_000, 3_000, 2_000], fast: [2_000, 4_000, 6_000] });
  for (const run of made.runs) run.startUp = run.rate * (run.target === "fast" ? 1.1 : 1);
  assertJudged(
    judge(made, "startUp(fast) / startUp(slow) > rate(fast) / rate(slow)"),
    "reproduced",
    /: 1\.10\d*× \[1\.10\d*, 1\.10\d*\]/,
  );
});

Deno.test("one run of each decides nothing between ratios, nor does a cell without the figure", () => {
  assertJudged(
    judge(results(1.5, 1), CLAIM),
    "inconclusive",
    /claimed less than 1×; one run each: no interval$/,
  );
  const unwatched = results(1.5);
  for (const run of unwatched.runs) if (run.target === "slow") run.startUp = null;
  assertJudged(
    judge(unwatched, CLAIM),
    "inconclusive",
    /^static, slow has no startUp: the target was not started here$/,
  );
});

Deno.test("ratios are taken of cells that are alike in all that is left out", () => {
  const cells = ["plain", "cached"].flatMap((target) =>
    [10, 50].map((connections): CellSpec => ({
      target,
      scenario: "page",
      parameters: { connections },
      medianMs: target === "plain" ? 3 * connections : connections,
      runs: 4,
      duration: 2,
    }))
  );
  const judged = judge(
    resultsFixture({ cells }),
    "p50(cached) / p50(plain) < 2 × mean(cached) / mean(plain)",
  );
  assertJudged(judged, "reproduced", /\(page, cached · connections \d+ over page, plain · /);
  assert.equal(judged.held, "2 of 2 cells");
});
