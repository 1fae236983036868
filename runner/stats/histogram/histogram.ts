/**
 * A histogram of whole microseconds with three significant digits from 1 µs to 1 hour, laid out as
 * HdrHistogram does (G. Tene, http://hdrhistogram.org): 2048 linear steps, then 1024 per power of two.
 * Below 2,048 µs every value is exact; above, a bucket is at most 0.1 % wide. All histograms share one
 * layout, so merging adds counts and loses nothing.
 */

/** Values above this are counted in the bucket of this value; one hour. */
export const HIGHEST_US = 3_600_000_000;
const SUB_BUCKETS_BITS = 11;
const HALF_BITS = SUB_BUCKETS_BITS - 1;
const HALF = 1 << HALF_BITS;
/** Buckets of the layout: 22 powers of two beyond the first 1024 values. */
export const BUCKETS = 23 * HALF;

/** What a histogram holds, without the empty buckets; small enough to post between isolates. */
export interface SparseHistogram {
  readonly indices: Uint16Array<ArrayBuffer>;
  readonly counts: Float64Array<ArrayBuffer>;
  readonly count: number;
  readonly sumUs: number;
  readonly sumSquaresUs: number;
  readonly minUs: number;
  readonly maxUs: number;
}

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

export class Histogram {
  /** Counts by bucket; doubles, as a count can pass 2³². */
  readonly counts = new Float64Array(BUCKETS);
  count = 0;
  sumUs = 0;
  sumSquaresUs = 0;
  /** Smallest and largest value recorded, exact; Infinity and 0 when empty. */
  minUs = Infinity;
  maxUs = 0;
  // Bounds of the buckets in use, so that draining costs what was recorded, not the layout.
  #first = BUCKETS;
  #last = -1;

  // hot: once or more per exchange; nothing here may allocate.
  record(timeUs: number): void {
    const valueUs = timeUs >= HIGHEST_US ? HIGHEST_US : timeUs > 0 ? (timeUs + 0.5) >>> 0 : 0;
    const index = bucketOf(valueUs);
    this.counts[index]++;
    this.count++;
    this.sumUs += valueUs;
    this.sumSquaresUs += valueUs * valueUs;
    if (valueUs < this.minUs) this.minUs = valueUs;
    if (valueUs > this.maxUs) this.maxUs = valueUs;
    if (index < this.#first) this.#first = index;
    if (index > this.#last) this.#last = index;
  }

  add(other: Histogram): void {
    this.addSparse(other.toSparse());
  }

  addSparse(part: SparseHistogram): void {
    for (let i = 0; i < part.indices.length; i++) this.counts[part.indices[i]] += part.counts[i];
    this.#summarize(part);
  }

  #summarize(part: SparseHistogram): void {
    if (part.count === 0) return;
    this.count += part.count;
    this.sumUs += part.sumUs;
    this.sumSquaresUs += part.sumSquaresUs;
    this.minUs = Math.min(this.minUs, part.minUs);
    this.maxUs = Math.max(this.maxUs, part.maxUs);
    this.#first = Math.min(this.#first, part.indices[0]);
    this.#last = Math.max(this.#last, part.indices[part.indices.length - 1]);
  }

  toSparse(): SparseHistogram {
    let used = 0;
    for (let i = this.#first; i <= this.#last; i++) if (this.counts[i] > 0) used++;
    const indices = new Uint16Array(used);
    const counts = new Float64Array(used);
    for (let i = this.#first, at = 0; i <= this.#last; i++) {
      if (this.counts[i] === 0) continue;
      indices[at] = i;
      counts[at++] = this.counts[i];
    }
    const { count, sumUs, sumSquaresUs, minUs, maxUs } = this;
    return { indices, counts, count, sumUs, sumSquaresUs, minUs, maxUs };
  }

  /** Gives what was recorded and begins anew. */
  drain(): SparseHistogram {
    const part = this.toSparse();
    this.counts.fill(0, this.#first, this.#last + 1);
    this.count =
      this.sumUs =
      this.sumSquaresUs =
      this.maxUs =
        0;
    this.minUs = Infinity;
    this.#first = BUCKETS;
    this.#last = -1;
    return part;
  }

  /** Mean in microseconds; 0 when empty. */
  get meanUs(): number {
    return this.count === 0 ? 0 : this.sumUs / this.count;
  }

  /** Standard deviation of the values (not of a sample of them), microseconds. */
  get stdevUs(): number {
    if (this.count === 0) return 0;
    return Math.sqrt(Math.max(0, this.sumSquaresUs / this.count - this.meanUs ** 2));
  }

  /**
   * The value, in microseconds, that `percentile` (0–100) of the values do not exceed: the upper end
   * of the bucket of rank ⌈p·n/100⌉, as HdrHistogram's getValueAtPercentile, but never above the
   * largest value recorded. 0 when empty.
   */
  valueAtPercentile(percentile: number): number {
    const rank = rankOf(percentile, this.count);
    let seen = 0;
    for (let i = this.#first; i <= this.#last; i++) {
      seen += this.counts[i];
      if (seen >= rank) return Math.min(highestUsOf(i), this.maxUs);
    }
    return 0;
  }

  /** Calls `visit` for every bucket in use, in order, with its bounds in microseconds. */
  forEachBucket(visit: (lowUs: number, highUs: number, count: number) => void): void {
    for (let i = this.#first; i <= this.#last; i++) {
      if (this.counts[i] > 0) visit(lowestUsOf(i), highestUsOf(i), this.counts[i]);
    }
  }
}

/** As `Histogram.valueAtPercentile`. */
export function valueAtPercentile(
  { indices, counts, count, maxUs }: SparseHistogram,
  percentile: number,
): number {
  const rank = rankOf(percentile, count);
  let seen = 0;
  for (let i = 0; i < indices.length; i++) {
    seen += counts[i];
    if (seen >= rank) return Math.min(highestUsOf(indices[i]), maxUs);
  }
  return 0;
}

/** Less one unit in the last place, so that 99.9 % of 1000 is rank 999 and not 1000. */
function rankOf(percentile: number, count: number): number {
  return Math.max(1, Math.ceil(percentile / 100 * count * (1 - Number.EPSILON)));
}

/** The sum of the parts. */
export function mergeHistograms(parts: Iterable<SparseHistogram>): Histogram {
  const whole = new Histogram();
  for (const part of parts) whole.addSparse(part);
  return whole;
}

/** The sum of two; its cost is what they hold, not the layout. */
export function addSparse(one: SparseHistogram, other: SparseHistogram): SparseHistogram {
  if (one.count === 0) return other;
  if (other.count === 0) return one;
  const most = one.indices.length + other.indices.length;
  const indices = new Uint16Array(most);
  const counts = new Float64Array(most);
  let used = 0;
  for (let i = 0, j = 0; i < one.indices.length || j < other.indices.length; used++) {
    const left = one.indices[i] ?? BUCKETS;
    const right = other.indices[j] ?? BUCKETS;
    indices[used] = Math.min(left, right);
    if (left <= right) counts[used] += one.counts[i++];
    if (right <= left) counts[used] += other.counts[j++];
  }
  return {
    indices: indices.slice(0, used),
    counts: counts.slice(0, used),
    count: one.count + other.count,
    sumUs: one.sumUs + other.sumUs,
    sumSquaresUs: one.sumSquaresUs + other.sumSquaresUs,
    minUs: Math.min(one.minUs, other.minUs),
    maxUs: Math.max(one.maxUs, other.maxUs),
  };
}

/** That of nothing. */
export const EMPTY: SparseHistogram = new Histogram().toSparse();
