/** Distributions of a scenario's latencies: over time, overall, and among the slowest. */
import { type Block, figure } from "../blocks.ts";
import { burstFindings } from "../findings/timeline_findings.ts";
import { type Chart, legendOf } from "../chart.ts";
import { densityFinding, densityOf } from "./charts/density.ts";
import { tailsFinding, tailsOf } from "./charts/tails.ts";
import type { ScenarioContext, Subject } from "./subject.ts";

export const latency: Subject<ScenarioContext> = {
  id: "latency",
  title: "Latency",
  depth: "detail",
  build: (scenario) => [heatmaps(scenario), ...density(scenario), ...tails(scenario)],
};

function heatmaps({ cells }: ScenarioContext): Block {
  const charts = cells.map(({ label }, cell): Chart => ({
    kind: "heatmap",
    alt: `Requests of ${label} by time and latency`,
    cell,
  }));
  return figure(cells.map((of, i) => ({ of, chart: charts[i] })), {
    id: "heatmap",
    findings: burstFindings(cells),
    reading: HEATMAP,
    forms: ["page"],
  });
}

function density({ cells, roomy }: ScenarioContext): Block[] {
  const chart = densityOf(cells);
  if (chart === null) return [];
  return [figure([{ chart }], {
    id: "density",
    legend: legendOf(chart),
    findings: [{ code: "half", text: densityFinding(cells) }],
    reading: DENSITY,
    forms: ["page", ...roomy],
  })];
}

function tails({ cells }: ScenarioContext): Block[] {
  const chart = tailsOf(cells);
  if (chart === null) return [];
  return [figure([{ chart }], {
    id: "tails",
    legend: legendOf(chart),
    findings: [{ code: "rare", text: tailsFinding(cells) }],
    reading: TAILS,
    forms: ["page"],
  })];
}

const HEATMAP =
  "Each column is an interval, each row a step of latency. The stronger the colour, the larger the share of the interval's requests that took so long. Two dark rows are two groups of requests, such as hits and misses of a cache; a tall column is a moment in which some waited. The row above the dotted line counts faster requests, too. A line above a cell marks lower bounds: requests that timed out, were unfinished or were never sent, and would have taken longer. Point at a cell, or use the arrow keys, to read it. The axis is logarithmic; all targets of the scenario share it.";

export const DENSITY =
  "The further left a curve, the faster the responses; the higher the curve, the more requests took about that long. A second hump, or a long tail to the right, is a group of slow requests. More than two curves are drawn one above the other, the lowest median on top. Move the red line, or set its number, to read the share of all requests within it; a ≥ before the share means that requests without a known end may lie within it, too. Only completed requests are drawn. The axis is logarithmic and leaves out the fastest 0.1 % and the slowest 0.05 %.";

const TAILS =
  "The curve shows the slowest requests: at p99 one request in a hundred took longer, at p99.9 one in a thousand. Thick: all runs of a target together. Thin: each run. A curve that turns up early has a long tail; thin lines far apart are runs that differ. A curve ends where fewer than ten requests lie beyond it. A dotted part is a lower bound: requests that timed out, were unfinished or were never sent could raise it. Both axes are logarithmic.";
