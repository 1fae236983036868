/** Histograms with statistics: sums, percentiles, and a compact form that can be posted to another isolate. */
import { BUCKETS, highestUsOf, HistogramCounts, lowestUsOf } from "./histogram_counts.ts";

/** A histogram without empty buckets, small enough to post between isolates. */
export interface SparseHistogram {
  readonly indices: Uint16Array<ArrayBuffer>;
  /** Whole numbers, one for each index. The array is a `Uint16Array` only if every count fits into 16 bits. */
  readonly counts: Float64Array<ArrayBuffer> | Uint16Array<ArrayBuffer>;
  readonly count: number;
  readonly sumUs: number;
  readonly sumSquaresUs: number;
  readonly minUs: number;
  readonly maxUs: number;
}

/** Buffers for the buckets in use while a sparse histogram is made. */
const usedIndices = new Uint16Array(BUCKETS);
const usedCounts = new Float64Array(BUCKETS);

export class Histogram extends HistogramCounts {
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
    this.first = Math.min(this.first, part.indices[0]);
    this.last = Math.max(this.last, part.indices[part.indices.length - 1]);
  }

  toSparse(): SparseHistogram {
    let used = 0;
    for (let i = this.first; i <= this.last; i++) {
      const count = this.counts[i];
      if (count === 0) continue;
      usedIndices[used] = i;
      usedCounts[used++] = count;
    }
    const { count, sumUs, sumSquaresUs, minUs, maxUs } = this;
    const [indices, counts] = [usedIndices.slice(0, used), usedCounts.slice(0, used)];
    return { indices, counts, count, sumUs, sumSquaresUs, minUs, maxUs };
  }

  /** Returns the recorded values, and resets the histogram. */
  drain(): SparseHistogram {
    const part = this.toSparse();
    this.counts.fill(0, this.first, this.last + 1);
    this.count =
      this.sumUs =
      this.sumSquaresUs =
      this.maxUs =
        0;
    this.minUs = Infinity;
    this.first = BUCKETS;
    this.last = -1;
    return part;
  }

  /** In microseconds; 0 when empty. */
  get meanUs(): number {
    return this.count === 0 ? 0 : this.sumUs / this.count;
  }

  /** Standard deviation of the values as a whole population (the divisor is n), in microseconds; 0 when empty. */
  get stdevUs(): number {
    if (this.count === 0) return 0;
    return Math.sqrt(Math.max(0, this.sumSquaresUs / this.count - this.meanUs ** 2));
  }

  /**
   * The value, in microseconds, that `percentile` (0–100) of the values do not exceed. It is the upper end of the
   * bucket that contains rank ⌈p·n/100⌉, as in HdrHistogram's getValueAtPercentile, but never above the largest
   * recorded value. 0 when empty.
   */
  valueAtPercentile(percentile: number): number {
    const rank = rankOf(percentile, this.count);
    let seen = 0;
    for (let i = this.first; i <= this.last; i++) {
      seen += this.counts[i];
      if (seen >= rank) return Math.min(highestUsOf(i), this.maxUs);
    }
    return 0;
  }

  /** Calls `visit` for every bucket in use, in order, with its bounds in microseconds. */
  forEachBucket(visit: (lowUs: number, highUs: number, count: number) => void): void {
    for (let i = this.first; i <= this.last; i++) {
      if (this.counts[i] > 0) visit(lowestUsOf(i), highestUsOf(i), this.counts[i]);
    }
  }
}

/** The same as `Histogram.valueAtPercentile`, for a sparse histogram. */
export function valueAtPercentile(histogram: SparseHistogram, percentile: number): number {
  const { indices, count, maxUs } = histogram;
  const cumulated = cumulatedOf(histogram);
  const at = firstIndex(cumulated.length, (i) => cumulated[i] >= rankOf(percentile, count));
  return at < indices.length ? Math.min(highestUsOf(indices[at]), maxUs) : 0;
}

/**
 * The number of values up to and in each bucket in use. It is cached, because a curve reads dozens of percentiles of
 * one histogram.
 */
const cumulations = new WeakMap<SparseHistogram, Float64Array>();

function cumulatedOf(histogram: SparseHistogram): Float64Array {
  const known = cumulations.get(histogram);
  if (known !== undefined) return known;
  const cumulated = Float64Array.from(histogram.counts);
  for (let i = 1; i < cumulated.length; i++) cumulated[i] += cumulated[i - 1];
  cumulations.set(histogram, cumulated);
  return cumulated;
}

/**
 * The first of `length` indexes for which `holds` is true, found by bisection; `length` if there is none. `holds` must
 * be true for all indexes after that one.
 */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let first = 0;
  for (let end = length; first < end;) {
    const middle = (first + end) >> 1;
    if (holds(middle)) end = middle;
    else first = middle + 1;
  }
  return first;
}

/**
 * The rank of a percentile. It is reduced by a relative rounding error, so that 99.9 % of 1,000 is rank 999 and not
 * 1,000.
 */
function rankOf(percentile: number, count: number): number {
  return Math.max(1, Math.ceil(percentile / 100 * count * (1 - Number.EPSILON)));
}

