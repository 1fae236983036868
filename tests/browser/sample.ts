/** A report with everything in it, and the screens to look at it on. */
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { type FixtureSpec, resultsFixture } from "../report/fixture.ts";

export const SPEC: FixtureSpec = {
  title: "Which is faster, and how steady is it?",
  cells: ["static", "fib"].flatMap((scenario, i) => {
    const ms = 30 * i;
    return [
      { target: "hono", scenario, medianMs: 2 + ms, runs: 3, warmUp: 4 },
      { target: "hono proxied", scenario, medianMs: 3 + ms, runs: 3, timeoutRatio: 0.004 },
      { target: "express", scenario, medianMs: 5 + ms, runs: 3, wrongRatio: 0.02, watched: false },
    ];
  }),
  missing: [{
    target: "hono",
    scenario: "redis",
    parameters: {},
    repetition: null,
    kind: "skipped",
    reason: "there is no Redis",
    evidence: ["a line of its output"],
  }],
};
export const RESULTS = resultsFixture(SPEC);
export const MODEL = reportModel(RESULTS);
export const PAGE = renderReportPage([MODEL]);

/**
 * Canvases of PAGE: for each of two scenarios throughput against p99, three timelines and all in one, three
 * heatmaps, a latency histogram and tails; of all the runs in time, and the time to stable latency.
 */
export const CHARTS = 2 * (1 + (3 + 1) + 3 + 1 + 1) + 2;
/** Those of its summary: throughput against p99. */
export const SUMMARY_CHARTS = 2;
/** Tables of PAGE: who wins where, every result against the best; for each scenario eight; of all the time to stable latency. */
export const TABLES = 2 + 2 * 8 + 1;

export const DESKTOP = { viewport: { width: 1280, height: 900 } } as const;
export const PHONE = {
  viewport: { width: 375, height: 800 },
  isMobile: true,
  hasTouch: true,
} as const;
