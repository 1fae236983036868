/**
 * Whether so many values say anything about a percentile: at least ten of them lie beyond it, so p99.9
 * needs 10,000. Of fewer, the percentile is little but the largest value met by chance.
 *
 * @param percentile 0–100.
 */
export function supportsPercentile(count: number, percentile: number): boolean {
  return count * (100 - percentile) >= 10 * 100 * (1 - 1e-9);
}
