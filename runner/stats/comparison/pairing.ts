/**
 * The variance of the ratio of two cells whose runs took turns: from the differences within each repetition alone, or
 * from all runs if repetitions differ by no more than chance.
 *
 * Pairing costs half of the degrees of freedom: 5 pairs have 4 where 10 runs have 8, and need 2.8 standard errors in
 * place of 2.3. If runs of one repetition are no more alike than others, pairing gains nothing. But testing for that
 * first, and then ignoring the test, keeps the pairs whose spread chance made too small, and errs in 6 to 7 % of cases
 * where 5 % were promised (H. Bozivich, T. A. Bancroft and H. O. Hartley, Ann. Math. Statist. 27, 1956: "sometimes
 * pooling"). Three things keep the error at 5 % whatever repetitions have in common: a pool never lowers the variance
 * of the pairs, pairs are kept only where they gain much, and the choice itself costs a degree of freedom. Of 40,000
 * simulated comparisons, with 0 to 5 times as much variance between repetitions as within, 4 pairs err in at most
 * 5.4 %, 5 in 5.2 %, 6 to 20 in 5.0 %. Without any variance between repetitions, 5 pairs find a decrease of 5 % under
 * 2 % of noise, with a margin of 2 %, in 52 % of cases in place of 47 %.
 */
import type { Variance } from "../confidence/confidence_interval.ts";

/** With fewer pairs than this, the gain is hardly known. */
const LEAST_PAIRS = 4;

/**
 * The range of gains that chance explains. Outside of it, runs of one repetition differ from others by more than
 * chance.
 */
const LEAST_GAIN = 0.6;
const MOST_GAIN = 3;

/**
 * @param paired Variance of the ratio, by pairs.
 * @param apart Variance of the ratio from the same runs, unpaired.
 * @param pairs Number of pairs.
 */
export function varianceOfPairs(paired: Variance, apart: number, pairs: number): Variance {
  const gain = apart / paired.variance;
  if (pairs < LEAST_PAIRS || !(gain >= LEAST_GAIN && gain <= MOST_GAIN)) return paired;
  return { variance: Math.max(paired.variance, apart), degreesOfFreedom: 2 * pairs - 3 };
}