export function mergeHistograms(parts: Iterable<SparseHistogram>): Histogram {
  const whole = new Histogram();
  for (const part of parts) whole.addSparse(part);
  return whole;
}

/** Buffers of `sumOfSparse`: the sums, and a bit for each bucket in use. All are zero between calls. */
const sums = new Float64Array(BUCKETS);
const inUse = new Int32Array(BUCKETS >> 5);

// hot: a report adds up tens of thousands of intervals.
/**
 * The sum of the parts, without empty buckets. The cost depends on the buckets that the parts use, not on the number of
 * buckets in the layout.
 */
export function sumOfSparse(parts: Iterable<SparseHistogram>): SparseHistogram {
  const whole = { count: 0, sumUs: 0, sumSquaresUs: 0, minUs: Infinity, maxUs: 0 };
  for (const part of parts) {
    const { indices, counts } = part;
    if (part.count === 0) continue;
    for (let i = 0; i < indices.length; i++) {
      const index = indices[i];
      sums[index] += counts[i];
      inUse[index >> 5] |= 1 << (index & 31);
    }
    whole.count += part.count;
    whole.sumUs += part.sumUs;
    whole.sumSquaresUs += part.sumSquaresUs;
    whole.minUs = Math.min(whole.minUs, part.minUs);
    whole.maxUs = Math.max(whole.maxUs, part.maxUs);
  }
  return { ...drainSums(), ...whole };
}

// hot: runs for every sum of `sumOfSparse`.
/**
 * Empties the buffers. Returns the counts in 16 bits if they fit, which takes a quarter of the memory: a report keeps
 * the sums of thousands of runs.
 */
function drainSums(): Pick<SparseHistogram, "indices" | "counts"> {
  let length = 0;
  let most = 0;
  for (let word = 0; word < inUse.length; word++) {
    for (let bits = inUse[word]; bits !== 0; bits &= bits - 1) {
      const index = (word << 5) + 31 - Math.clz32(bits & -bits);
      if (sums[index] === 0) continue;
      usedIndices[length] = index;
      if (sums[index] > most) most = sums[index];
      usedCounts[length++] = sums[index];
      sums[index] = 0;
    }
    inUse[word] = 0;
  }
  const counts = most < 1 << 16
    ? Uint16Array.from(usedCounts.subarray(0, length))
    : usedCounts.slice(0, length);
  return { indices: usedIndices.slice(0, length), counts };
}

/**
 * The sum of two histograms. The cost depends on the buckets that they use, not on the number of buckets in the layout.
 */
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

export const EMPTY: SparseHistogram = new Histogram().toSparse();

/**
 * A histogram that is handed on repeatedly, each time with only the new values. Each hand-over costs time for the new
 * values alone.
 */
export class GrowingHistogram {
  /** The values since the last `take`. New values must be recorded here. */
  readonly fresh = new Histogram();
  readonly #before = new Histogram();

  /** Sum of all values, whether or not they were taken, in microseconds. */
  get sumUs(): number {
    return this.#before.sumUs + this.fresh.sumUs;
  }

  /** Returns the values since the last call. */
  take(): SparseHistogram {
    const part = this.fresh.drain();
    this.#before.addSparse(part);
    return part;
  }

  /** All values, including those already taken. */
  whole(): SparseHistogram {
    return addSparse(this.#before.toSparse(), this.fresh.toSparse());
  }
}

// The sum of many histograms that are added as they arrive. A fleet sends thousands in each
// interval.

/**
 * Histograms are added to the sum in groups of this size, because each addition takes time in proportion to the size of
 * the sum.
 */
const AT_ONCE = 64;

export class HistogramSum {
  static #made = 0;
  #sum: SparseHistogram = EMPTY;
  #waiting: SparseHistogram[] = [];
  /**
   * Number of parts so far, plus an offset that differs from sum to sum. Without the offset, the sums for the hundred
   * requests of a flow would all be computed in the same interval.
   */
  #added = HistogramSum.#made++ % AT_ONCE;

  add(part: SparseHistogram): void {
    if (part.count === 0) return;
    this.#waiting.push(part);
    if (++this.#added % AT_ONCE === 0) this.whole();
  }

  /** The sum of everything added so far. */
  whole(): SparseHistogram {
    const [first, ...others] = this.#waiting;
    if (first !== undefined) {
      this.#sum = others.length === 0
        ? addSparse(this.#sum, first)
        : mergeHistograms([this.#sum, first, ...others]).toSparse();
    }
    this.#waiting = [];
    return this.#sum;
  }
}

/**
 * A `GrowingHistogram` in half the memory, for uses that need many of them. Values that were taken are kept without
 * empty buckets, and about one `take` in 64 adds them up.
 */
export class CompactHistogram {
  /** The values since the last `take`. New values must be recorded here. */
  readonly fresh = new Histogram();
  readonly #before = new HistogramSum();

  /** Returns the values since the last call. */
  take(): SparseHistogram {
    const part = this.fresh.drain();
    this.#before.add(part);
    return part;
  }

  /** All values, including those already taken. */
  whole(): SparseHistogram {
    return addSparse(this.#before.whole(), this.fresh.toSparse());
  }
}
