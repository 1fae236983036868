/**
 * A histogram as JSON: its counts in HdrHistogram's V2 encoding, with its sums as separate numbers, so that nothing is
 * lost. Every histogram that arrives is checked, because a false one would falsify every figure that it is merged into.
 */
import * as z from "zod";
import { decodeCounts, encodeCounts } from "../../stats/histogram/hdr_counts.ts";
import { EMPTY, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import { BUCKETS, highestUsOf, lowestUsOf } from "../../stats/histogram/histogram_counts.ts";
import { NUMBER_BYTES } from "../../../base/leb128.ts";

/** The most characters of the counts in base64, with at most two numbers for each bucket. */
const MOST_CHARS = Math.ceil(2 * BUCKETS * NUMBER_BYTES / 3) * 4;

const us = z.number().min(0);

const histogram = z.strictObject({
  sumUs: us,
  sumSquaresUs: us,
  minUs: us.nullable().describe("The smallest value; null: the histogram is empty"),
  maxUs: us,
  buckets: z.string().max(MOST_CHARS),
});

type PackedHistogram = z.output<typeof histogram>;

export const packedHistogram = histogram.transform((packed, context): SparseHistogram => {
  const part = unpackHistogram(packed);
  if (part !== null && isPossible(part)) return part;
  context.addIssue("Cannot read a histogram whose buckets and sums contradict each other");
  return z.NEVER;
});

/** A histogram as JSON; undefined stands for an empty one. */
export const packedHistogramOrNone = packedHistogram.optional().transform((part) => part ?? EMPTY);

export function packHistogramOrNone(part: SparseHistogram): PackedHistogram | undefined {
  return part.count === 0 ? undefined : packHistogram(part);
}

/**
 * Whether the values of `part` can be a subset of those of `whole`. Lower bounds must be such a subset of the
 * latencies.
 */
export function isAmong(part: SparseHistogram, whole: SparseHistogram): boolean {
  let at = 0;
  return part.count <= whole.count && part.indices.every((index, i) => {
    while (at < whole.indices.length && whole.indices[at] < index) at++;
    return whole.indices[at] === index && part.counts[i] <= whole.counts[at];
  });
}

export function packHistogram(part: SparseHistogram): PackedHistogram {
  const { count, sumUs, sumSquaresUs, minUs, maxUs } = part;
  const buckets = encodeCounts(part).toBase64();
  return { sumUs, sumSquaresUs, minUs: count === 0 ? null : minUs, maxUs, buckets };
}

/** Returns null if the buckets are incomplete, or do not fit the histogram's layout. */
function unpackHistogram({ buckets, minUs, ...sums }: PackedHistogram): SparseHistogram | null {
  try {
    const { indices, counts, count } = decodeCounts(Uint8Array.fromBase64(buckets));
    return { indices, counts: new Float64Array(counts), count, ...sums, minUs: minUs ?? Infinity };
  } catch {
    return null;
  }
}

/** The relative error that adding up many doubles may cause. */
const ROUNDING = 1e-6;

/** Whether the sums are possible for values in these buckets. */
function isPossible({ indices, count, ...sums }: SparseHistogram): boolean {
  const { sumUs, sumSquaresUs, minUs, maxUs } = sums;
  if (count === 0) return sumUs === 0 && sumSquaresUs === 0 && minUs === Infinity && maxUs === 0;
  const isBetween = (us: number, low: number, high: number): boolean =>
    us >= low * (1 - ROUNDING) && us <= high * (1 + ROUNDING);
  return Number.isSafeInteger(count) &&
    isWithin(minUs, indices[0]) && isWithin(maxUs, indices[indices.length - 1]) &&
    isBetween(sumUs, count * minUs, count * maxUs) &&
    isBetween(sumSquaresUs, sumUs * minUs, sumUs * maxUs);
}

function isWithin(us: number, bucket: number): boolean {
  return us >= lowestUsOf(bucket) && us <= highestUsOf(bucket);
}
