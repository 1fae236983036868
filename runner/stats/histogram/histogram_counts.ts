/**
 * A histogram of whole microseconds with three significant digits from 1 µs to 1 hour, in the layout of HdrHistogram
 * (G. Tene, http://hdrhistogram.org): 2,048 linear buckets, then 1,024 for each power of two. Below 2,048 µs every
 * value is exact; above, a bucket is at most 0.1 % wide. All histograms share one layout, so merging adds up counts and
 * loses nothing.
 */

/** One hour. Higher values are counted as this one. */
export const HIGHEST_US = 3_600_000_000;
const SUB_BUCKETS_BITS = 11;
const HALF_BITS = SUB_BUCKETS_BITS - 1;
const HALF = 1 << HALF_BITS;
/**
 * Number of buckets in the layout: 1,024 for the first 1,024 values, and 1,024 for each of the 22 powers of two after
 * them.
 */
export const BUCKETS = 23 * HALF;

function bucketOf(valueUs: number): number {
  const shift = Math.max(0, 32 - SUB_BUCKETS_BITS - Math.clz32(valueUs));
  return (shift << HALF_BITS) + (valueUs >>> shift);
}

function widthUsOf(index: number): number {
  return index < 2 * HALF ? 1 : 1 << ((index >> HALF_BITS) - 1);
}

/** Lowest value, in microseconds, that the bucket counts. */
export function lowestUsOf(index: number): number {
  return index < 2 * HALF ? index : (HALF + (index & (HALF - 1))) * widthUsOf(index);
}

/** Highest whole value, in microseconds, that the bucket counts. */
export function highestUsOf(index: number): number {
  return lowestUsOf(index) + widthUsOf(index) - 1;
}

/** The counts of a histogram while a load runs. `Histogram` adds statistics. */
export class HistogramCounts {
  /** Counts by bucket, as doubles because a count can exceed 2³². */
  readonly counts = new Float64Array(BUCKETS);
  count = 0;
  sumUs = 0;
  sumSquaresUs = 0;
  /** Smallest and largest recorded value, exact. Infinity and 0 when empty. */
  minUs = Infinity;
  maxUs = 0;
  // The range of buckets in use, so that draining takes time only for these and not for the whole
  // layout.
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
