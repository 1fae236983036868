import assert from "node:assert/strict";
import type { FigureComparison } from "../../report/judge/comparison.ts";
import { certaintyOf, type Standing, standingOf } from "../../report/judge/standing.ts";
import { ratioText } from "../../report/judge/ratios.ts";
import { pairSentence, undecidedText, verdictText, verdictWord } from "../../report/judge/words.ts";
import { COMPARED, DECISIVE } from "../../report/judge/group.ts";
import { reportModel } from "../../report/model.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { resultsAt } from "./rates.ts";

const NONE: FigureComparison = {
  figure: "rate",
  base: 1_000,
  next: 1_610,
  ratio: 1.61,
  interval: null,
  p: null,
  adjustedP: null,
  exact: null,
  pairs: null,
  runs: 3,
  pairingGain: null,
  between: null,
  groups: null,
  unsteady: null,
  isAheadInHalves: false,
  verdict: "inconclusive",
  reason: null,
  smallestChange: null,
  runsNeeded: null,
};

function compared(low: number, high: number, change: Partial<FigureComparison>): FigureComparison {
  const ratio = Math.sqrt(low * high);
  const interval = { value: ratio, low, high, logStandardError: 0.1, degreesOfFreedom: 2 };
  return { ...NONE, ratio, interval, ...change };
}

/** A comparison, its standing, and what is said of it in a sentence and beside its interval. */
const CASES: Record<string, [FigureComparison, Standing, sentence: string, word: string]> = {
  "a verdict": [
    compared(1.25, 2.06, { verdict: "better" }),
    "ahead",
    "a is faster than b",
    "better",
  ],
  "the other verdict": [
    compared(0.5, 0.8, { verdict: "worse" }),
    "behind",
    "b is faster than a",
    "worse",
  ],
  "all of the interval within the margin": [
    compared(0.99, 1.012, { verdict: "equivalent" }),
    "equivalent",
    "b is about as fast as a: within 2 %",
    "equivalent",
  ],
  "an interval that excludes 1, but not the margin": [
    compared(1.004, 1.09, { reason: "margin" }),
    "likely-ahead",
    "a is likely faster than b, perhaps by less than 2 %",
    "likely better, perhaps by less than 2 %",
  ],
  "an interval beyond the margin that Holm's correction does not bear out": [
    compared(1.25, 2.06, { reason: "many" }),
    "likely-ahead",
    "a is likely faster than b, not proven: 3 runs",
    "likely better, not proven: 3 runs",
  ],
  "one that the exact test does not bear out, of a latency": [
    compared(1.25, 2.06, { figure: 99, reason: "exact", runs: 6 }),
    "likely-behind",
    "b is likely faster to respond than a, not proven: 6 runs",
    "likely worse, not proven: 6 runs",
  ],
  "an interval that excludes 1, of runs in two groups": [
    compared(1.25, 2.06, {
      reason: "groups",
      groups: [{ count: 4, value: 1 }, { count: 1, value: 2 }],
    }),
    "groups",
    "a against b: inconclusive, as runs fall into two groups",
    "inconclusive: two groups of runs",
  ],
  "runs without a steady state": [
    compared(1.25, 2.06, { reason: "unsteady", unsteady: { count: 4, of: 5 } }),
    "unsteady",
    "a against b: inconclusive, with no steady state in 4 of 5 runs",
    "inconclusive: no steady state",
  ],
  "an interval with 1 in it, where 10 % would have been seen": [
    compared(0.96, 1.05, { reason: "few-runs", smallestChange: 0.1 }),
    "no-difference-seen",
    "No difference seen between a and b",
    "no difference seen",
  ],
  "an interval with 1 in it, where only more would have been seen": [
    compared(0.9, 1.2, { reason: "few-runs", smallestChange: 0.101 }),
    "few-runs",
    "a against b: inconclusive in 3 runs each",
    "inconclusive",
  ],
};

