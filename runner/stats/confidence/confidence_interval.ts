/**
 * Confidence intervals of the figures of groups of runs, and of ratios of such figures.
 *
 * Centre and width come from one estimator: the figure of all runs pooled, and how much it varies when whole runs are
 * resampled. The interval is computed on the logarithmic scale, on which multiplicative noise is symmetric:
 *
 *     value · exp(± t(confidence, degrees of freedom) · standard error)
 *
 * The percentile bootstrap, whose interval reaches from the 2.5 % to the 97.5 % quantile of the draws, is not used,
 * because it covers the true value in only 85 % of cases with 5 runs (T. C. Hesterberg, "What teachers should know
 * about the bootstrap", 2015, §4–5, advises t with the bootstrap's standard error). `bench/statistics.ts` measures the
 * coverage.
 *
 * Figures of cells that ran in one experiment are paired by repetition. A resample draws the same repetitions of all
 * cells, so what slowed a whole repetition affects both sides of a ratio and cancels (L. Bulej et al., "Duet
 * benchmarking", ICPE 2020, find pairs 2.3 to 12.5 times more accurate).
 */
import { type Estimate, standardErrorOf, stdevOf } from "./bootstrap.ts";
import { tQuantile, twoSidedP } from "./student_t.ts";

/** Interval of a figure, in the figure's unit, or of a ratio. */
export interface ConfidenceInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Standard error of ln `value`. */
  readonly logStandardError: number;
  readonly degreesOfFreedom: number;
}

/** A variance of ln value, or a part of one, and the degrees of freedom with which it is known. */
export interface Variance {
  readonly variance: number;
  readonly degreesOfFreedom: number;
}

/** @returns Null for fewer than two runs, because one run says nothing about the next. */
export function intervalOf(estimate: Estimate, confidence = 0.95): ConfidenceInterval | null {
  return contrastOf([{ estimate, power: 1 }], { confidence });
}

interface RatioOptions {
  readonly confidence?: number;
}

/**
 * The interval of the ratio `of` / `to`.
 *
 * @returns Null if either has fewer than two runs.
 */
export function ratioInterval(
  of: Estimate,
  to: Estimate,
  options: RatioOptions = {},
): ConfidenceInterval | null {
  return contrastOf([{ estimate: of, power: 1 }, { estimate: to, power: -1 }], options);
}

/** A factor in a product of powers. Power 1 multiplies by the figure, −1 divides by it. */
interface Term {
  readonly estimate: Estimate;
  readonly power: number;
}

/**
 * The interval of a product of figures, each raised to its power. Figures of the same session are resampled together,
 * over the repetitions that all of them have, if there are at least two. The variances of different sessions add up,
 * with degrees of freedom by Welch and Satterthwaite.
 *
 * @returns Null if any figure has fewer than two runs.
 */
export function contrastOf(
  terms: readonly Term[],
  { confidence = 0.95 }: RatioOptions = {},
): ConfidenceInterval | null {
  const parts = neighboursOf(terms).map(partOf);
  if (parts.some(({ degreesOfFreedom }) => !(degreesOfFreedom > 0))) return null;
  const value = parts.reduce((product, part) => product * part.value, 1);
  const { variance, degreesOfFreedom } = sumOfVariances(parts);
  return studentInterval(value, { variance, degreesOfFreedom }, confidence);
}

/** @param variance Variance of ln value. */
export function studentInterval(
  value: number,
  { variance, degreesOfFreedom }: Variance,
  confidence: number,
): ConfidenceInterval {
  const logStandardError = Math.sqrt(variance);
  // Without any spread there is no uncertainty, however few the degrees of freedom.
  const reach = variance === 0 ? 0 : tQuantile(confidence, degreesOfFreedom) * logStandardError;
  return {
    value,
    low: value * Math.exp(-reach),
    high: value * Math.exp(reach),
    logStandardError,
    degreesOfFreedom,
  };
}

/** Variance of a sum of independent parts (B. L. Welch, Biometrika 1947; F. E. Satterthwaite, Biometrics 1946). */
export function sumOfVariances(parts: readonly Variance[]): Variance {
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  if (variance === 0) {
    const degreesOfFreedom = parts.reduce((sum, part) => sum + part.degreesOfFreedom, 0);
    return { variance, degreesOfFreedom };
  }
  const spread = parts.reduce((sum, part) => sum + part.variance ** 2 / part.degreesOfFreedom, 0);
  return { variance, degreesOfFreedom: variance ** 2 / spread };
}

/**
 * Groups of terms that are resampled together, because they share a session and at least two repetitions. Any other
 * term is a group of its own.
 */
