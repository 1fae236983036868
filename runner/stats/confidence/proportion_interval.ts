/** Confidence intervals for shares, even if few or no cases are counted. */
import { tQuantile, twoSidedP } from "./student_t.ts";

const CONFIDENCE = 0.95;

interface ProportionRange {
  readonly low: number;
  readonly high: number;
}

/**
 * E. B. Wilson's score interval ("Probable inference, the law of succession, and statistical inference", 1927). It
 * stays within 0 and 1, and is meaningful even if all or none of the cases count.
 *
 * @param count Number of cases that count.
 * @param of Number of all cases, at least 1.
 * @param quantile How many standard errors the interval reaches on each side.
 */
export function shareInterval(
  count: number,
  of: number,
  quantile = tQuantile(CONFIDENCE, Infinity),
): ProportionRange {
  const z2 = quantile ** 2;
  const share = count / of;
  const centre = (share + z2 / (2 * of)) / (1 + z2 / of);
  const reach = Math.sqrt(z2 * share * (1 - share) / of + (z2 / (2 * of)) ** 2) / (1 + z2 / of);
  // At 0 and 1 the ends are set exactly, because rounding would leave tiny errors.
  return {
    low: count === 0 ? 0 : Math.max(0, centre - reach),
    high: count === of ? 1 : Math.min(1, centre + reach),
  };
}

// The share of requests that failed, or took longer than a limit, over all runs of a cell, and
// whether the share is above or below a given limit. Two things make it uncertain, and the wider of
// the two intervals counts:
// - Sampling: Wilson's interval of the counts of all runs together.
// - Runs differ, because failures come in bursts. This is Wilson's interval again, but with the
// number of independent requests that the variance between runs suggests (J. N. K. Rao and A. J.
// Scott, "A simple method for the analysis of clustered binary data", Biometrics 1992), and with
// Student's t, because that variance is known from few runs only.
// `bench/statistics` measures a coverage of 95 % and more where the variance is 1 to 4 times that
// of independent requests. No method can account for bursts so rare that no run contains one.

export interface Proportion {
  readonly count: number;
  readonly of: number;
  /** For a single run whose requests depend on each other; absent if requests are independent. */
  readonly basis?: Basis;
}

/**
 * How precisely a share is known: as precisely as from this many independent requests, with these degrees of freedom.
 */
export interface Basis {
  readonly of: number;
  readonly degreesOfFreedom: number;
}

/** @param runs For each run, the number of requests that count, and of all requests. */
export function pooledShare(
  runs: readonly Proportion[],
  confidence = 0.95,
): ProportionRange & { readonly value: number } {
  const { count, of } = pooled(runs);
  const value = count / of;
  const ranges = basesOf(runs).map((basis) =>
    shareInterval(value * basis.of, basis.of, tQuantile(confidence, basis.degreesOfFreedom))
  );
  const low = Math.min(...ranges.map(({ low }) => low));
  return { value, low, high: Math.max(...ranges.map(({ high }) => high)) };
}

/**
 * Interval of the difference of two shares, `of` less `to`: R. G. Newcombe, "Interval estimation for the difference
 * between independent proportions", Statistics in Medicine 1998, method 10.
 */
export function shareDifference(
  of: readonly Proportion[],
  to: readonly Proportion[],
  confidence = 0.95,
): ProportionRange & { readonly value: number } {
  const [a, b] = [pooledShare(of, confidence), pooledShare(to, confidence)];
  const value = a.value - b.value;
  return {
    value,
    low: value - Math.hypot(a.value - a.low, b.high - b.value),
    high: value + Math.hypot(a.high - a.value, b.value - b.low),
  };
}

/**
 * Two-sided p-value: the probability of a share at least as far from `limit` as this one, if `limit` were the true
 * share. It is computed for each of the bases (`basesOf`), and the largest p counts.
 */
export function shareP(runs: readonly Proportion[], limit: number): number {
  const { count, of } = pooled(runs);
  const distance = Math.abs(count / of - limit);
  return Math.max(
    ...basesOf(runs).map(({ of, degreesOfFreedom }) =>
      twoSidedP(distance / Math.sqrt(limit * (1 - limit) / of), degreesOfFreedom)
    ),
  );
}

/**
 * The number of requests, in runs like these, after which the interval would end at `limit`. It is about z² · limit ·
 * (1 − limit) / distance², which is 3,838 for a limit of 0.1 % and no request that counts. Infinity for a share at the
 * limit.
 */
export function requestsToDecide(
  runs: readonly Proportion[],
  limit: number,
  confidence = 0.95,
): number {
  const { count, of } = pooled(runs);
  const distance = count / of - limit;
  const needed = basesOf(runs).map((basis) =>
    tQuantile(confidence, basis.degreesOfFreedom) ** 2 * limit * (1 - limit) / distance ** 2 *
    (of / basis.of)
  );
  return Math.ceil(Math.max(...needed));
}

export function pooled(runs: readonly Proportion[]): Omit<Proportion, "basis"> {
  return {
    count: runs.reduce((sum, { count }) => sum + count, 0),
    of: runs.reduce((sum, { of }) => sum + of, 0),
  };
}

function basesOf(runs: readonly Proportion[]): Basis[] {
  const filled = runs.filter(({ of }) => of > 0);
  const [{ basis } = { basis: undefined }] = filled;
  if (filled.length === 1 && basis !== undefined) return [basis];
  const { count, of } = pooled(filled);
  const counting = { of, degreesOfFreedom: Infinity };
  // If at most one request counts, or at most one does not, the runs can't show how much they
  // differ.
  const rarer = Math.min(count, of - count);
  if (filled.length < 2 || rarer < 2) return [counting];
  const effect = designEffect(filled);
  return effect === 0
    ? [counting]
    : [counting, { of: of / effect, degreesOfFreedom: filled.length - 1 }];
}

/** Variance between runs, divided by the variance that independent requests would have, as for a ratio of two sums. */
function designEffect(runs: readonly Proportion[]): number {
  const { count, of } = pooled(runs);
  const share = count / of;
  const squares = runs.reduce((sum, run) => sum + (run.count - share * run.of) ** 2, 0);
  return squares * runs.length / (runs.length - 1) / (share * (1 - share) * of);
}
