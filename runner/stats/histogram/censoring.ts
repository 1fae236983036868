/**
 * Percentiles of times of which some are only lower bounds, from requests that timed out, were still under way at the
 * end, or were never sent. Such a time is right-censored: all that is known is that the request took at least as long.
 * The bounds are counted in the histogram of all values, and again in a second histogram of their own.
 *
 * There are two kinds of estimates:
 * - The product limit (E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete observations", JASA 1958)
 *   spreads the weight of each bound over the longer values. It assumes that whatever cut a request off had nothing to
 *   do with how long the request would have taken, as when the clock stops a closed loop.
 * - The least and the greatest value that a percentile can have, whatever the true values behind the bounds are, assume
 *   nothing.
 */
import { firstIndex, type SparseHistogram, valueAtPercentile } from "./histogram.ts";
import { BUCKETS, highestUsOf, lowestUsOf } from "./histogram_counts.ts";

/** Relative tolerance, because shares are products of rounded terms. */
const ROUNDING = 1e-12;

/** Percentiles that differ by less than the width of a bucket (0.1 %, or a microsecond) count as equal. */
const VISIBLE_RATIO = 1.001;
const VISIBLE_US = 1;

/**
 * The product-limit estimate of a percentile, in microseconds. It is the same as `valueAtPercentile` if nothing is
 * censored. If it can't reach the percentile because the longest times are bounds, the result is the longest bound,
 * which is a lower bound of the percentile.
 * @param all Every value, the bounds included.
 * @param censored The values that are bounds.
 */
export function productLimitUs(
  all: SparseHistogram,
  censored: SparseHistogram,
  percentile: number,
): number {
  if (censored.count === 0) return valueAtPercentile(all, percentile);
  const target = 1 - percentile / 100 + ROUNDING;
  const surviving = survivalOf(all, censored);
  const at = firstIndex(surviving.length, (i) => surviving[i] <= target);
  return at < surviving.length ? Math.min(highestUsOf(all.indices[at]), all.maxUs) : all.maxUs;
}

/**
 * The surviving share at each bucket in use. It is cached for as long as its histogram exists, because curves need it
 * dozens of times.
 */
const survivals = new WeakMap<
  SparseHistogram,
  { readonly censored: SparseHistogram; readonly surviving: Float64Array }
>();

function survivalOf(all: SparseHistogram, censored: SparseHistogram): Float64Array {
  const known = survivals.get(all);
  if (known?.censored === censored) return known.surviving;
  const surviving = new Float64Array(all.indices.length);
  let atRisk = all.count;
  let share = 1;
  for (let i = 0, j = 0; i < surviving.length; i++) {
    const bounds = censored.indices[j] === all.indices[i] ? censored.counts[j++] : 0;
    // Among equal times, requests that ended count first, because a bound means that its request
    // took longer.
    share *= 1 - (all.counts[i] - bounds) / atRisk;
    surviving[i] = share;
    atRisk -= all.counts[i];
  }
  survivals.set(all, { censored, surviving });
  return surviving;
}

/**
 * The greatest value that a percentile can have, in microseconds: its value if every request with a bound took longer
 * than all others. Infinity if the percentile would then fall on such a request. The least value is that of
 * `valueAtPercentile`, which takes each bound for a value.
 *
 * @param ended The values that are not bounds, if already known.
 */
export function mostUs(
  all: SparseHistogram,
  censored: SparseHistogram,
  percentile: number,
  ended = withoutBounds(all, censored),
): number {
  const share = all.count === 0 ? 0 : 100 * ended.count / all.count;
  if (percentile > share * (1 + ROUNDING)) return Infinity;
  return share === 0 ? 0 : valueAtPercentile(ended, Math.min(100, 100 * percentile / share));
}

/** Whether the true values behind the bounds could visibly raise a percentile above its least value. */
export function isMovable(
  all: SparseHistogram,
  censored: SparseHistogram,
  percentile: number,
  ended?: SparseHistogram,
): boolean {
  if (censored.count === 0) return false;
  const leastUs = valueAtPercentile(all, percentile);
  return mostUs(all, censored, percentile, ended) > leastUs * VISIBLE_RATIO + VISIBLE_US;
}

/**
 * The values that are not bounds, which are those of completed requests. Sums are subtracted, so both histograms must
 * have computed them alike: either from exact values, or from the middles of buckets.
 * @param censored The values of `all` that are bounds.
 */
