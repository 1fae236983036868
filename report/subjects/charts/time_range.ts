/**
 * What a part of the runs of a cell says: requests per second and percentiles from their intervals, added up.
 * The page recomputes by this whatever somebody selects; it runs in the browser, so it imports nothing that
 * a browser lacks.
 */
import { withoutBounds } from "../../../runner/stats/histogram/censoring.ts";
import { sumOfSparse } from "../../../runner/stats/histogram/histogram.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { mean, sum } from "../../writing/spread.ts";
import { boundedPercentile, type Sample } from "../../figures/lower_bounds.ts";
import { formatNumber, timeUnitNamed } from "../../writing/units.ts";
import { type Axis, type BarsChart, compact, type TailsChart } from "./charts.ts";
import type { CellSteps, PackedStep } from "./packing.ts";

/** Seconds since the start of each run. */
export interface TimeRange {
  readonly fromS: number;
  readonly toS: number;
}

export interface RangePercentile {
  readonly ms: number;
  /** False when too few requests lie beyond it. */
  readonly isSupported: boolean;
  /** Whether requests of which is only known that they took longer could turn out to make it larger. */
  readonly isAtLeast: boolean;
}

export interface RangeFigures {
  /** Completed requests per second: the mean of the runs; null when no step lies in the range. */
  readonly ratePerSec: number | null;
  readonly completed: number;
  readonly failed: number;
  /** How many of the latencies are lower bounds. */
  readonly censored: number;
  /** In the order of the invocation; null without a request. */
  readonly percentiles: readonly (RangePercentile | null)[];
}

/** Steps count for the range when they lie in it, but for rounding. */
const ROUNDING_S = 1e-4;

/** The steps of a run that lie within the range; null is the whole run. */
export function stepsWithin(
  steps: readonly PackedStep[],
  range: TimeRange | null,
): readonly PackedStep[] {
  if (range === null) return steps;
  let endS = 0;
  return steps.filter(({ seconds }) => {
    endS += seconds;
    return endS - seconds > range.fromS - ROUNDING_S && endS < range.toS + ROUNDING_S;
  });
}

/** The steps of a cell, and the clock of their latencies. */
export interface TimedSteps {
  readonly clock: Sample["clock"];
  readonly runs: CellSteps;
}

/** @param percentiles 50–100. */
export function rangeFigures(
  { clock, runs }: TimedSteps,
  range: TimeRange | null,
  percentiles: readonly number[],
): RangeFigures {
  const within = runs.map((steps) => stepsWithin(steps, range)).filter(({ length }) => length > 0);
  const all = sumOfSparse(within.flat().map(({ latency }) => latency));
  const bounds = sumOfSparse(within.flat().map(({ bounds }) => bounds));
  const sample = { clock, all, bounds, ended: withoutBounds(all, bounds) };
  const rates = within.map((steps) =>
    sum(steps, ({ completed }) => completed) / sum(steps, ({ seconds }) => seconds)
  );
  return {
    ratePerSec: rates.length === 0 ? null : mean(rates),
    completed: sum(within.flat(), ({ completed }) => completed),
    failed: sum(within.flat(), ({ failed }) => failed),
    censored: bounds.count,
    percentiles: percentiles.map((p) => percentileOf(sample, p)),
  };
}

function percentileOf(sample: Sample, p: number): RangePercentile | null {
  const { count } = sample.all;
  if (count === 0) return null;
  const { value, isAtLeast } = boundedPercentile(sample, p);
  return { ms: value, isSupported: supportsPercentile(count, p), isAtLeast };
}

// The charts of a scenario for a part of its runs: the same bars and curves, of other figures.

const MOST_DECADES = 6;
const TAIL_STEPS_PER_DECADE = 12;

/** One request in so many: 1/(1 − p), from the median on in equal steps of a logarithmic axis. */
export const ODDS = [
  2,
  ...Array.from(
    { length: MOST_DECADES * TAIL_STEPS_PER_DECADE },
    (_, i) => 10 ** ((i + 1) / TAIL_STEPS_PER_DECADE),
  ).filter((odds) => odds > 2),
];

