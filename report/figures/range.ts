/** A value with its interval over the runs of a cell: the pooled figures of several runs, and their ratios. */
import type { Distribution, Measurement, Run } from "../../runner/result/result.ts";
import { bootstrap, type Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { intervalOf } from "../../runner/stats/confidence/confidence_interval.ts";
import type { PooledFigure } from "../../runner/stats/confidence/pool.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { lowerMedian, sum } from "../writing/spread.ts";

/** A run, or a single measurement, which has no information about its target's process. */
export type JudgedRun =
  & Measurement
  & Partial<Pick<Run, "startUp" | "resources" | "parts" | "repetition" | "capacity" | "slices">>;

export type DrawnFigure = PooledFigure | "cpuPerRequest";

/** The estimates of a cell's runs: rates per second, times in µs; null or absent if the runs have no such figure. */
export type Estimates = Pick<ReadonlyMap<DrawnFigure, Estimate | null>, "get">;

/** The subject of thresholds: the runs of a cell, or a single measurement. */
export interface JudgedCell {
  /** "" for a single measurement. */
  readonly scenario: string;
  /** Target and varying parameters, as every table and chart labels the cell. */
  readonly label: string;
  readonly runs: readonly JudgedRun[];
  readonly estimates: Estimates;
  /** Level at which intervals are computed, so that they may be called 95 %: see `sequential.ts`. */
  readonly level: number;
  /** Repetitions whose run counts as a whole, because only the other runs have a steady part; absent: none. */
  readonly wholeRuns?: readonly number[];
}

export interface Ends {
  readonly low: number;
  readonly high: number;
  /** Degrees of freedom of the error behind the range; absent if it has several parts. */
  readonly degreesOfFreedom?: number;
}

export interface Range {
  readonly value: number;
  /** Null if the value only describes these runs. */
  readonly interval: Ends | null;
}

/** Range of the mean over runs, by Student's t; without an interval for a single value. */
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
 * Range of a percentile whose histograms are not kept. The value is that of the middle run (the lower of two), and the
 * ends are the values of two runs that enclose the median of all possible runs at this level, whatever their
 * distribution (W. J. Conover, "Practical Nonparametric Statistics", 1999, §3.2). Five runs are too few for 95 %: even
 * the lowest and the highest of five enclose that median at 94 % only.
 */
export function runsRange(values: readonly number[], { level }: Pick<JudgedCell, "level">): Range {
  const sorted = values.toSorted((a, b) => a - b);
  const beyond = runsBeyond(values.length, level);
  const interval = beyond === null
    ? null
    : { low: sorted[beyond], high: sorted[sorted.length - 1 - beyond] };
  return { value: lowerMedian(values), interval };
}

/** How many of the runs may lie outside on each side; null if there are too few runs for this level. */
function runsBeyond(runs: number, level: number): number | null {
  let outside = 0;
  let chance = 0.5 ** runs;
  for (let below = 0;; below++) {
    outside += 2 * chance;
    if (outside > 1 - level) return below === 0 ? null : below - 1;
    chance *= (runs - below) / (below + 1);
  }
}

/** Times of a run, with their histogram if the results have it. */
export interface KeptTimes {
  readonly times: Distribution;
  readonly histogram: string | undefined;
}

/**
 * Range of times that no block of a timeline has (service, first byte, connecting), from the added histograms of all
 * runs. Never a mean of percentiles, which describes nothing: ten runs that connect in 1 ms and one in 41 have a mean
 * p50 of 4.6 ms, which no connection took. Null if a run has no histogram, as in older files.
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
  // Each block is a whole run. It has no rate, because none is needed.
  const blocks = histograms.map((histogram) => [
    { seconds: 0, completed: 0, latency: decodeSparse(histogram) },
  ]);
  const [estimate] = bootstrap(blocks, { figures: [figure] });
  return estimatedRange(figure, { estimates: new Map([[figure, estimate]]), level });
}

/** Range of an estimate of a rate, or of times in µs; null if there is none. */
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
 * Ratio of two independent figures: 0 or ∞ where one of them is 0; null where both are. Otherwise on the logarithmic
 * scale, where the distances to the ends add up as squares (G. Y. Zou and A. Donner, "Construction of confidence limits
 * about effect measures", Statistics in Medicine 27, 2008).
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