export function withoutBounds(all: SparseHistogram, censored: SparseHistogram): SparseHistogram {
  if (censored.count === 0) return all;
  const counts = all.counts.slice();
  for (let i = 0, j = 0; i < counts.length && j < censored.indices.length; i++) {
    if (all.indices[i] === censored.indices[j]) counts[i] -= censored.counts[j++];
  }
  const kept = [...counts.keys()].filter((i) => counts[i] > 0);
  return {
    indices: Uint16Array.from(kept, (i) => all.indices[i]),
    counts: Float64Array.from(kept, (i) => counts[i]),
    count: all.count - censored.count,
    sumUs: all.sumUs - censored.sumUs,
    sumSquaresUs: all.sumSquaresUs - censored.sumSquaresUs,
    minUs: kept.length === 0 ? Infinity : Math.max(all.minUs, lowestUsOf(all.indices[kept[0]])),
    maxUs: kept.length === 0
      ? 0
      : Math.min(all.maxUs, highestUsOf(all.indices[kept[kept.length - 1]])),
  };
}

// Packs histograms by merging buckets that are not needed for percentiles of their sums. A
// percentile of several histograms together lies between the least and the greatest value that this
// percentile has in any one of them. So the buckets in which a percentile of `EXACT` may lie are
// kept. So are all buckets from the first lower bound up, because every value there may matter to
// the product limit. Of the other buckets, only the number of values between the kept ones matters.
// They are merged into groups, 16 for each doubling of the time, and counted in the last bucket of
// the group.

/**
 * Percentiles that packing must not change, in ascending order. The report shows no others when readers select part of
 * the runs.
 */
const EXACT = [50, 75, 90, 99, 99.9, 100];

/** There are 2⁴ groups for each doubling of the time. */
const GROUP_BITS = 4;

/**
 * For each bucket, the bucket to which its values are moved: itself, or the last one of its group.
 * @param latencies Histograms of the latencies that may be added up.
 * @param bounds Histograms of the lower bounds among those latencies.
 */
export function groupsOf(
  latencies: readonly SparseHistogram[],
  bounds: readonly SparseHistogram[],
): Uint16Array {
  const isKept = new Uint8Array(BUCKETS);
  for (const { first, last } of rangesOf(latencies)) isKept.fill(1, first, last + 1);
  for (const { indices } of bounds) if (indices.length > 0) isKept.fill(1, indices[0]);
  const groups = new Uint16Array(BUCKETS);
  const ends = groupEnds ??= Uint8Array.from({ length: BUCKETS }, (_, i) => endsGroup(i) ? 1 : 0);
  for (let i = BUCKETS - 1; i >= 0; i--) {
    const isLast = isKept[i] === 1 || isKept[i + 1] === 1 || ends[i] === 1;
    groups[i] = isLast ? i : groups[i + 1];
  }
  return groups;
}

// hot: a large report does this for each interval, or group of intervals, of every run.
/** Moves the values of a histogram to the buckets that `groupsOf` returned. */
export function inGroups(histogram: SparseHistogram, groups: Uint16Array): SparseHistogram {
  const { indices, counts } = histogram;
  const grouped = new Uint16Array(indices.length);
  const sums = new Float64Array(indices.length);
  let used = 0;
  for (let i = 0; i < indices.length; i++) {
    const group = groups[indices[i]];
    if (used === 0 || grouped[used - 1] !== group) grouped[used++] = group;
    sums[used - 1] += counts[i];
  }
  return { ...histogram, indices: grouped.subarray(0, used), counts: sums.subarray(0, used) };
}

/** For each bucket, whether it is the last of its group; computed when first needed. */
let groupEnds: Uint8Array | null = null;

/** Bucket indexes are linear up to 1,024, and above that there are 1,024 for each doubling. */
function endsGroup(index: number): boolean {
  const bits = Math.min(10, 31 - Math.clz32(index));
  return (index + 1) % 2 ** Math.max(0, bits - GROUP_BITS) === 0;
}

interface BucketRange {
  first: number;
  last: number;
}

/** For each percentile of `EXACT`, the buckets in which it lies in any of the histograms. */
function rangesOf(latencies: readonly SparseHistogram[]): BucketRange[] {
  const ranges = EXACT.map((): BucketRange => ({ first: BUCKETS, last: -1 }));
  for (const latency of latencies) widen(ranges, latency);
  return ranges;
}

/** Buffer, reused for each histogram: the number of values up to and in each of its buckets. */
const cumulated = new Float64Array(BUCKETS);

// hot: a large report does this for each interval, or group of intervals, of every run.
/**
 * Extends each range to where the histogram's percentile lies, and by one rank on either side to allow for rounding.
 */
function widen(
  ranges: readonly BucketRange[],
  { indices, counts, count }: SparseHistogram,
): void {
  if (count === 0) return;
  let seen = 0;
  for (let i = 0; i < counts.length; i++) cumulated[i] = seen += counts[i];
  const bucketOf = (rank: number): number =>
    indices[firstIndex(counts.length, (i) => cumulated[i] >= rank)];
  for (const [at, range] of ranges.entries()) {
    const rank = Math.ceil(EXACT[at] / 100 * count);
    range.first = Math.min(range.first, bucketOf(Math.max(1, rank - 1)));
    range.last = Math.max(range.last, bucketOf(Math.min(count, rank + 1)));
  }
}
