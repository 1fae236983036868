/** Results made to bring out digits that say nothing, in every form of the report and of a comparison. */
import assert from "node:assert/strict";
import { comparisonSuite } from "../../report/render/comparison.ts";
import { renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results } from "../../runner/result/result.ts";
import { claimOf } from "./claimed.ts";
import { type FixtureSpec, resultsFixture } from "./fixture.ts";
import { setRate } from "./rates.ts";
import { comparedMarkdown, comparedText } from "./compared.ts";

const NARROW = [1, 0.9999, 1.0001, 0.99995, 1.00005];
const WILD = [0.01, 30, 1, 200, 0.4];

/** Two targets of a scenario, five runs each, around given rates and latencies. */
function pairOf(
  scenario: string,
  { rates, ms, factors = NARROW, runs = 5 }: {
    readonly rates: readonly [number, number];
    readonly ms: readonly [number, number];
    readonly factors?: readonly number[];
    readonly runs?: number;
  },
): Results {
  const cells: FixtureSpec["cells"] = ["base", "other"].map((target, i) => ({
    target,
    scenario,
    medianMs: ms[i],
    duration: 2,
    runs,
  }));
  const results = resultsFixture({ cells });
  for (const run of results.runs) {
    const at = run.target === "base" ? 0 : 1;
    setRate(run, rates[at] * factors[(run.repetition + 2 * at) % factors.length]);
  }
  return results;
}

const HOSTILE: Readonly<Record<string, Results>> = {
  "the same rate to the fourth digit": pairOf("even", { rates: [1e5, 1e5], ms: [20, 20] }),
  "a p99 twelve thousand times shorter": pairOf("short", { rates: [1e4, 1e4], ms: [0.05, 600] }),
  "a rate a million times higher": pairOf("high", { rates: [2e6, 2], ms: [5, 5] }),
  "runs that differ ten thousand times": pairOf("wild", {
    rates: [1e4, 1.1e4],
    ms: [5, 6],
    factors: WILD,
  }),
  "two runs that differ much": pairOf("two", {
    rates: [1e4, 1.3e4],
    ms: [5, 9],
    factors: WILD,
    runs: 2,
  }),
  "one run": pairOf("one", { rates: [3e6, 2], ms: [0.05, 700], runs: 1 }),
};

const PLAIN = { width: 100, color: false, unicode: true };
const WHEN = { startedAt: "2031-05-04T10:18:00Z", hostname: "host" };

function formsOf(results: Results): Record<string, string> {
  const claimed: Results = {
    ...results,
    experiment: {
      ...results.experiment,
      claims: ["rate(base) > 2 × rate(other)", "p99(base) < p99(other)"].map((text) =>
        claimOf(text)
      ),
    },
  };
  const model = reportModel(claimed);
  const swapped: Results = {
    ...results,
    runs: results.runs.map((run) => ({
      ...run,
      target: run.target === "base" ? "other" : "base",
    })),
  };
  const comparison = compareResults(results, swapped);
  return {
    page: withoutCode(renderReportPage([model])),
    terminal: renderSummary(model, PLAIN),
    markdown: renderMarkdown(model),
    junit: renderJunit([resultsSuite(claimed, model)]),
    compared: comparedText(comparison),
    "compared markdown": comparedMarkdown(comparison),
    "compared junit": renderJunit([comparisonSuite(comparison, WHEN)]),
  };
}

/** Scripts and styles are no text; what charts write is in their data. */
function withoutCode(page: string): string {
  const data = [
    ...page.matchAll(/<script type="application\/json" id="charts[^>]*>(.*?)<\/script>/gs),
  ]
    .flatMap(([, json]) => [...json.matchAll(/"(?:text|word|lines)":("[^"]*"|\[[^\]]*\])/g)])
    .map(([, text]) => text);
  return page.replaceAll(/<(script|style).*?<\/\1>/gs, "").replaceAll(/<[^>]+>/g, " ") +
    data.join("\n");
}

const SAYING_NOTHING: readonly [why: string, digits: RegExp][] = [
  ["a ratio of zero, rounded", /(?<![\d.,])0\.0+×/],
  ["a ratio of next to nothing", /(?<![\d.,])0\.000\d+×/],
  ["a ratio of one to the fourth digit", /1\.0000×/],
  ["a change of thousands of per cent", /(?<![\d.])\d[\d,]{3,}(\.\d+)?\s%/],
  ["no number", /\b(NaN|Infinity|undefined)\b/],
  ["a power of ten", /\d(\.\d+)?e[+-]\d/],
];

for (const [what, results] of Object.entries(HOSTILE)) {
  for (const [form, text] of Object.entries(formsOf(results))) {
    Deno.test(`of ${what}, ${form} writes no digit that says nothing`, () => {
      for (const [why, digits] of SAYING_NOTHING) {
        const at = text.search(digits);
        assert.equal(at, -1, `${why}: …${text.slice(Math.max(0, at - 60), at + 60)}…`);
      }
    });
  }
}
