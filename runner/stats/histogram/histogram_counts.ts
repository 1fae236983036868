/**
 * A histogram of whole microseconds with three significant digits from 1 µs to 1 hour, laid out as
 * HdrHistogram does (G. Tene, http://hdrhistogram.org): 2048 linear steps, then 1024 per power of two.
 * Below 2,048 µs every value is exact; above, a bucket is at most 0.1 % wide. All histograms share one
 * layout, so merging adds counts and loses nothing.
 */

/** Higher values are counted in the bucket of this one: one hour. */
export const HIGHEST_US = 3_600_000_000;
const SUB_BUCKETS_BITS = 11;
const HALF_BITS = SUB_BUCKETS_BITS - 1;
const HALF = 1 << HALF_BITS;
/** Buckets of the layout: 22 powers of two beyond the first 1024 values. */
export const BUCKETS = 23 * HALF;

function bucketOf(valueUs: number): number {
  const shift = Math.max(0, 32 - SUB_BUCKETS_BITS - Math.clz32(valueUs));
  return (shift << HALF_BITS) + (valueUs >>> shift);
}

function widthUsOf(index: number): number {
  return index < 2 * HALF ? 1 : 1 << ((index >> HALF_BITS) - 1);
}

/** Lowest value, in microseconds, that bucket `index` counts. */
export function lowestUsOf(index: number): number {
  return index < 2 * HALF ? index : (HALF + (index & (HALF - 1))) * widthUsOf(index);
}

/** Highest whole value, in microseconds, that bucket `index` counts. */
export function highestUsOf(index: number): number {
  return lowestUsOf(index) + widthUsOf(index) - 1;
}

/** The counts of a histogram during a load; `Histogram` computes statistics from them. */
export class HistogramCounts {
  /** Counts by bucket; doubles, because a count can exceed 2³². */
  readonly counts = new Float64Array(BUCKETS);
  count = 0;
  sumUs = 0;
  sumSquaresUs = 0;
  /** Smallest and largest recorded value, exact; Infinity and 0 when empty. */
  minUs = Infinity;
  maxUs = 0;
  // Range of the buckets in use, so that draining costs as much as was recorded, not as much as the layout.
  protected first = BUCKETS;
  protected last = -1;

  // hot: runs once or more per exchange; nothing here may allocate.
  record(timeUs: number): void {
    const valueUs = timeUs >= HIGHEST_US ? HIGHEST_US : timeUs > 0 ? (timeUs + 0.5) >>> 0 : 0;
    const index = bucketOf(valueUs);
    this.counts[index]++;
    this.count++;
    this.sumUs += valueUs;
    this.sumSquaresUs += valueUs * valueUs;
    if (valueUs < this.minUs) this.minUs = valueUs;
    if (valueUs > this.maxUs) this.maxUs = valueUs;
    if (index < this.first) this.first = index;
    if (index > this.last) this.last = index;
  }
}
