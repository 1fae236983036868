/**
 * How long what became ready or due at a random moment of the run waited until the loop came to it. In
 * a busy period of length L that wait is anything from 0 to L, alike often; outside of busy periods it is 0. So
 * the share of the run's moments that waited longer than d is Σ max(0, L − d) / T over all busy periods.
 * Arrivals that come by chance see just these waits (R. Wolff, "Poisson Arrivals See Time Averages", 1982).
 */
import type { Histogram } from "../stats/histogram/histogram.ts";

/**
 * The wait, in microseconds, that `percentile` (0–100) of the moments do not exceed.
 * @param busyPeriods Their lengths. @param totalUs Length of the run; of several workers, of all together.
 */
export function delayAtPercentile(
  percentile: number,
  busyPeriods: Histogram,
  totalUs: number,
): number {
  const targetUs = (1 - percentile / 100) * totalUs;
  const buckets: { lengthUs: number; count: number }[] = [];
  busyPeriods.forEachBucket((lowUs, highUs, count) => {
    buckets.push({ lengthUs: Math.min((lowUs + highUs) / 2, busyPeriods.maxUs), count });
  });
  // From the longest down: for d below lengthUs, longer busy periods hold `sumUs − longer · d` of such moments.
  let longer = 0;
  let sumUs = 0;
  for (const { lengthUs, count } of buckets.reverse()) {
    if (sumUs - longer * lengthUs >= targetUs) break;
    longer += count;
    sumUs += count * lengthUs;
  }
  return longer === 0 ? 0 : Math.max(0, (sumUs - targetUs) / longer);
}
