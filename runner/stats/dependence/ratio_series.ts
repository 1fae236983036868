/**
 * A figure of one run as the ratio of two sums over its intervals (requests over seconds, time over requests, failures
 * over requests), and how far it may be off. Requests and intervals depend on each other, so the error is computed from
 * the long-run variance of the intervals' residuals (W. G. Cochran, "Sampling techniques", 1977, §6.3). Pure.
 *
 * The error is that of this run alone: another process may have another level, which one run does not show.
 */
import { tQuantile } from "../confidence/student_t.ts";
import { DEGREES_OF_FREEDOM, longRunOf } from "./long_run_variance.ts";
import { independentFrom, LONGEST_SHARE } from "./rank_correlation.ts";
import { isStationary } from "./stationarity.ts";

/** The terms of both sums, `amounts` over `of`: one of each for every interval, in the order of time. */
export interface RatioSeries {
  readonly amounts: Float64Array;
  readonly of: Float64Array;
}

/** Why the dependence can't be determined. */
export type Unclear = "too-short" | "not-stationary" | "depends-too-long";

/** How the intervals of a run depend on each other in a figure. */
export interface Dependence {
  readonly ratio: number;
  /** Standard error of the ratio. */
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  /** Number of independent intervals with the same information; never more than the actual number. */
  readonly effective: number;
  /** Lag from which on intervals are independent; null: not within a quarter of the run. */
  readonly independentFrom: number | null;
  readonly isStationary: boolean;
  readonly length: number;
}

/** With fewer intervals than this, dependence can't be seen: cosine transforms would only compare neighbours. */
export const LEAST_DEPENDENT = 20;
/**
 * The long-run variance is itself estimated: the error of the autoregression gives its logarithm a variance of 4 over
 * the number of independent intervals. This many times that variance is added. Otherwise, a run that happens to show
 * too little dependence would get too short an interval; and short runs get an interval only if they show little.
 */
const ADDED_VARIANCES = 4;

/** Factor by which the variance of the mean is increased because it is uncertain. */
export function uncertaintyOf(effective: number): number {
  return 1 + ADDED_VARIANCES * 4 / effective;
}

/** Null if there are too few intervals, or if nothing is counted in any of them. */
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

/** Number of intervals needed for a figure's own confidence interval: 9 s of 250 ms. */
const LEAST_INTERVALS = 36;
/** Number of independent intervals that the run must be worth. */
const LEAST_EFFECTIVE = 10;
/** The run must be this many times as long as the lag at which dependence ends. */
const LEAST_LAGS = 15;

/** Why the dependence can't be distinguished from a wandering level; null if it can. */
export function whyUnclear(dependence: Dependence | null): Unclear | null {
  if (dependence === null || dependence.length < LEAST_INTERVALS) return "too-short";
  if (!dependence.isStationary) return "not-stationary";
  return intervalsToTell(dependence) > dependence.length ? "depends-too-long" : null;
}

/** Number of intervals that would distinguish dependence from a wandering level, judging by these. */
export function intervalsToTell({ independentFrom: lag, effective, length }: Dependence): number {
  return Math.max(
    LEAST_INTERVALS,
    LEAST_LAGS * (lag ?? length * LONGEST_SHARE),
    LEAST_EFFECTIVE * length / effective,
  );
}

/** How far the figure may be off in either direction, with a given probability. */
export function reachOf({ standardError, degreesOfFreedom }: Dependence, level: number): number {
  return tQuantile(level, degreesOfFreedom) * standardError;
}

/**
 * Variance of a share over that of independent requests: about the number of requests in a cluster, because slow or
 * failed requests come together. At least 1, because queues and bursts make it larger, and what makes it smaller does
 * not last.
 *
 * Null if no requests or all requests are counted.
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
