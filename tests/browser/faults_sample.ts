/** A report with comparisons of every verdict, failures of several kinds over time, and slowest requests. */
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { resultsFixture } from "../report/fixture.ts";

/** With what the fixture has not: kinds and wrong responses by interval, and the slowest requests. */
function withFaults(run: Run): Run {
  const points = run.timeline.points.map((point, i) => {
    const isHit = run.target === "koa" && i >= 4 && i < 8;
    const { failed } = point;
    return {
      ...point,
      ...(failed > 0 && { errors: { timeout: Math.ceil(failed / 2), reset: failed >> 1 } }),
      ...(isHit && { wrong: 12 + i }),
    };
  });
  return { ...run, timeline: { ...run.timeline, points }, slowest: slowestOf(run) };
}

const OUTCOMES = ["unfinished", "timeout", "wrong", "completed"] as const;

function slowestOf({ latency, repetition }: Run): Run["slowest"] {
  return Array.from({ length: 10 }, (_, i) => {
    const dueS = 0.05 * (i + repetition);
    const outcome = OUTCOMES[Math.min(i, 3)];
    return {
      latency: latency.max * (1 - i / 20),
      dueS,
      sentS: i === 1 ? null : dueS + i / 1_000,
      request: i === 1 ? null : `GET /user/${i}`,
      connection: i * 3,
      outcome,
      status: i < 2 ? null : 200,
    };
  });
}

const RESULTS: Results = resultsFixture({
  title: "Which framework is fastest, and what goes wrong?",
  cells: ["static", "user"].flatMap((scenario) => [
    { target: "express", scenario, medianMs: 5, runs: 5 },
    { target: "fastify", scenario, medianMs: 2.8, runs: 5 },
    { target: "hono", scenario, medianMs: 5.03, runs: 5 },
    { target: "koa", scenario, medianMs: 7.5, runs: 5, timeoutRatio: 0.002, wrongRatio: 0.004 },
    { target: "one-run", scenario, medianMs: 4, runs: 1 },
  ]),
});

export const FAULTS_RESULTS: Results = { ...RESULTS, runs: RESULTS.runs.map(withFaults) };
export const FAULTS_MODEL = reportModel(FAULTS_RESULTS);
export const FAULTS_PAGE = renderReportPage([FAULTS_MODEL]);
