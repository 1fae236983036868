/**
 * A figure of one run, computed as the ratio of two sums over its intervals (requests over seconds, time over requests,
 * failures over requests), and how uncertain the ratio is. Requests and intervals depend on each other, so the error is
 * computed from the long-run variance of the intervals' residuals (W. G. Cochran, "Sampling techniques", 1977, §6.3).
 * Pure.
 *
 * The error is only that within this run. Another process may have another level, which a single run does not show.
 */
import { tQuantile } from "../confidence/student_t.ts";
import { DEGREES_OF_FREEDOM, longRunOf } from "./long_run_variance.ts";
import { independentFrom, LONGEST_SHARE } from "./rank_correlation.ts";
import { isStationary } from "./stationarity.ts";

/**
 * The terms of both sums: the ratio is the sum of `amounts` over the sum of `of`. Each array has one term for every
 * interval, in order of time.
 */
export interface RatioSeries {
  readonly amounts: Float64Array;
  readonly of: Float64Array;
}

/** Why the dependence between intervals can't be determined. */
export type Unclear = "too-short" | "not-stationary" | "depends-too-long";

/** A figure of a run, with the dependence between the intervals it was computed from. */
export interface Dependence {
  readonly ratio: number;
  /** Standard error of the ratio. */
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  /** Number of independent intervals that would give the same information; at most the actual number. */
  readonly effective: number;
  /** Smallest lag at which intervals are independent; null if there is none within a quarter of the run. */
  readonly independentFrom: number | null;
  readonly isStationary: boolean;
  readonly length: number;
}

/**
 * With fewer intervals than this, dependence can't be seen, because cosine transforms would only compare neighbours.
 */
export const LEAST_DEPENDENT = 20;
/**
 * The long-run variance is itself an estimate: the error of the autoregression gives its logarithm a variance of 4 over
 * the number of independent intervals. This multiple of that variance is added as an allowance. Without it, a run that
 * happens to show too little dependence would get too narrow an interval. With it, short runs get a narrow interval
 * only if they show little dependence.
 */
const ADDED_VARIANCES = 4;

/** Factor by which the variance of the mean is increased to allow for its uncertainty. */
export function uncertaintyOf(effective: number): number {
  return 1 + ADDED_VARIANCES * 4 / effective;
}

/** @returns Null if there are too few intervals, or if `of` is 0 in all of them. */
export function dependenceIn({ amounts, of }: RatioSeries): Dependence | null {
  const { length } = amounts;
  const whole = sumOf(of);
  if (length < LEAST_DEPENDENT || whole === 0) return null;
  const ratio = sumOf(amounts) / whole;
  const residuals = amounts.map((amount, i) => amount - ratio * of[i]);
  const { variance, longRunVariance, innovations } = longRunOf(residuals);
  const effective = longRunVariance === 0
    ? length
    : Math.min(length, length * variance / longRunVariance);
  const ofMean = longRunVariance * uncertaintyOf(effective) / length;
  const ratios = amounts.map((amount, i) => of[i] === 0 ? ratio : amount / of[i]);
  return {
    ratio,
    standardError: Math.sqrt(ofMean) * length / whole,
    degreesOfFreedom: DEGREES_OF_FREEDOM,
    effective,
    independentFrom: independentFrom(ratios),
    isStationary: isStationary(innovations),
    length,
  };
}

/** Least number of intervals from which a run's figure gets its own confidence interval: 9 s of 250 ms each. */
const LEAST_INTERVALS = 36;
/** The run must give as much information as at least this many independent intervals. */
const LEAST_EFFECTIVE = 10;
/** The run must be at least this many times as long as the lag at which the dependence ends. */
const LEAST_LAGS = 15;

/** Why the dependence can't be distinguished from a level that wanders; null if it can. */
export function whyUnclear(dependence: Dependence | null): Unclear | null {
  if (dependence === null || dependence.length < LEAST_INTERVALS) return "too-short";
  if (!dependence.isStationary) return "not-stationary";
  return intervalsToTell(dependence) > dependence.length ? "depends-too-long" : null;
}

/**
 * Number of intervals that a run would need to distinguish its dependence from a level that wanders, judging by the
 * given run.
 */
export function intervalsToTell({ independentFrom: lag, effective, length }: Dependence): number {
  return Math.max(
    LEAST_INTERVALS,
    LEAST_LAGS * (lag ?? length * LONGEST_SHARE),
    LEAST_EFFECTIVE * length / effective,
  );
}

/** How far the figure may be off in either direction, at a confidence level. */
export function reachOf({ standardError, degreesOfFreedom }: Dependence, level: number): number {
  return tQuantile(level, degreesOfFreedom) * standardError;
}

/**
 * Variance of a share, divided by the variance that independent requests would give. It is about the number of requests
 * in a cluster, because slow or failed requests come together. It is taken to be at least 1: queues and bursts increase
 * it, and whatever reduces it does not last.
 *
 * @returns Null if none or all of the requests are counted.
 */
export function dispersionOf(
  { ratio, standardError }: Pick<Dependence, "ratio" | "standardError">,
  requests: number,
): number | null {
  const independent = ratio * (1 - ratio) / requests;
  return independent > 0 ? Math.max(1, standardError ** 2 / independent) : null;
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
