/**
 * How slow the slowest requests are: the latency that one in so many requests exceeds, of all runs of a cell
 * and of each. A curve ends where fewer than ten requests lie beyond it.
 */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { formatMs, timeUnit, type Unit } from "../numbers/units.ts";
import type { Cell } from "../runs/cells.ts";
import { percentileOf, type PooledLatency, poolLatency } from "../runs/pool.ts";
import { compact, type TailsChart } from "./charts.ts";

const STEPS_PER_DECADE = 12;
const MOST_DECADES = 6;

/** One request in so many: 1/(1 − p), from the median on in equal steps of a logarithmic axis. */
const ODDS = [
  2,
  ...Array.from(
    { length: MOST_DECADES * STEPS_PER_DECADE },
    (_, i) => 10 ** ((i + 1) / STEPS_PER_DECADE),
  ).filter((odds) => odds > 2),
];

/** Null when no cell has enough requests for a curve. */
export function tailsOf(cells: readonly Cell[]): TailsChart | null {
  const filled = cells.filter(({ latency }) => percentilesOf(latency).length > 1);
  if (filled.length === 0) return null;
  const unit = timeUnit(filled.map(({ latency }) => percentileOf(latency, 50)));
  const series = filled.map(({ label, color, latency, runs }) => ({
    label,
    color,
    pooled: curveOf(latency, unit),
    ...boundsOf(latency),
    runs: runs.length > 1 ? runs.map((run) => curveOf(poolLatency([run]), unit)) : [],
  }));
  const values = series.flatMap(({ pooled, runs }) => [pooled, ...runs].flat()).filter((v) =>
    v > 0
  );
  const longest = Math.max(...series.map(({ pooled }) => pooled.length));
  return {
    kind: "tails",
    alt: `Latency that one in so many requests exceeds: ${
      filled.map(({ label }) => label).join("; ")
    }`,
    axis: {
      unit: unit.name,
      scale: "log",
      min: compact(Math.min(...values) * 0.9),
      max: compact(Math.max(...values) * 1.1),
    },
    odds: ODDS.slice(0, longest).map(compact),
    series,
  };
}

/** One value for each of ODDS, as far as the requests support them. */
function curveOf(latency: PooledLatency, unit: Unit): number[] {
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
const TOLD = [
  { percentile: 99.99, requests: "10,000" },
  { percentile: 99.9, requests: "1,000" },
  { percentile: 99, requests: "100" },
] as const;

/** The rarest slow request that every cell has enough requests to tell of. */
export function tailsFinding(cells: readonly Cell[]): string {
  const filled = cells.filter(({ latency }) => latency.count > 0);
  const told = TOLD.find(({ percentile }) =>
    filled.every(({ latency }) => supportsPercentile(latency.count, percentile))
  );
  if (told === undefined || filled.length === 0) return "";
  const times = filled
    .map(({ label, latency }) => ({ label, ...latency.percentile(told.percentile) }))
    .sort((a, b) => a.value - b.value);
  const named = times.length <= 3 ? times : [times[0], times[times.length - 1]];
  const texts = named.map(({ label, value, isAtLeast }) =>
    `${formatMs(value)}${isAtLeast ? " or more" : ""} (${label})`
  );
  return `One request in ${told.requests} took longer than ${texts.join(", ")}.`;
}
