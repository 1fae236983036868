/** Percentiles that every distribution reports. */
export const PERCENTILES = [50, 75, 90, 95, 99, 99.9, 99.99] as const;

/**
 * Whether so many values say anything about a percentile: at least ten of them lie beyond it, so p99.9
 * needs 10,000, and p2.5 needs 400. Of fewer, the percentile is little but an extreme met by chance.
 *
 * @param percentile 0–100.
 */
export function supportsPercentile(count: number, percentile: number): boolean {
  return count * Math.min(percentile, 100 - percentile) >= 10 * 100 * (1 - 1e-9);
}
