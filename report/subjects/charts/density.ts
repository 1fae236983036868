/** How latencies are distributed: shares of the requests in steps of equal ratio. */
import type { Histogram } from "../../../runner/stats/histogram/histogram.ts";
import { sum } from "../../writing/spread.ts";
import { type DisplayUnit, formatMs, formatNumber, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { percentileOf, type PooledLatency, poolLatency } from "../../figures/pool.ts";
import { compact, type Xy, type XySeries } from "../../chart.ts";
import { ODDS } from "./time_range.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";

const STEPS_PER_DECADE = 24;

/** Percentiles between which the axis lies; the few beyond would press all others together. */
const SHOWN = { from: 0.1, to: 99.95 };

/** More are hard to distinguish in one frame. */
const MOST_RIDGES = 6;

/** Of the completed requests; null when no cell has one. */
export function densityOf(cells: readonly CellRuns[]): Xy | null {
  const filled = cells.filter(({ latency }) => latency.endedCount > 0)
    .toSorted((a, b) => percentileOf(a.latency, 50) - percentileOf(b.latency, 50));
  if (filled.length === 0) return null;
  const unit = timeUnit(filled.map(({ latency }) => percentileOf(latency, 50)));
  const edgesUs = decadeEdgesUs(
    Math.min(...filled.map(({ latency }) => latency.ended.valueAtPercentile(SHOWN.from))),
    Math.max(...filled.map(({ latency }) => latency.ended.valueAtPercentile(SHOWN.to))),
  );
  const at = edgesUs.map((us) => compact(us / 1_000 / unit.size));
  const series = filled.map(({ label, color, latency }): XySeries => ({
    ...{ label, color, draw: "steps" },
    ...spreadOver(latency, edgesUs),
  }));
  const most = Math.max(...series.flatMap(({ values = [] }) => values.map((share) => share ?? 0)));
  return {
    kind: "xy",
    alt: `Share of requests by latency: ${filled.map(({ label }) => label).join("; ")}`,
    size: filled.length > 2 ? "large" : "medium",
    x: { unit: unit.name, scale: "log", min: at[0], max: at[at.length - 1] },
    y: { unit: "%", scale: "linear", min: 0, max: compact(most * 1.05) },
    at,
    mostRidges: MOST_RIDGES,
    limit: { axis: "x", label: "Requests within" },
    series,
  };
}

/** Shares of the completed requests, and how many of all requests lie below each edge. */
function spreadOver(
  latency: PooledLatency,
  edgesUs: readonly number[],
): Pick<XySeries, "values" | "within" | "boundsFrom"> {
  const { ended, count } = latency;
  const shares = sharesBetween(ended, edgesUs);
  const [below] = sharesBetween(ended, [0.5, edgesUs[0]]);
  let sum = 0;
  const within = [below, ...shares].map((share) => (sum += share) * ended.count / count);
  return {
    values: shares.map((share) => compact(share * 100)),
    within: within.map((share) => Number((share * 100).toFixed(WITHIN_DECIMALS))),
    ...latency.censored > 0 && unknownFrom(latency, within, edgesUs),
  };
}

/** A limit reads one more than it shows. */
const WITHIN_DECIMALS = 3;

/** The first edge below which some lower bound lies, too: of one request more than are known to, its latency is one. */
function unknownFrom(
  latency: PooledLatency,
  within: readonly number[],
  edgesUs: readonly number[],
): Pick<XySeries, "boundsFrom"> {
  const { count } = latency;
  const boundsFrom = edgesUs.findIndex((edgeUs, i) => {
    const { value, isAtLeast } = latency.percentile(Math.min(100, 100 * (within[i] + 1 / count)));
    return isAtLeast && value * 1_000 <= edgeUs;
  });
  return boundsFrom < 0 ? {} : { boundsFrom };
}

/** Edges at whole steps of the axis, so that every figure has the same, around `lowUs` … `highUs`. */
function decadeEdgesUs(lowUs: number, highUs: number): number[] {
  const first = Math.floor(Math.log10(Math.max(1, lowUs)) * STEPS_PER_DECADE);
  const last = Math.floor(Math.log10(highUs + 1) * STEPS_PER_DECADE) + 1;
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** ((first + i) / STEPS_PER_DECADE));
}

/** `steps` + 1 edges of equal ratio from `lowUs` to the end of the bucket that ends with `highUs`. */
export function equalRatioEdgesUs(lowUs: number, highUs: number, steps: number): number[] {
  const from = Math.max(1, lowUs);
  const ratio = (highUs + 0.5) / from;
  return Array.from({ length: steps + 1 }, (_, i) => from * ratio ** (i / steps));
}

/**
 * Share of all values between each two edges. A bucket of whole microseconds [low, high] covers
 * low − ½ … high + ½; one that lies across an edge is split by width, or short times would show a comb.
 */
export function sharesBetween(histogram: Histogram, edgesUs: readonly number[]): number[] {
  const shares = new Float64Array(edgesUs.length - 1);
  let first = 0;
  histogram.forEachBucket((lowUs, highUs, count) => {
    const from = lowUs - 0.5;
    const to = highUs + 0.5;
    while (first < shares.length && edgesUs[first + 1] <= from) first++;
    for (let step = first; step < shares.length && edgesUs[step] < to; step++) {
      const overlapUs = Math.min(to, edgesUs[step + 1]) - Math.max(from, edgesUs[step]);
      shares[step] += count * overlapUs / (to - from);
    }
  });
  return Array.from(shares, (share) => histogram.count === 0 ? 0 : share / histogram.count);
}

