/** Distributions of latencies as curves: the share of the requests in each bucket of a logarithmic axis. */
import { sum } from "../../writing/spread.ts";
import { formatMs, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { percentileOf, type PooledLatency } from "../../figures/pool.ts";
import { axisOver, type Color, compact, type Xy, type XySeries } from "../../chart.ts";
import { sharesBetween } from "../tables/histogram.ts";
import type { Histogram } from "../../../runner/stats/histogram/histogram.ts";

const STEPS_PER_DECADE = 24;

/**
 * The percentiles at which the axis begins and ends. If it also covered the few values outside, they would squeeze all
 * others together.
 */
const SHOWN = { from: 0.1, to: 99.95 };

/** The times that a curve is drawn from, with the label and the colour of the curve. */
interface Distributed {
  readonly label: string;
  readonly color: Color;
  readonly latency: DrawnTimes;
}

export type DrawnTimes = Pick<
  PooledLatency,
  "count" | "censored" | "percentile" | "endedCount" | "ended"
>;

const REQUESTS = { what: "requests by latency", limit: "Requests within" };

/**
 * Distributions of the latencies of completed requests, or of other times, as a curve for each cell; null if no cell
 * has any.
 * @param what What is counted, in the plural, such as `requests by latency`.
 */
export function densityOf(
  cells: readonly Distributed[],
  { what, limit }: typeof REQUESTS = REQUESTS,
): Xy | null {
  const medianMs = ({ latency }: Distributed): number => latency.percentile(50).value;
  const filled = cells.filter(({ latency }) => latency.endedCount > 0);
  if (filled.length === 0) return null;
  const unit = timeUnit(filled.map(medianMs));
  const edgesUs = decadeEdgesUs(
    Math.min(...filled.map(({ latency }) => lowestUs(latency.ended))),
    Math.max(...filled.map(({ latency }) => latency.ended.valueAtPercentile(SHOWN.to))),
  );
  const at = edgesUs.map((us) => compact(us / 1_000 / unit.size));
  const series = filled.map(({ label, color, latency }): XySeries => ({
    ...{ label, color, draw: "steps" },
    ...spreadOver(latency, edgesUs),
  }));
  return {
    kind: "xy",
    alt: `Share of ${what}: ${filled.map(({ label }) => label).join("; ")}`,
    size: filled.length > 2 ? "large" : "medium",
    x: { unit: unit.name, scale: "log", min: at[0], max: at[at.length - 1] },
    y: axisOver("%", series.flatMap(({ values = [] }) => values)),
    at,
    ridges: true,
    limit: { axis: "x", label: limit },
    series,
  };
}

/**
 * The lowest time that is drawn. It must be above 0, because a logarithmic axis can't show 0, the gap between messages
 * that arrive together.
 */
function lowestUs(ended: Histogram): number {
  const lowUs = ended.valueAtPercentile(SHOWN.from);
  if (lowUs > 0) return lowUs;
  let leastUs = Infinity;
  ended.forEachBucket((fromUs) => leastUs = fromUs > 0 ? Math.min(leastUs, fromUs) : leastUs);
  return Math.min(leastUs, ended.maxUs);
}

/** Decimals of the percentage of requests within a limit: one more than the page shows. */
const WITHIN_DECIMALS = 3;

/** The share of completed requests between each edge and the next, and the share of all requests below each edge. */
function spreadOver(
  latency: DrawnTimes,
  edgesUs: readonly number[],
): Pick<XySeries, "values" | "within" | "boundsFrom"> {
  const { ended, count } = latency;
  const shares = sharesBetween(ended, edgesUs);
  const [below] = sharesBetween(ended, [-0.5, edgesUs[0]]);
  let all = 0;
  const within = [below, ...shares].map((share) => (all += share) * ended.count / count);
  // Index of the first edge for which `within` is only a lower bound; -1 if there is none. This is
  // the case if the latency of the request that ranks next, after those known to be below the edge,
  // is itself only a lower bound and is not above the edge.
  const boundsFrom = latency.censored === 0 ? -1 : edgesUs.findIndex((edgeUs, i) => {
    const { value, isAtLeast } = latency.percentile(Math.min(100, 100 * (within[i] + 1 / count)));
    return isAtLeast && value * 1_000 <= edgeUs;
  });
  return {
    values: shares.map((share) => compact(share * 100)),
    within: within.map((share) => Number((share * 100).toFixed(WITHIN_DECIMALS))),
    ...boundsFrom >= 0 && { boundsFrom },
  };
}

/**
 * Edges that enclose `lowUs` … `highUs`. All are on one fixed grid of `STEPS_PER_DECADE` steps per decade, so that they
 * are the same in every chart.
 */
function decadeEdgesUs(lowUs: number, highUs: number): number[] {
  const first = Math.floor(Math.log10(Math.max(1, lowUs)) * STEPS_PER_DECADE);
  const last = Math.floor(Math.log10(highUs + 1) * STEPS_PER_DECADE) + 1;
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** ((first + i) / STEPS_PER_DECADE));
}

export function densityFinding(cells: readonly CellRuns[]): string {
  const filled = cells.filter(({ latency }) => latency.count > 0);
  const left = sum(filled, ({ latency: { count, ended } }) => count - ended.count);
  const [past, present] = left === 1 ? ["was", "is"] : ["were", "are"];
  const undrawn = `${
    counted(left, "request")
  } that timed out, ${past} unfinished or never sent ${present} not drawn.`;
  const named = allOrExtremes(filled, ({ latency }) => percentileOf(latency, 50));
  return [...named.map(halfText), ...left === 0 ? [] : [undrawn]].join(" ");
}

function halfText({ label, latency }: CellRuns): string {
  const half = `Half of the requests to ${label} took ${formatMs(percentileOf(latency, 50))} or`;
  if (latency.isAtLeast(50)) return `${half} longer.`;
  const { value, isAtLeast } = latency.percentile(99);
  const rare = isAtLeast ? `${formatMs(value)} or longer` : `more than ${formatMs(value)}`;
  return `${half} less, and one in a hundred ${rare}.`;
}

/** All items in their order if there are at most three, otherwise those with the lowest and the highest value. */
export function allOrExtremes<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => number,
): readonly Item[] {
  if (items.length <= 3) return items;
  const sorted = items.toSorted((a, b) => valueOf(a) - valueOf(b));
  return [sorted[0], sorted[sorted.length - 1]];
}
