/** How far Spearman's rank correlation of a few things may be off. */
import { tQuantile } from "../confidence/student_t.ts";

/** Fewer things have no interval. */
export const LEAST_CORRELATED = 4;
const CONFIDENCE = 0.95;

/**
 * By Fisher's z with the variance (1 + ρ²/2) / (n − 3) (D. G. Bonett and T. A. Wright, "Sample size
 * requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika 2000). At ±1, where
 * z has no end, the far limit is that of the largest value short of it that n ranks can have.
 *
 * @returns null for fewer than 4 things.
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
