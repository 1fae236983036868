/** Values with their intervals over the runs of a cell: pooled figures of several runs, and ratios of such figures. */
import type { Distribution, Measurement, Run } from "../../runner/result/result.ts";
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { intervalOf } from "../../runner/stats/confidence/confidence_interval.ts";
import type { PooledFigure } from "../../runner/stats/confidence/pool.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { lowerMedian, sum } from "../writing/spread.ts";

/** A run, or a single measurement, which lacks the information about the target's process. */
export type JudgedRun =
  & Measurement
  & Partial<Pick<Run, "startUp" | "resources" | "parts" | "repetition" | "capacity" | "slices">>;

export type DrawnFigure = PooledFigure | "cpuPerRequest";

/**
 * The estimates of a cell's figures: rates per second, times in µs. Null or absent if the runs do not have the figure.
 */
export type Estimates = Pick<ReadonlyMap<DrawnFigure, Estimate | null>, "get">;

/** What thresholds apply to: the runs of a cell, or a single measurement. */
export interface JudgedCell {
  /** "" for a single measurement. */
  readonly scenario: string;
  /** The target and the parameters that vary, as all tables and charts label the cell. */
  readonly label: string;
  readonly runs: readonly JudgedRun[];
  readonly estimates: Estimates;
  /**
   * Nominal level of intervals, 0–1. Above 0.95 if the experiment checked its results repeatedly to decide when to
   * stop, so that intervals can still be called 95 %: see `sequential.ts`.
   */
  readonly level: number;
  /**
   * Repetitions of the runs that count whole because they have no steady part, while other runs count only by their
   * steady part; absent if there are none.
   */
  readonly wholeRuns?: readonly number[];
}

export interface Ends {
  readonly low: number;
  readonly high: number;
  /** Degrees of freedom of the standard error; absent if the error has several components. */
  readonly degreesOfFreedom?: number;
}

export interface Range {
  readonly value: number;
  /** Null if the value only describes these runs, or if there are too few runs. */
  readonly interval: Ends | null;
}

/** The mean over runs, with an interval by Student's t; no interval for a single value. */
export function meanRange(values: readonly number[], { level }: Pick<JudgedCell, "level">): Range {
  const mean = sum(values, (value) => value) / values.length;
  const degreesOfFreedom = values.length - 1;
  if (degreesOfFreedom === 0) return { value: mean, interval: null };
  const squares = sum(values, (value) => (value - mean) ** 2);
  const standardError = Math.sqrt(squares / degreesOfFreedom / values.length);
  const reach = tQuantile(level, degreesOfFreedom) * standardError;
  return { value: mean, interval: { low: mean - reach, high: mean + reach, degreesOfFreedom } };
}

/**
 * Range of a percentile for which no histograms are kept. The value is the median of the runs' values, or the lower one
 * of the two in the middle. The ends of the interval are the values of two runs, which enclose the median over all
 * possible runs at this level, whatever the distribution (W. J. Conover, "Practical Nonparametric Statistics", 1999,
 * §3.2). Five runs are too few for a level of 95 %, because even the lowest and the highest of five runs enclose that
 * median at only 94 %.
 */
export function runsRange(values: readonly number[], { level }: Pick<JudgedCell, "level">): Range {
  const sorted = values.toSorted((a, b) => a - b);
  const beyond = runsBeyond(values.length, level);
  const interval = beyond === null
    ? null
    : { low: sorted[beyond], high: sorted[sorted.length - 1 - beyond] };
  return { value: lowerMedian(values), interval };
}

/** How many runs may lie outside the interval on each side; null if there are too few runs for this level. */
function runsBeyond(runs: number, level: number): number | null {
  let outside = 0;
  let chance = 0.5 ** runs;
  for (let below = 0;; below++) {
    outside += 2 * chance;
    if (outside > 1 - level) return below === 0 ? null : below - 1;
    chance *= (runs - below) / (below + 1);
  }
}

/** Times of a run, with their histogram if the results have one. */
export interface KeptTimes {
  readonly times: Distribution;
  readonly histogram: string | undefined;
}

/**
 * Range of times that the timeline does not contain (service, first byte, connecting), from the sum of the histograms
 * of all runs. Percentiles are never averaged, because their mean may be a value that never occurred: if ten runs
 * connect in 1 ms and one in 41 ms, the mean of their p50 is 4.6 ms. Null if the histogram of a run is missing, as in
 * older files.
 */
export function histogramRange(
  figure: "mean" | number,
  runs: readonly KeptTimes[],
  { values, level }: { readonly values: readonly number[]; readonly level: number },
): Range | null {
  if (values.length === 1) return { value: values[0], interval: null };
  const filled = runs.filter(({ times }) => times.count > 0);
  const histograms = filled.flatMap(({ histogram }) => histogram ?? []);
  if (histograms.length < filled.length || filled.length === 0) return null;
  // Each block is a whole run. The rate is not needed, so it is left at 0.
  const blocks = histograms.map((histogram) => [
    { seconds: 0, completed: 0, latency: decodeSparse(histogram) },
  ]);
  const [estimate] = bootstrap(blocks, { figures: [figure] });
  return estimatedRange(figure, { estimates: new Map([[figure, estimate]]), level });
}

/** The range of a cell's estimate, per second for the rate and in ms for times; null if there is none. */
export function estimatedRange(
  figure: PooledFigure,
  { estimates, level }: Pick<JudgedCell, "estimates" | "level">,
): Range | null {
  const estimate = estimates.get(figure);
  const interval = estimate ? intervalOf(estimate, level) : null;
  if (interval === null) return null;
  const size = figure === "rate" ? 1 : 1_000;
  const { value, low, high, degreesOfFreedom } = interval;
  return {
    value: value / size,
    interval: { low: low / size, high: high / size, degreesOfFreedom },
  };
}

/**
 * The ratio of two independent figures. If one of them is 0, the ratio is 0 or ∞; if both are, it is null. Otherwise
 * the interval is computed on the logarithmic scale, where the distances from the value to the ends add up as squares
 * (G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures", Statistics in Medicine 27,
 * 2008).
 */
export function quotientOf(of: Range, to: Range): Range | null {
  if (!(of.value > 0 || to.value > 0)) return null;
  const value = of.value / to.value;
  if (of.interval === null || to.interval === null) return { value, interval: null };
  if (!(of.value > 0 && to.value > 0)) {
    const [ofLow, ofHigh] = [Math.max(0, of.interval.low), of.interval.high];
    const { low: toLow, high: toHigh } = to.interval;
    const low = ofLow === 0 ? 0 : toHigh <= 0 ? Infinity : ofLow / toHigh;
    return { value, interval: { low, high: toLow <= 0 ? Infinity : ofHigh / toLow } };
  }
  const low = value * Math.exp(-Math.hypot(logBelow(of), logAbove(to)));
  const high = value * Math.exp(Math.hypot(logAbove(of), logBelow(to)));
  return { value, interval: { low, high } };
}

function logBelow({ value, interval }: Range): number {
  const low = interval?.low ?? value;
  return low > 0 ? Math.log(value / low) : Infinity;
}

function logAbove({ value, interval }: Range): number {
  return Math.log((interval?.high ?? value) / value);
}
