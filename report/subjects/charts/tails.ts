/**
 * How slow the slowest requests are: the latency that one in so many requests exceeds, over all runs of a cell and for
 * each run. A curve ends where fewer than ten requests lie beyond.
 */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { axisOver, compact, type Xy, type XySeries } from "../../chart.ts";
import type { Bounded } from "../../figures/lower_bounds.ts";
import { percentileOf, type PooledLatency, poolLatency } from "../../figures/pool.ts";
import { formatCount, formatMs, formatNumber, timeUnit } from "../../writing/units.ts";
import { firstAndLast } from "./density.ts";

const MOST_DECADES = 6;
const TAIL_STEPS_PER_DECADE = 12;

/** The values of N in "one request in N", 1/(1 − p): from the median on, in equal steps of a logarithmic axis. */
const ODDS = [
  2,
  ...Array.from(
    { length: MOST_DECADES * TAIL_STEPS_PER_DECADE },
    (_, i) => 10 ** ((i + 1) / TAIL_STEPS_PER_DECADE),
  ).filter((odds) => odds > 2),
];

/** The tails of all cells as curves; null if no cell has enough requests for one. */
export function tailsOf(cells: readonly CellRuns[]): Xy | null {
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
  if (series.length === 0) return null;
  const odds = ODDS.slice(0, Math.max(...series.map(({ values = [] }) => values.length)));
  const last = odds[odds.length - 1];
  const decades = Array.from({ length: MOST_DECADES }, (_, i) => 10 ** (i + 1))
    .filter((decade) => decade < last * 1.001);
  return {
    kind: "xy",
    alt: `Latency that one in so many requests exceeds: ${
      series.filter(({ isFaint }) => !isFaint).map(({ label }) => label).join("; ")
    }`,
    size: "medium",
    // Percentiles, each tick ten times as rare as the previous one.
    x: {
      ...{ unit: "", scale: "log", min: odds[0], max: compact(last) },
      ticks: [2, ...decades].map((at) => ({ at, text: `p${percentText(at)}` })),
    },
    at: odds.map(compact),
    places: odds.map((odd) => `p${percentText(odd)}: one in ${formatNumber(odd)} takes longer`),
    y: axisOver(unit.name, series.flatMap(({ values = [] }) => values), { logFrom: 1, room: 1.1 }),
    series,
  };
}

/** A percentage with as many decimals as the share beyond it needs. */
function percentText(odds: number): string {
  const decimals = Math.max(0, Math.ceil(Math.log10(odds)) - 1);
  return String(Number((100 * (1 - 1 / odds)).toFixed(decimals)));
}

/** The rarest slow request for which every cell has enough requests. */
export function tailsFinding(cells: readonly CellRuns[]): string {
  const filled = cells.filter(({ latency }) => latency.count > 0);
  const odds = [10_000, 1_000, 100].find((odds) =>
    filled.every(({ latency }) => supportsPercentile(latency.count, 100 - 100 / odds))
  );
  if (odds === undefined || filled.length === 0) return "";
  const times = filled
    .map(({ label, latency }) => ({ label, ...latency.percentile(100 - 100 / odds) }))
    .sort((a, b) => a.value - b.value);
  const texts = firstAndLast(times).map(({ label, value, isAtLeast }) =>
    `${formatMs(value)}${isAtLeast ? " or more" : ""} (${label})`
  );
  return `One request in ${formatCount(odds)} took longer than ${texts.join(", ")}.`;
}