export function densityFinding(cells: readonly CellRuns[]): string {
  const filled = cells
    .filter(({ latency }) => latency.count > 0)
    .sort((a, b) => percentileOf(a.latency, 50) - percentileOf(b.latency, 50));
  const shown = filled.length <= 3 ? filled : [filled[0], filled[filled.length - 1]];
  return [...shown.map(halfText), notDrawnText(filled.map(({ latency }) => latency))]
    .filter(Boolean).join(" ");
}

function halfText({ label, latency }: CellRuns): string {
  const half = `Half of the requests to ${label} took ${formatMs(percentileOf(latency, 50))} or`;
  if (latency.isAtLeast(50)) return `${half} longer.`;
  const p99 = latency.percentile(99);
  return p99.isAtLeast
    ? `${half} less, and one in a hundred ${formatMs(p99.value)} or longer.`
    : `${half} less, and one in a hundred more than ${formatMs(p99.value)}.`;
}

/** What a histogram of the completed requests leaves out; "" for nothing. */
function notDrawnText(latencies: readonly PooledLatency[]): string {
  const left = leftOut(latencies);
  if (left === 0) return "";
  const [past, present] = left === 1 ? ["was", "is"] : ["were", "are"];
  return `${
    counted(left, "request")
  } that timed out, ${past} unfinished or never sent ${present} not drawn.`;
}

function leftOut(latencies: readonly PooledLatency[]): number {
  return sum(latencies, ({ count, ended }) => count - ended.count);
}

// How slow the slowest requests are: the latency that one in so many requests exceeds, of all runs of a cell
// and of each. A curve ends where fewer than ten requests lie beyond it.

/** Null when no cell has enough requests for a curve. */
export function tailsOf(cells: readonly CellRuns[]): Xy | null {
  const filled = cells.filter(({ latency }) => percentilesOf(latency).length > 1);
  if (filled.length === 0) return null;
  const unit = timeUnit(filled.map(({ latency }) => percentileOf(latency, 50)));
  const series = filled.flatMap(({ label, color, latency, runs }): XySeries[] => {
    const line = { label, color, draw: "line" } as const;
    return [
      { ...line, values: curveOf(latency, unit), ...boundsOf(latency) },
      ...(runs.length > 1 ? runs : []).map((run): XySeries => ({
        ...line,
        isFaint: true,
        values: curveOf(poolLatency([run]), unit),
      })),
    ];
  });
  const values = series.flatMap(({ values = [] }) => values).flatMap((value) =>
    value !== null && value > 0 ? [value] : []
  );
  const length = Math.max(...series.map(({ values = [] }) => values.length));
  return {
    kind: "xy",
    alt: `Latency that one in so many requests exceeds: ${
      filled.map(({ label }) => label).join("; ")
    }`,
    size: "medium",
    ...tailPlaces(length),
    y: {
      unit: unit.name,
      scale: "log",
      min: compact(Math.min(...values) * 0.9),
      max: compact(Math.max(...values) * 1.1),
    },
    series,
  };
}

/** Percentiles, each tick ten times as rare as the one before. */
function tailPlaces(length: number): Pick<Xy, "x" | "at" | "places"> {
  const odds = ODDS.slice(0, length);
  const last = odds[odds.length - 1];
  const decades = Array.from(
    { length: Math.floor(Math.log10(last) + 1e-6) },
    (_, i) => 10 ** (i + 1),
  );
  return {
    x: {
      ...{ unit: "", scale: "log", min: odds[0], max: compact(last) },
      ticks: [2, ...decades].map((at) => ({ at, text: `p${percentText(at)}` })),
    },
    at: odds.map(compact),
    places: odds.map((odd) => `p${percentText(odd)}: one in ${formatNumber(odd)} takes longer`),
  };
}

/** With as many decimals as show the share that lies beyond it. */
function percentText(odds: number): string {
  return String(
    Number((100 * (1 - 1 / odds)).toFixed(Math.max(0, Math.ceil(Math.log10(odds)) - 1))),
  );
}

/** One value for each of ODDS, as far as the requests support them. */
function curveOf(latency: PooledLatency, unit: DisplayUnit): number[] {
  return percentilesOf(latency).map((p) => compact(latency.percentile(p).value / unit.size));
}

function percentilesOf({ count }: PooledLatency): number[] {
  return ODDS.map((odds) => 100 * (1 - 1 / odds)).filter((p) => supportsPercentile(count, p));
}

/** From which of ODDS on the curve is of lower bounds; nothing without such. */
function boundsOf(latency: PooledLatency): { readonly boundsFrom?: number } {
  if (latency.censored === 0) return {};
  const boundsFrom = percentilesOf(latency).findIndex((p) => latency.isAtLeast(p));
  return boundsFrom < 0 ? {} : { boundsFrom };
}

/** From the rarest down. */
const RARE_REQUESTS = [
  { percentile: 99.99, requests: "10,000" },
  { percentile: 99.9, requests: "1,000" },
  { percentile: 99, requests: "100" },
] as const;

/** The rarest slow request for which every cell has enough requests. */
export function tailsFinding(cells: readonly CellRuns[]): string {
  const filled = cells.filter(({ latency }) => latency.count > 0);
  const rarest = RARE_REQUESTS.find(({ percentile }) =>
    filled.every(({ latency }) => supportsPercentile(latency.count, percentile))
  );
  if (rarest === undefined || filled.length === 0) return "";
  const times = filled
    .map(({ label, latency }) => ({ label, ...latency.percentile(rarest.percentile) }))
    .sort((a, b) => a.value - b.value);
  const named = times.length <= 3 ? times : [times[0], times[times.length - 1]];
  const texts = named.map(({ label, value, isAtLeast }) =>
    `${formatMs(value)}${isAtLeast ? " or more" : ""} (${label})`
  );
  return `One request in ${rarest.requests} took longer than ${texts.join(", ")}.`;
}
