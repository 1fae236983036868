/** Claims about labels of runs, and about orders of cells. */
import assert from "node:assert/strict";
import type { JudgedClaim } from "../../report/judge/claims/claims.ts";
import type { Results } from "../../runner/result/result.ts";
import { assertJudged, judge } from "./claimed.ts";
import { resultsAt } from "./rates.ts";

type Label = NonNullable<Results["runs"][number]["warmup"]>["label"];

function labelled(labels: readonly (Label | null)[]): Results {
  const results = resultsAt({ bun: labels.map(() => 1_000) });
  for (const [i, run] of results.runs.entries()) {
    const label = labels[i];
    run.warmup = label === null ? null : { label, steadyFromS: null };
  }
  return results;
}

const five = (label: Label): Label[] => Array.from({ length: 5 }, () => label);

const labels: [labels: (Label | null)[], outcome: JudgedClaim["outcome"], sentence: RegExp][] = [
  [
    five("warm-up"),
    "reproduced",
    /^5 of 5 runs of static, bun are warm-up: 100 % \[56\.6 %, 100 %\], claimed of more than half$/,
  ],
  [
    five("flat"),
    "not reproduced",
    /^0 of 5 runs of static, bun are warm-up: 0 % \[0 %, 43\.4 %\], claimed of/,
  ],
  [[...five("flat"), "flat", "flat", "warm-up"], "not reproduced", /^1 of 8 runs/],
  [
    ["flat", "warm-up", "flat", "warm-up"],
    "inconclusive",
    /are warm-up: 50\.0 % \[15\.0 %, 85\.0 %\], claimed of more than half; inconclusive: too few runs$/,
  ],
  [[...five("warm-up"), "too-short"], "reproduced", /^5 of 5 runs/],
  [
    ["warm-up"],
    "inconclusive",
    /^1 of 1 run of static, bun is warm-up: 100 %, .*; one run: no interval$/,
  ],
  [
    five("too-short"),
    "inconclusive",
    /^the runs of static, bun were too short to detect a warm-up$/,
  ],
  [[null, null], "inconclusive", /^static, bun has a load that itself changes$/],
];

for (const [found, outcome, sentence] of labels) {
  Deno.test(`warm-up is claimed of ${found.join(", ")}: ${outcome}`, () => {
    assertJudged(judge(labelled(found), "warmup(bun) is warm-up"), outcome, sentence);
  });
}

/** Rates in the order of the targets; start-up times in nearly the same one. */
function correlated(): Results {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const results = resultsAt(
    Object.fromEntries(names.map((name, i) => [name, [1_000 + 100 * i]])),
  );
  const ranks = [2, 1, 4, 3, 6, 5, 7, 8]; // d = ±1 six times: Σd² = 6
  for (const run of results.runs) run.startUp = 10 * ranks[names.indexOf(run.target)];
  return results;
}

Deno.test("a correlation is Spearman's, by its formula of squared differences of ranks", () => {
  const rho = 1 - 6 * 6 / (8 * (8 ** 2 - 1));
  const judged = judge(correlated(), "correlation(rate, startUp; static) > 0.5");
  assert.equal(rho.toFixed(2), "0.93");
  assertJudged(
    judged,
    "reproduced",
    /^Spearman's correlation of rate and startUp is 0\.93 \[0\.\d\d, 0\.\d\d\] over 8 cells, claimed above 0\.5$/,
  );
  assertJudged(judge(correlated(), "correlation(rate, startUp) < 0"), "not reproduced", /below 0$/);
  assertJudged(
    judge(correlated(), "correlation(rate, startUp) >= 0.9"),
    "inconclusive",
    /claimed at least 0\.9; the interval over the cells lies across the limit, more cells would decide$/,
  );
});

Deno.test("a correlation of too few cells, of one value only, or of cells without the figure", () => {
  const few = resultsAt({ a: [1_000], b: [2_000], c: [3_000] });
  assertJudged(
    judge(few, "correlation(rate, rate) > 0"),
    "inconclusive",
    /is 1\.00 over 3 cells, claimed above 0; fewer than 4 cells: no interval$/,
  );
  assertJudged(
    judge(few, "correlation(rate, 5xx) > 0"),
    "inconclusive",
    /^rate and 5xx have no order over 3 cells$/,
  );
  const unwatched = correlated();
  unwatched.runs[0].startUp = null;
  assertJudged(
    judge(unwatched, "correlation(rate, startUp) > 0"),
    "reproduced",
    /over 7 cells, claimed above 0; 1 cell without both figures$/,
  );
});
