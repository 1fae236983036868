/**
 * The variance of the ratio of two cells whose runs took turns. It is computed from the differences within each
 * repetition, or from all runs if repetitions differ by no more than chance.
 *
 * Pairing costs half of the degrees of freedom: 5 pairs have 4 where 10 unpaired runs have 8, so a difference must be
 * 2.8 standard errors instead of 2.3. If the runs of one repetition are no more alike than others, pairing gains
 * nothing in return. But testing for that first, and then computing as though there had been no test, keeps the pairs
 * in just those cases in which their spread is too small by chance. It errs in 6 to 7 % of cases instead of 5 % (H.
 * Bozivich, T. A. Bancroft and H. O. Hartley, Ann. Math. Statist. 27, 1956: "sometimes pooling"). Three rules keep the
 * error at 5 %, whatever repetitions have in common: pooling never lowers the variance of the pairs, pairs are kept
 * only where they gain much, and the choice itself costs a degree of freedom.
 *
 * In 40,000 simulated comparisons, with 0 to 5 times as much variance between repetitions as within, 4 pairs err in at
 * most 5.4 % of cases, 5 pairs in 5.2 %, and 6 to 20 pairs in 5.0 %. Without any variance between repetitions, 5 pairs
 * find a decrease of 5 % under 2 % of noise, with a margin of 2 %, in 52 % of cases instead of 47 %.
 */
import type { Variance } from "../confidence/confidence_interval.ts";

/** With fewer pairs than this, the gain of pairing is hardly known. */
const LEAST_PAIRS = 4;

/**
 * The range of the gain that chance explains. The gain is the variance without pairing, divided by the variance with
 * it. Outside of the range, runs of the same repetition resemble each other more, or less, than chance explains.
 */
const LEAST_GAIN = 0.6;
const MOST_GAIN = 3;

/**
 * @param paired Variance of the ratio, computed from the pairs.
 * @param apart Variance of the ratio, computed from the same runs as though they were not paired.
 * @param pairs Number of pairs.
 */
export function varianceOfPairs(paired: Variance, apart: number, pairs: number): Variance {
  const gain = apart / paired.variance;
  if (pairs < LEAST_PAIRS || !(gain >= LEAST_GAIN && gain <= MOST_GAIN)) return paired;
  return { variance: Math.max(paired.variance, apart), degreesOfFreedom: 2 * pairs - 3 };
}