/** A cell by its name, with those of its runs that are looked at. */
export interface NamedSteps extends TimedSteps {
  readonly label: string;
  /** One for each of the runs. */
  readonly repetitions: readonly number[];
}

/** @param what Which part, for those who cannot see it. */
export function rangeBars(
  chart: BarsChart,
  cells: readonly NamedSteps[],
  { range, what }: { readonly range: TimeRange | null; readonly what: string },
): BarsChart {
  const bars = chart.bars.flatMap((bar) => {
    const cell = cells.find(({ label }) => label === bar.label);
    const rateOf = (runs: CellSteps): number | null =>
      cell ? rangeFigures({ ...cell, runs }, range, []).ratePerSec : null;
    const value = rateOf(cell?.runs ?? []);
    if (!cell || value === null) return [];
    const runs = cell.runs.flatMap((steps, i) => {
      const rate = rateOf([steps]);
      return rate === null ? [] : [{ repetition: cell.repetitions[i], value: rate }];
    });
    return [{ ...bar, value, runs, text: formatNumber(value) }];
  });
  const texts = bars.map(({ label, text }) => `${label} ${text}`);
  return { ...chart, alt: `Requests per second, ${what}: ${texts.join(", ")}`, bars };
}

/** On the axis of the whole runs, or a wider one. */
export function rangeTails(
  chart: TailsChart,
  cells: readonly NamedSteps[],
  { range, what }: { readonly range: TimeRange | null; readonly what: string },
): TailsChart {
  const { size } = timeUnitNamed(chart.axis.unit);
  const percentiles = ODDS.slice(0, chart.odds.length).map((odds) => 100 * (1 - 1 / odds));
  const curveOf = (cell: TimedSteps): (RangePercentile | null)[] => {
    const all = rangeFigures(cell, range, percentiles).percentiles;
    const end = all.findIndex((one) => one === null || !one.isSupported);
    return all.slice(0, end === -1 ? all.length : end);
  };
  const valuesOf = (curve: readonly (RangePercentile | null)[]): number[] =>
    curve.map((one) => compact((one?.ms ?? 0) / size));
  const series = chart.series.flatMap(({ label, color }) => {
    const cell = cells.find((one) => one.label === label);
    const curve = cell ? curveOf(cell) : [];
    if (!cell || curve.length === 0) return [];
    const boundsFrom = curve.findIndex((one) => one?.isAtLeast);
    return [{
      label,
      color,
      pooled: valuesOf(curve),
      ...(boundsFrom === -1 ? {} : { boundsFrom }),
      runs: cell.runs.length > 1
        ? cell.runs.map((steps) => valuesOf(curveOf({ ...cell, runs: [steps] })))
        : [],
    }];
  });
  const values = series.flatMap(({ pooled, runs }) => [pooled, ...runs].flat());
  const min = values.reduce((least, value) => Math.min(least, value), chart.axis.min);
  const max = values.reduce((most, value) => Math.max(most, value), chart.axis.max);
  const last = series.map(({ label, pooled }) => `${label} ${pooled.at(-1)} ${chart.axis.unit}`);
  return {
    ...chart,
    alt: `Latency that one in so many requests exceeds, ${what}; at the end ${last.join(", ")}`,
    axis: { ...chart.axis, min, max },
    series,
  };
}

// The latency axis of a figure of timelines; the page fits it anew to what somebody chooses to see.

/** Beyond this ratio of highest to lowest, a linear axis would press the low lines together. */
const LOG_FROM_RATIO = 12;

/** @param min Lowest and highest value, in the unit; 0 and less for none. */
export function latencyAxis(unit: string, min: number, max: number): Axis {
  if (!(max > 0)) return { unit, scale: "linear", min: 0, max: 1 };
  return min > 0 && max / min > LOG_FROM_RATIO
    ? { unit, scale: "log", min: compact(min * 0.9), max: compact(max * 1.1) }
    : { unit, scale: "linear", min: 0, max: compact(max * 1.05) };
}

/** From 0. */
export function linearAxis(unit: string, values: readonly number[]): Axis {
  const max = values.reduce((most, value) => Math.max(most, value), 0);
  return { unit, scale: "linear", min: 0, max: compact(max * 1.05) || 1 };
}
