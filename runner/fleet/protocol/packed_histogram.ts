/**
 * A histogram as short JSON: its buckets are whole numbers, by turns how many stay empty before one in
 * use and how often that one counted. Nothing is lost. What arrives is checked, as one false histogram
 * would make every figure false that it is merged into.
 */
import { z } from "zod";
import { EMPTY, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import { BUCKETS, highestUsOf, lowestUsOf } from "../../stats/histogram/histogram_counts.ts";
import { mostChars, packWholes, WholeNumbers } from "./whole_numbers.ts";

const us = z.number().min(0);

const histogram = z.strictObject({
  sumUs: us,
  sumSquaresUs: us,
  minUs: us.nullable().describe("Null when it holds nothing"),
  maxUs: us,
  buckets: z.string().max(mostChars(2 * BUCKETS)),
});

type PackedHistogram = z.output<typeof histogram>;

export const packedHistogram = histogram.transform((packed, context): SparseHistogram => {
  const part = unpackHistogram(packed);
  if (part !== null && isPossible(part)) return part;
  context.addIssue("Cannot read a histogram whose buckets and sums don't go together");
  return z.NEVER;
});

/** That of nothing may be left out. */
export const packedHistogramOrNone = packedHistogram.optional().transform((part) => part ?? EMPTY);

export function packHistogramOrNone(part: SparseHistogram): PackedHistogram | undefined {
  return part.count === 0 ? undefined : packHistogram(part);
}

/** Whether all values of `part` can be values of `whole`: as lower bounds are among the latencies. */
export function isAmong(part: SparseHistogram, whole: SparseHistogram): boolean {
  let at = 0;
  return part.count <= whole.count && part.indices.every((index, i) => {
    while (at < whole.indices.length && whole.indices[at] < index) at++;
    return whole.indices[at] === index && part.counts[i] <= whole.counts[at];
  });
}

export function packHistogram(part: SparseHistogram): PackedHistogram {
  const { indices, counts, count, sumUs, sumSquaresUs, minUs, maxUs } = part;
  const numbers = new Float64Array(2 * indices.length);
  for (let i = 0, next = 0; i < indices.length; i++) {
    numbers[2 * i] = indices[i] - next;
    numbers[2 * i + 1] = counts[i];
    next = indices[i] + 1;
  }
  const buckets = packWholes(numbers);
  return { sumUs, sumSquaresUs, minUs: count === 0 ? null : minUs, maxUs, buckets };
}

const reader = new WholeNumbers();
const indices = new Uint16Array(BUCKETS);
const counts = new Float64Array(BUCKETS);

// hot: every bucket that every agent reports, every second.
/** Null when the buckets are not whole, in order, or go beyond the layout. */
function unpackHistogram({ buckets, minUs, ...sums }: PackedHistogram): SparseHistogram | null {
  if (!reader.open(buckets)) return null;
  let used = 0;
  let count = 0;
  for (let index = 0; !reader.isOver; index++) {
    const empty = reader.next();
    const counted = reader.next();
    if (!(empty < BUCKETS - index && counted > 0)) return null;
    index += empty | 0; // as whole numbers of the machine: twice as fast
    indices[used] = index;
    counts[used++] = counted;
    count += counted;
  }
  return {
    indices: indices.slice(0, used),
    counts: counts.slice(0, used),
    count,
    ...sums,
    minUs: minUs ?? Infinity,
  };
}

/** What adding up many doubles may come to be off by. */
const ROUNDING = 1e-6;

/** Whether the sums can be of values in these buckets. */
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
