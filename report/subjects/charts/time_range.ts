/**
 * Requests per second and percentiles for a part of a cell's runs, from the sum of their intervals. The page uses this
 * module to compute the table for a selected time range in the browser, so the module imports nothing that a browser
 * lacks.
 */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { mean, sum } from "../../writing/spread.ts";
import { boundedPercentile, type Sample, sampleOver } from "../../figures/lower_bounds.ts";
import type { CellSteps, PackedStep } from "./packing.ts";

/** Seconds since the start of each run. */
export interface TimeRange {
  readonly fromS: number;
  readonly toS: number;
}

export interface RangePercentile {
  readonly ms: number;
  /** False if too few requests lie beyond the percentile. */
  readonly isSupported: boolean;
  /** Whether the true percentile may be larger, because some latencies are only lower bounds. */
  readonly isAtLeast: boolean;
}

export interface RangeFigures {
  /** Completed requests per second: the mean over runs; null if no interval of any run lies in the range. */
  readonly ratePerSec: number | null;
  readonly completed: number;
  readonly failed: number;
  /** Number of latencies that are lower bounds. */
  readonly censored: number;
  /** In the order in which the percentiles were passed; null if no request lies in the range. */
  readonly percentiles: readonly (RangePercentile | null)[];
}

/** Tolerance for rounding when deciding whether a step lies within the range. */
const ROUNDING_S = 1e-4;

/** The steps (intervals) of a run that lie within the range, or all of them if the range is null. */
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

/** The steps of a cell, and whether their latencies count from the intended or the actual moment of sending. */
export interface TimedSteps {
  readonly clock: Sample["clock"];
  readonly runs: CellSteps;
}

/** The figures of a cell within a range of time. @param percentiles Between 50 and 100. */
export function rangeFigures(
  { clock, runs }: TimedSteps,
  range: TimeRange | null,
  percentiles: readonly number[],
): RangeFigures {
  const within = runs.map((steps) => stepsWithin(steps, range)).filter(({ length }) => length > 0);
  const sample = sampleOver(
    within.flat().map(({ latency, bounds }) => ({ clock, all: latency, bounds })),
  );
  const rates = within.map((steps) =>
    sum(steps, ({ completed }) => completed) / sum(steps, ({ seconds }) => seconds)
  );
  return {
    ratePerSec: rates.length === 0 ? null : mean(rates),
    completed: sum(within.flat(), ({ completed }) => completed),
    failed: sum(within.flat(), ({ failed }) => failed),
    censored: sample.bounds.count,
    percentiles: percentiles.map((p) => {
      const { count } = sample.all;
      if (count === 0) return null;
      const { value, isAtLeast } = boundedPercentile(sample, p);
      return { ms: value, isSupported: supportsPercentile(count, p), isAtLeast };
    }),
  };
}
