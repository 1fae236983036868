/** How far a share may be off that was counted in a few cases. */
import { tQuantile } from "./student_t.ts";

const CONFIDENCE = 0.95;

export interface ShareRange {
  readonly low: number;
  readonly high: number;
}

/**
 * E. B. Wilson's score interval ("Probable inference, the law of succession, and statistical inference",
 * 1927): it stays within 0 and 1, and says something even where all cases or none are counted.
 *
 * @param count Of `of` cases, which are at least one. @param quantile How many standard errors it reaches.
 */
export function shareInterval(
  count: number,
  of: number,
  quantile = tQuantile(CONFIDENCE, Infinity),
): ShareRange {
  const z2 = quantile ** 2;
  const share = count / of;
  const centre = (share + z2 / (2 * of)) / (1 + z2 / of);
  const reach = Math.sqrt(z2 * share * (1 - share) / of + (z2 / (2 * of)) ** 2) / (1 + z2 / of);
  // Exact at the ends, where rounding would leave dust.
  return {
    low: count === 0 ? 0 : Math.max(0, centre - reach),
    high: count === of ? 1 : Math.min(1, centre + reach),
  };
}
