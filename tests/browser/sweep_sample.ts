/** Sweeps of every kind on one page: connections, a rate that is asked for, a 0 beside decades, many lines. */
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { type SweepCell, sweepResults } from "../report/sweep_results.ts";

function connectionsOf(target: string, most: number): SweepCell[] {
  return [1, 4, 16, 64, 256].map((connections) => {
    const rate = most * connections / (connections + 6);
    return {
      target,
      parameters: { connections },
      rate: Math.min(rate, 0.92 * most),
      medianMs: 0.4 + connections / most * 1_000,
    };
  });
}

const CONNECTIONS = [...connectionsOf("hono", 12_000), ...connectionsOf("express", 5_000)];

const RATES = [1_000, 2_000, 4_000, 5_000, 6_000, 8_000].flatMap((rate): SweepCell[] => [
  { target: "hono", parameters: { rate: `${rate}/s` }, rate, medianMs: 0.8 + rate / 20_000 },
  {
    target: "express",
    parameters: { rate: `${rate}/s` },
    rate: Math.min(rate, 4_900),
    medianMs: rate > 4_900 ? 240 : 2 + rate / 2_000,
    wrongRatio: rate === 8_000 ? 1 : 0,
  },
]);

const DELAYS = [0, 1, 10, 100, 1_000].flatMap((cpuTime): SweepCell[] =>
  [1, 2, 4].flatMap((instances) =>
    ["memory", "redis", "none"].map((cache): SweepCell => ({
      target: "work",
      parameters: { "set.cpuTime": cpuTime, "cluster.instances": instances, "set.cache": cache },
      rate: instances * 9_000 / (1 + cpuTime / 5) * (cache === "none" ? 0.7 : 1),
      medianMs: 1 + cpuTime,
    }))
  )
);

export const SWEEPS = {
  connections: reportModel(sweepResults(CONNECTIONS)),
  rates: reportModel(sweepResults(RATES)),
  delays: reportModel(sweepResults(DELAYS)),
};

/** The sweeps, and a section below them for a choice of depths: the rest is looked at elsewhere. */
export const SWEEP_PAGE = renderReportPage(
  Object.values(SWEEPS).map((model) => ({
    ...model,
    scenarios: [],
    groups: model.groups.filter(({ id }) => ["sweeps", "order"].includes(id)),
  })),
);
