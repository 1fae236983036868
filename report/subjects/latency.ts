/** Distributions of a scenario's latencies: over time, overall, and among the slowest. */
import { type Block, figure, type Panel } from "../blocks.ts";
import { burstFindings } from "../findings/timeline_findings.ts";
import { axisOver, compact, legendOf, type Xy, type XySeries } from "../chart.ts";
import { allOrExtremes, densityFinding, densityOf } from "./charts/density.ts";
import type { ScenarioContext } from "./subject.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import type { CellRuns } from "../cells/cells.ts";
import type { Bounded } from "../figures/lower_bounds.ts";
import { percentileOf, type PooledLatency, poolLatency } from "../figures/pool.ts";
import { formatCount, formatMs, formatNumber, timeUnit } from "../writing/units.ts";

export function latency(scenario: ScenarioContext): Block[] {
  return [heatmaps(scenario), ...density(scenario), ...tails(scenario)];
}

function heatmaps({ cells }: ScenarioContext): Block {
  const panels = cells.map((of, cell): Panel => ({
    of,
    chart: { kind: "heatmap", alt: `Requests of ${of.label} by time and latency`, cell },
  }));
  return figure(panels, {
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

const HEATMAP =
  "Each column is an interval, each row a step of latency. The stronger the colour, the larger the share of the interval's requests that took so long. Two dark rows are two groups of requests, such as hits and misses of a cache; a tall column is a moment in which some waited. The row above the dotted line counts faster requests, too. A line above a cell marks lower bounds: requests that timed out, were unfinished or were never sent, and would have taken longer. Point at a cell, or use the arrow keys, to read it. The axis is logarithmic; all targets of the scenario share it.";

export const DENSITY =
  "The further left a curve, the faster the responses; the higher the curve, the more requests took about that long. A second hump, or a long tail to the right, is a group of slow requests. More than two curves are drawn one above the other, in the order of the tables. Move the red line, or set its number, to read the share of all requests within it; a ≥ before the share means that requests without a known end may lie within it, too. Only completed requests are drawn. The axis is logarithmic and leaves out the fastest 0.1 % and the slowest 0.05 %.";

const TAILS =
  "The curve shows the slowest requests: at p99 one request in a hundred took longer, at p99.9 one in a thousand. Thick: all runs of a target together. Thin: each run. A curve that turns up early has a long tail; thin lines far apart are runs that differ. A curve ends where fewer than ten requests lie beyond it. A dotted part is a lower bound: requests that timed out, were unfinished or were never sent could raise it. Both axes are logarithmic.";

// How slow the slowest requests are: the latency that one in N requests exceeds, over all runs of a
// cell and for each run. A curve ends where fewer than ten requests are slower.

const MOST_DECADES = 6;
const TAIL_STEPS_PER_DECADE = 12;

/**
 * The values of N in "one request in N exceeds", where N = 1/(1 − p). They begin at the median and continue in equal
 * steps of a logarithmic axis.
 */
const ODDS = [
  2,
  ...Array.from(
    { length: MOST_DECADES * TAIL_STEPS_PER_DECADE },
    (_, i) => 10 ** ((i + 1) / TAIL_STEPS_PER_DECADE),
  ).filter((odds) => odds > 2),
];

/** The tails of all cells as curves; empty if no cell has enough requests for a curve. */
function tails({ cells }: ScenarioContext): Block[] {
  const filled = cells.filter(({ latency }) => latency.count > 0);
  const unit = timeUnit(filled.map(({ latency }) => percentileOf(latency, 50)));
  const valuesOf = (latency: PooledLatency): Bounded[] =>
    ODDS.map((odds) => 100 * (1 - 1 / odds)).filter((p) => supportsPercentile(latency.count, p))
      .map((p) => latency.percentile(p));
  const series = filled.flatMap(({ label, color, latency, runs }): XySeries[] => {
    const curve = valuesOf(latency);
    if (curve.length < 2) return [];
    const lineOf = (of: readonly Bounded[]): XySeries => ({
      ...{ label, color, draw: "line" },
      values: of.map(({ value }) => compact(value / unit.size)),
    });
    const boundsFrom = curve.findIndex(({ isAtLeast }) => isAtLeast);
    const single = runs.length > 1 ? runs.map((run) => lineOf(valuesOf(poolLatency([run])))) : [];
    return [
      { ...lineOf(curve), ...boundsFrom >= 0 && { boundsFrom } },
      ...single.filter(({ values }) => values?.length).map((line) => ({
        ...line,
        isFaint: true as const,
      })),
    ];
  });
  if (series.length === 0) return [];
  const odds = ODDS.slice(0, Math.max(...series.map(({ values = [] }) => values.length)));
  const last = odds[odds.length - 1];
  const decades = Array.from({ length: MOST_DECADES }, (_, i) => 10 ** (i + 1))
    .filter((decade) => decade < last * 1.001);
  const chart: Xy = {
    kind: "xy",
    alt: `Latency that one in so many requests exceeds: ${
      series.filter(({ isFaint }) => !isFaint).map(({ label }) => label).join("; ")
    }`,
    size: "medium",
    // Ticks are the median, p90, p99, p99.9 and so on.
    x: {
      ...{ unit: "", scale: "log", min: odds[0], max: compact(last) },
      ticks: [2, ...decades].map((at) => ({ at, text: `p${percentText(at)}` })),
    },
    at: odds.map(compact),
    places: odds.map((odd) => `p${percentText(odd)}: one in ${formatNumber(odd)} takes longer`),
    y: axisOver(unit.name, series.flatMap(({ values = [] }) => values), { logFrom: 1, room: 1.1 }),
    series,
  };
  return [figure([{ chart }], {
    id: "tails",
    legend: legendOf(chart),
    findings: [{ code: "rare", text: tailsFinding(cells) }],
    reading: TAILS,
    forms: ["page"],
  })];
}

/** The percentile that one request in `odds` exceeds, with as many decimals as it takes to distinguish it from 100. */
function percentText(odds: number): string {
  const decimals = Math.max(0, Math.ceil(Math.log10(odds)) - 1);
  return String(Number((100 * (1 - 1 / odds)).toFixed(decimals)));
}

/**
 * The latency that one request in 10,000, 1,000 or 100 exceeds, whichever is the rarest that all cells have enough
 * requests to show.
 */
function tailsFinding(cells: readonly CellRuns[]): string {
  const filled = cells.filter(({ latency }) => latency.count > 0);
  const odds = [10_000, 1_000, 100].find((odds) =>
    filled.every(({ latency }) => supportsPercentile(latency.count, 100 - 100 / odds))
  );
  if (odds === undefined || filled.length === 0) return "";
  const times = filled
    .map(({ label, latency }) => ({ label, ...latency.percentile(100 - 100 / odds) }));
  const texts = allOrExtremes(times, ({ value }) => value).map(({ label, value, isAtLeast }) =>
    `${formatMs(value)}${isAtLeast ? " or more" : ""} (${label})`
  );
  return `One request in ${formatCount(odds)} took longer than ${texts.join(", ")}.`;
}
