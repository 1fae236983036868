/**
 * Correlation between the orders of two columns of figures: 1 for the same order, −1 for the reverse, 0 for no
 * relation. Only the order counts, so machines of different speeds can be compared.
 */
import { tQuantile } from "../confidence/student_t.ts";

/**
 * Spearman's rho: Pearson's correlation of the ranks, where ties share their mean rank (C. Spearman, "The proof and
 * measurement of association between two things", 1904; the definition of SciPy and R). NaN for fewer than two pairs,
 * or if all values of a column are equal and so can't be ranked.
 *
 * @param first One finite value for each item.
 * @param second Another value for each item, in the same order of items.
 */
export function spearmanRho(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [fromMean(meanRanks(first)), fromMean(meanRanks(second))];
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** The rank of each value, 1 for the lowest; ties share their mean rank. Takes n² steps. */
export function meanRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return less + (equal + 1) / 2;
  });
}

function fromMean(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

/** With fewer pairs than this, a correlation has no interval. */
export const LEAST_CORRELATED = 4;
const CONFIDENCE = 0.95;

/**
 * An interval for Spearman's rho by Fisher's z with the variance (1 + ρ²/2) / (n − 3) (D. G. Bonett and T. A. Wright,
 * "Sample size requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika 2000). At ±1,
 * where z is infinite, one end is rho itself, and the other is computed from the nearest correlation that n ranks can
 * have.
 * @param n Number of pairs.
 * @returns Null for fewer than 4 pairs.
 */
export function spearmanInterval(
  rho: number,
  n: number,
): { readonly low: number; readonly high: number } | null {
  if (n < LEAST_CORRELATED) return null;
  const largest = 1 - 12 / (n * (n * n - 1));
  const inside = Math.max(-largest, Math.min(largest, rho));
  const reach = tQuantile(CONFIDENCE, Infinity) * Math.sqrt((1 + inside ** 2 / 2) / (n - 3));
  const at = (sign: number): number => Math.tanh(Math.atanh(inside) + sign * reach);
  return { low: rho === -1 ? -1 : at(-1), high: rho === 1 ? 1 : at(1) };
}
