/**
 * How two processes compare that were loaded alternately, slice by slice: the ratio of a figure, and how uncertain the
 * ratio between just these two processes is. Pure.
 *
 * The ratio is that of the two figures themselves, each over all slices of its side (requests over seconds, CPU time
 * over requests). So it needs no logarithm of a slice that served nothing, and it is the ratio that the runs show. Its
 * error is computed from pairs of slices. Whatever affects both slices of a pair (a noisy neighbour, the clock
 * frequency, steal time) cancels in the pair's contribution to the ratio, which is
 *
 *     uᵢ = (aᵢ / ā − oᵢ / ō) of new − the same of base,
 *
 * where aᵢ is the amount in a slice, oᵢ its divisor, and ā and ō are means. It is the linear part of the pair's log
 * ratio (W. G. Cochran, "Sampling techniques", 1977, §6.3; pairs after L. Bulej et al., "Duet benchmarking", ICPE
 * 2020). Consecutive pairs may be alike, so the error is computed from the long-run variance of u, like that of any
 * series in `dependence/`. That also shows how many pairs make a block that is independent of the next.
 *
 * The error is only that of these two processes. A fresh pair may have another memory layout; see `process_levels.ts`.
 */
import { DEGREES_OF_FREEDOM } from "../dependence/long_run_variance.ts";
import {
  type Dependence,
  dependenceIn,
  type RatioSeries,
  type Unclear,
  whyUnclear,
} from "../dependence/ratio_series.ts";
import { meanOf } from "../quantile.ts";

/** Slices of one side, as in the results: arrays of equal length, in order of time. */
export interface SideSlices {
  /** Number of the pair to which the slice belongs. A pair is two consecutive slices, one of each side. */
  readonly pair: readonly number[];
  readonly measuredS: readonly number[];
  readonly completed: readonly number[];
  /** Sum of the service times of the requests in `completed`. */
  readonly serviceSumMs: readonly number[];
  /**
   * Requests completed from the beginning of the slice to that of the side's next one, whether or not they were due in
   * the measured part, because the CPU time is that for all of them.
   */
  readonly served: readonly number[];
  /** CPU time of the side's own processes in the slice and nearly all of the pause after it; null if unknown. */
  readonly cpuMs: readonly (number | null)[];
  /** The same over the slice of the other side of the pair and the pause after it. */
  readonly restCpuMs: readonly (number | null)[];
}

/**
 * Figures that a single slice has. Percentiles are not among them, because they are computed over all slices of a run.
 */
export const SLICED = ["rate", "mean", "cpuPerRequest"] as const;
export type SlicedFigure = typeof SLICED[number];

/** The amounts of a figure in each slice (null if unknown), and the divisors of these amounts. */
type Counted = readonly [amounts: readonly (number | null)[], of: readonly number[]];

const COUNTED: Readonly<Record<SlicedFigure, (side: SideSlices) => Counted>> = {
  rate: ({ completed, measuredS }) => [completed, measuredS],
  mean: ({ serviceSumMs, completed }) => [serviceSumMs, completed],
  // Under load, a side goes on with what it does when idle. That work belongs to no request, so its
  // CPU time is subtracted.
  cpuPerRequest: ({ cpuMs, restCpuMs, served }) => [
    cpuMs.map((ms, i) => ms === null || restCpuMs[i] === null ? null : ms - restCpuMs[i]),
    served,
  ],
};

/** A figure of both sides, with one value for each pair of slices, in order of time. */
export interface PairedSeries {
  readonly base: RatioSeries;
  readonly next: RatioSeries;
}

/**
 * @param base,next Slices of two processes that were loaded alternately. A pair is left out if one of its slices is
 * missing or lacks the figure.
 * @returns Null if no pair has the figure.
 */
export function pairedSeries(
  base: SideSlices,
  next: SideSlices,
  figure: SlicedFigure,
): PairedSeries | null {
  const [ofBase, ofNext] = [base, next].map(COUNTED[figure]);
  const inBase = new Map(base.pair.map((pair, at) => [pair, at]));
  const places = next.pair.flatMap((pair, at) => {
    const other = inBase.get(pair);
    const isSeen = other !== undefined && ofBase[0][other] !== null && ofNext[0][at] !== null;
    return isSeen ? [{ base: other, next: at }] : [];
  });
  const seriesOf = (side: "base" | "next", [amounts, of]: Counted): RatioSeries => ({
    amounts: Float64Array.from(places, (place) => amounts[place[side]] ?? 0),
    of: Float64Array.from(places, (place) => of[place[side]]),
  });
  return places.length === 0
    ? null
    : { base: seriesOf("base", ofBase), next: seriesOf("next", ofNext) };
}

/** Joins the series of two processes that were loaded alternately several times. */
export function joinedSeries(parts: readonly PairedSeries[]): PairedSeries {
  const joined = (side: "base" | "next"): RatioSeries => ({
    amounts: Float64Array.from(parts.flatMap((part) => [...part[side].amounts])),
    of: Float64Array.from(parts.flatMap((part) => [...part[side].of])),
  });
  return { base: joined("base"), next: joined("next") };
}

/** The ratio of a figure between two processes, new over base. */
export interface SliceRatio {
  readonly logRatio: number;
  /** Standard error of `logRatio` for just these two processes; NaN if there are too few pairs. */
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  /** Number of pairs of slices. */
  readonly pairs: number;
  /** Each pair's contribution to the log ratio, in order of time. The mean is 0. */
  readonly shares: Float64Array;
  /** Null if there are too few pairs. */
  readonly dependence: Dependence | null;
  /** Number of pairs in a block that is independent of the next: 1 if pairs are independent, null if unknown. */
  readonly blockPairs: number | null;
  /**
   * Why the dependence between pairs is unclear; null if it is clear. If it is unclear although there are enough pairs,
   * the error is computed from stretches of the series.
   */
  readonly unclear: Unclear | null;
}

