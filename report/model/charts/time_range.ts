/**
 * What a part of the runs of a cell says: requests per second and percentiles from their intervals, added up.
 * The page recomputes by this whatever somebody selects; it runs in the browser, so it imports nothing that
 * a browser lacks.
 */
import { withoutBounds } from "../../../runner/stats/histogram/censoring.ts";
import { sumOfSparse } from "../../../runner/stats/histogram/histogram.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { mean, sum } from "../numbers/spread.ts";
import { boundedPercentile, type Sample } from "../runs/lower_bounds.ts";
import { type Axis, compact } from "./charts.ts";
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
