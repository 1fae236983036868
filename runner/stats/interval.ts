/**
 * Confidence intervals of a group's figure, and of the ratio of two groups' figures.
 *
 * The interval that is read off the draws directly, from their 2.5 % to their 97.5 % quantile, covers the
 * true value in 85 % of cases with 5 runs, not in 95: it is short of the factor √(n / (n − 1)) · t / z. Here
 * those quantiles are stretched by just what is missing,
 *
 *     k = t(confidence, degrees of freedom) · standard error / (z(confidence) · stdev of the draws),
 *
 * so that the draws say how lopsided the interval is, and the differences between runs with Student's t how
 * wide (T. C. Hesterberg, "What teachers should know about the bootstrap", 2015, §4–5, on why the plain
 * interval is too short, and t with the bootstrap's standard error as a cure). All on the logarithmic scale,
 * where noise that multiplies is even on both sides. `bench/statistics.ts` measures the coverage.
 */
import { type Estimate, stdevOf } from "./bootstrap.ts";
import { quantileOf } from "./quantile.ts";
import { tQuantile, twoSidedP } from "./student_t.ts";

/** Of a figure in its unit, or of a ratio. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Of ln value. */
  readonly logStandardError: number;
  readonly degreesOfFreedom: number;
}

/** @returns null for fewer than two runs: one says nothing about the next. */
export function intervalOf(estimate: Estimate, confidence = 0.95): Interval | null {
  const degreesOfFreedom = estimate.byRun.length - 1;
  return degreesOfFreedom < 1 ? null : stretch({ ...estimate, degreesOfFreedom }, confidence);
}

/**
 * The ratio `of` / `to`, each of as many resamples; above 1 when `of` is larger. Degrees of freedom by
 * Welch and Satterthwaite.
 *
 * @returns null when either has fewer than two runs.
 */
export function ratioOf(of: Estimate, to: Estimate, confidence = 0.95): Interval | null {
  const [ofFreedom, toFreedom] = [of.byRun.length - 1, to.byRun.length - 1];
  if (ofFreedom < 1 || toFreedom < 1) return null;
  const [ofVariance, toVariance] = [of.logStandardError ** 2, to.logStandardError ** 2];
  const variance = ofVariance + toVariance;
  const degreesOfFreedom = variance === 0
    ? ofFreedom + toFreedom
    : variance ** 2 / (ofVariance ** 2 / ofFreedom + toVariance ** 2 / toFreedom);
  const logDraws = of.logDraws.map((draw, i) => draw - to.logDraws[i]);
  const logStandardError = Math.sqrt(variance);
  return stretch(
    { value: of.value / to.value, logStandardError, degreesOfFreedom, logDraws },
    confidence,
  );
}

/** Two-sided probability of a ratio at least as far from 1, were the true one 1. */
export function pValueOf(ratio: Interval): number {
  const distance = Math.abs(Math.log(ratio.value));
  if (distance === 0) return 1;
  return twoSidedP(distance / ratio.logStandardError, ratio.degreesOfFreedom);
}

type Known = Omit<Estimate, "byRun"> & { readonly degreesOfFreedom: number };

/** What the logarithm of a draw is multiplied with so that the quantiles of `confidence` are as far as they should. */
function stretchOf(
  { logStandardError, degreesOfFreedom, logDraws }: Known,
  confidence: number,
): number {
  const spread = stdevOf(logDraws);
  if (spread === 0) return 0;
  return tQuantile(confidence, degreesOfFreedom) * logStandardError /
    (tQuantile(confidence, Infinity) * spread);
}

/**
 * The draws of a figure in its unit, as far apart as its interval is wide: for what is computed of several
 * figures. @returns null for fewer than two runs.
 */
export function stretchedDraws(estimate: Estimate, confidence = 0.95): Float64Array | null {
  const degreesOfFreedom = estimate.byRun.length - 1;
  if (degreesOfFreedom < 1) return null;
  const factor = stretchOf({ ...estimate, degreesOfFreedom }, confidence);
  return estimate.logDraws.map((draw) => estimate.value * Math.exp(factor * draw));
}

function stretch(from: Known, confidence: number): Interval {
  const { value, logStandardError, degreesOfFreedom, logDraws } = from;
  const factor = stretchOf(from, confidence);
  const sorted = logDraws.toSorted();
  const at = (share: number): number => value * Math.exp(factor * quantileOf(sorted, share));
  return {
    value,
    low: at((1 - confidence) / 2),
    high: at((1 + confidence) / 2),
    logStandardError,
    degreesOfFreedom,
  };
}