for (const [sentence, [figure, standing, text, word]] of Object.entries(CASES)) {
  Deno.test(`standing: ${sentence}`, () => {
    assert.equal(standingOf(figure), standing);
    const pair = { marginRatio: 0.02, runs: { base: 3, next: 3 } };
    assert.equal(plain(undecidedText(["a", "b"], figure, pair)), text);
    assert.equal(plain(verdictWord(figure, 0.02)), word);
  });
}

function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

Deno.test("standing: an inconclusive verdict never reads as no difference where the interval excludes 1", () => {
  for (const [figure, standing, text] of Object.values(CASES)) {
    const { low, high } = figure.interval ?? assert.fail();
    if (low > 1 || high < 1) assert.doesNotMatch(text, /difference/, standing);
    if (certaintyOf(standing) === "decided") assert.doesNotMatch(text, /likely|inconclusive/);
    if (certaintyOf(standing) === "likely") assert.match(text, /likely/);
  }
});

Deno.test("standing: what is said of several is true of each pair with the first", () => {
  const pair = { marginRatio: 0.02, runs: { base: 3, next: 3 } };
  const said = (name: string): string =>
    plain(undecidedText(["a", "b", "c"], CASES[name][0], pair));
  assert.equal(
    said("all of the interval within the margin"),
    "b and c are about as fast as a: within 2 %",
  );
  assert.equal(
    said("an interval with 1 in it, where 10 % would have been seen"),
    "No difference seen between a and b or c",
  );
});

Deno.test("standing: a change of more than ten times is no change that would have been seen", () => {
  const few = (smallestChange: number): string =>
    plain(verdictText(compared(0.1, 30, { reason: "few-runs", smallestChange }), 0.02));
  assert.equal(few(290), "inconclusive: too few runs, add runs");
  assert.equal(few(8.9), "inconclusive: too few runs, a change of 890 % would have been seen");
});

/** A pair of which only p99 and requests/s are set. */
function pairOf(rate: FigureComparison, p99: FigureComparison): string {
  const figures = COMPARED.map((figure) =>
    figure === "rate" ? rate : figure === 99 ? p99 : { ...NONE, figure, reason: "nothing" as const }
  );
  const pair = { figures, decisive: DECISIVE, runs: { base: 3, next: 3 }, marginRatio: 0.02 };
  return plain(pairSentence("b", "a", pair));
}

Deno.test("ratios: as much throughput has no digits, and next to nothing is so many times less", () => {
  const same = compared(0.9998, 1.0003, { verdict: "equivalent" });
  const short = compared(0.00008, 0.000086, { figure: 99, verdict: "better" });
  assert.equal(
    pairOf(same, short),
    "the p99 of a is 12,060× shorter [11,630, 12,500] than that of b, same throughput",
  );
  assert.equal(plain(ratioText(compared(0.0018, 0.0022, {}))), "503× fewer [455, 556]");
  const near = compared(0.98, 1.01, { verdict: "equivalent" });
  assert.match(pairOf(near, short), /, at 0\.99× \[0\.98, 1\.01\] the requests$/);
});

Deno.test("standing: two groups are named beside their interval, in every form of the report", () => {
  const model = reportModel(resultsAt({
    even: [15_000, 15_100, 15_040, 14_950, 15_050, 15_020],
    mixed: [9_000, 9_100, 5_400, 9_050, 8_950, 5_380],
  }));
  const rate = model.scenarios[0].forest?.charts[0].chart.rows[0] ?? assert.fail();
  assert.ok(rate.high !== null && rate.high < 1, rate.text);
  assert.equal(rate.word, "inconclusive: two groups of runs");
  const said = "even against mixed: inconclusive, as runs fall into two groups";
  const forms = [
    renderSummary(model, { width: 400, color: false, unicode: true }),
    renderMarkdown(model),
    renderReportPage([model]),
  ];
  for (const form of forms) {
    assert.ok(form.includes(said));
    assert.doesNotMatch(form, /no significant difference/);
  }
});