function neighboursOf(terms: readonly Term[]): Term[][] {
  const bySession = Map.groupBy(
    terms,
    ({ estimate: { session } }, i) => session ?? i,
  );
  return [...bySession.values()].flatMap((those) => {
    const common = commonOf(those.map(({ estimate }) => estimate));
    if (those.length === 1 || common.length < 2) return those.map((term) => [term]);
    const paired = those.map(({ estimate, power }) => ({
      estimate: over(estimate, common),
      power,
    }));
    return paired.some(({ estimate }) => estimate === null)
      ? those.map((term) => [term])
      : [paired.flatMap(({ estimate, power }) => estimate === null ? [] : [{ estimate, power }])];
  });
}

/** Repetitions that all estimates have, in the order of the first estimate. */
export function commonOf(estimates: readonly Pick<Estimate, "repetitions">[]): number[] {
  const [first, ...others] = estimates;
  return first.repetitions.filter((repetition) =>
    others.every(({ repetitions }) => repetitions.includes(repetition))
  );
}

/** @param common The repetitions to which the estimate is restricted; all of them must be in it. */
export function over(estimate: Estimate, common: readonly number[]): Estimate | null {
  return estimate.repetitions.length === common.length ? estimate : estimate.of(common);
}

function partOf(terms: readonly Term[]): Variance & { readonly value: number } {
  const [{ estimate: first }] = terms;
  return {
    value: terms.reduce((product, { estimate, power }) => product * estimate.value ** power, 1),
    variance: terms.length === 1
      ? (terms[0].power * first.logStandardError) ** 2
      : jointError(terms) ** 2,
    degreesOfFreedom: first.byRun.length - 1,
  };
}

/**
 * Cache of the standard errors of ratios, by the estimates of both sides, because a report compares the same two
 * estimates in several families of tests.
 */
const ratioErrors = new WeakMap<Estimate, WeakMap<Estimate, number>>();

/** Standard error of the logarithm of a product whose terms are resampled together. */
function jointError(terms: readonly Term[]): number {
  const [{ estimate: one, power }, { estimate: other, power: otherPower }] = terms;
  const error = (): number => standardErrorOf(jointDraws(terms), one.byRun.length);
  if (terms.length !== 2 || Math.abs(power) !== 1 || power !== -otherPower) return error();
  // The draws of the inverse ratio have opposite signs, so their spread is the same.
  const known = ratioErrors.get(one)?.get(other) ?? ratioErrors.get(other)?.get(one);
  if (known !== undefined) return known;
  const found = error();
  const ofOne = ratioErrors.get(one) ?? new WeakMap<Estimate, number>();
  ratioErrors.set(one, ofOne.set(other, found));
  return found;
}

function jointDraws(terms: readonly Term[]): Float64Array {
  const draws = new Float64Array(terms[0].estimate.logDraws.length);
  for (const { estimate, power } of terms) {
    for (let i = 0; i < draws.length; i++) draws[i] += power * estimate.logDraws[i];
  }
  return draws;
}

/** The p-value of no difference: the two-sided probability of a ratio at least as far from 1 if the true ratio is 1. */
export function pValueOf(ratio: ConfidenceInterval): number {
  return pBeyond(ratio, 0);
}

/**
 * The p-value of a ratio against all true ratios within a margin. It is the probability of a ratio at least as far from
 * 1, on either side, if the true ratio lies on the edge of the margin, where that probability is largest (J. L. Hodges
 * and E. L. Lehmann, "Testing the approximate validity of statistical hypotheses", 1954). Without a margin, it is the
 * usual two-sided p-value. If the margin is wide compared with the noise, the far side adds nothing, and p is 0.025
 * when the end of the 95 % interval touches the edge. For a ratio within the margin, it is 1.
 */
export function pBeyond(
  { value, logStandardError, degreesOfFreedom }: ConfidenceInterval,
  marginRatio: number,
): number {
  const [found, edge] = [Math.abs(Math.log(value)), Math.log1p(marginRatio)];
  if (!(found > edge)) return 1;
  if (logStandardError === 0) return 0;
  const pAt = (distance: number): number =>
    twoSidedP(distance / logStandardError, degreesOfFreedom) / 2;
  return pAt(found - edge) + pAt(found + edge);
}

/**
 * The draws of a figure, in its unit, stretched to the width of its interval. They serve values that are computed from
 * several figures.
 * @returns Null for fewer than two runs.
 */
export function stretchedDraws(
  estimate: Pick<Estimate, "value" | "byRun" | "logStandardError" | "logDraws">,
  confidence = 0.95,
): Float64Array | null {
  const degreesOfFreedom = estimate.byRun.length - 1;
  if (degreesOfFreedom < 1) return null;
  const spread = stdevOf(estimate.logDraws);
  const factor = spread === 0
    ? 0
    : tQuantile(confidence, degreesOfFreedom) * estimate.logStandardError /
      (tQuantile(confidence, Infinity) * spread);
  return estimate.logDraws.map((draw) => estimate.value * Math.exp(factor * draw));
}