/**
 * How many consecutive values are needed to show how uncertain their mean is. Fewer values do not show a dependence
 * that lasts for more than a twentieth of them. In 400 simulated pairs of processes whose ratio comes in waves (AR(0.9)
 * below noise), 95 % intervals would contain the true ratio in only 84 % of cases with 100 pairs of slices, and in 82 %
 * with 60. So with half as many values, the error is taken to be twice as large, and so on.
 */
interface Enough {
  readonly values: number;
  /** With fewer values than this, the error is NaN, because so few may be alike by chance. */
  readonly least: number;
}

/** Requirements for pairs of slices, each of which may have few requests. */
const PAIRS: Enough = { values: 200, least: 6 };
/** Requirements for rounds, each of which is as long as eight pairs of slices. */
const ROUNDS: Enough = { values: 25, least: 4 };

/** @returns Null if the ratio of the figures is not a positive finite number, as when a side served nothing. */
export function sliceRatioOf({ base, next }: PairedSeries): SliceRatio | null {
  const pairs = base.amounts.length;
  const ratio = ratioOfSums(next) / ratioOfSums(base);
  if (!(ratio > 0 && ratio < Infinity)) return null;
  const [of, to] = [sharesOf(next), sharesOf(base)];
  const shares = of.map((share, i) => share - to[i]);
  const error = errorOfMean(shares, PAIRS);
  return {
    ...error,
    logRatio: Math.log(ratio),
    pairs,
    shares,
    blockPairs: error.dependence?.independentFrom ?? null,
  };
}

/**
 * Error of a figure that single slices don't have, such as a percentile.
 * @param logs One for each round, in order of time: the log ratio of two processes, or the logarithm of the figure of
 * one process.
 */
export function errorOverRounds(logs: readonly number[]): MeanError {
  const mean = meanOf(logs);
  return errorOfMean(Float64Array.from(logs, (one) => one - mean), ROUNDS);
}

/**
 * Error of a share of requests, such as those that failed.
 * @param rounds Rounds of one process, in order of time.
 */
export function errorOfShare(rounds: RatioSeries): MeanError {
  return errorOfMean(sharesOf(rounds), ROUNDS);
}

type MeanError = Pick<
  SliceRatio,
  "standardError" | "degreesOfFreedom" | "dependence" | "unclear"
>;

/** @param deviations Deviations from the mean of the series, in order of time. */
function errorOfMean(deviations: Float64Array, { values, least }: Enough): MeanError {
  const { length } = deviations;
  // The mean of a series is its ratio to a series of ones. The deviations are shifted by 1, because
  // `dependenceIn` expects a ratio around 1.
  const dependence = dependenceIn({
    amounts: deviations.map((one) => 1 + one),
    of: new Float64Array(length).fill(1),
  });
  const unclear = whyUnclear(dependence);
  const stdev = Math.sqrt(deviations.reduce((sum, one) => sum + one * one, 0) / (length - 1));
  const isSeen = unclear === null || unclear === "too-short";
  const ofMean = (dependence?.standardError ?? stdev / Math.sqrt(length)) *
    Math.max(1, values / length);
  /*
   * The error is at most that of predicting a further value or stretch. A wave longer than the whole series moves the
   * mean, but does not show in how the values differ, so it is assumed to be no larger than what shows. So a few values
   * are enough to show a large difference, but values that wander never show a difference smaller than their wandering,
   * however many there are.
   */
  const standardError = isSeen
    ? Math.min(ofMean, stdev * Math.sqrt(1 + 1 / length))
    : errorOfStretch(deviations);
  return {
    standardError: length < least ? NaN : standardError,
    degreesOfFreedom: Math.min(DEGREES_OF_FREEDOM, length - 1),
    dependence,
    unclear,
  };
}

/**
 * The number of stretches into which a series is cut. A dependence that can't be distinguished from a wandering level
 * lasts for a fifteenth of the series or longer, and so do the waves of a series that is not stationary. Such waves are
 * as large in the mean of a twenty-fifth as in single values, but the noise is smaller.
 */
const STRETCHES = 25;

/**
 * How far the mean of another stretch may be from the mean of the whole series: the spread of the stretches plus the
 * error of their mean.
 */
function errorOfStretch(deviations: Float64Array): number {
  const { length } = deviations;
  const count = length < 2 * STRETCHES ? length : STRETCHES;
  const means = Array.from({ length: count }, (_, at) => {
    const [from, to] = [at, at + 1].map((edge) => Math.round(edge * length / count));
    return sumOf(deviations.subarray(from, to)) / (to - from);
  });
  const variance = means.reduce((sum, one) => sum + one * one, 0) / (count - 1);
  return Math.sqrt(variance * (1 + 1 / count));
}

function ratioOfSums({ amounts, of }: RatioSeries): number {
  return sumOf(amounts) / sumOf(of);
}

/** Contribution of each slice or round to the logarithm of the ratio of the two sums. */
function sharesOf({ amounts, of }: RatioSeries): Float64Array {
  const [mean, meanOf] = [sumOf(amounts) / amounts.length, sumOf(of) / of.length];
  return amounts.map((amount, i) => amount / mean - of[i] / meanOf);
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
