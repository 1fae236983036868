/**
 * A histogram as short JSON: its buckets are whole numbers, by turns how many stay empty before one in
 * use and how often that one counted. Nothing is lost. What arrives is checked, as one false histogram
 * would make every figure false that it is merged into.
 */
import * as z from "zod";
import { EMPTY, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import { BUCKETS, highestUsOf, lowestUsOf } from "../../stats/histogram/histogram_counts.ts";
import { Leb128Reader, Leb128Writer, NUMBER_BYTES } from "../../../base/leb128.ts";

/** So long is the text of so many numbers at most. */
export function mostChars(numbers: number): number {
  return Math.ceil(numbers * NUMBER_BYTES / 3) * 4;
}

const writer = new Leb128Writer();

/** @param numbers From 0 to 2⁵³ − 1. */
export function packWholes(numbers: ArrayLike<number>): string {
  writer.clear();
  for (let i = 0; i < numbers.length; i++) writer.push(numbers[i]);
  return writer.bytes.toBase64();
}

/** Gives the numbers of a text one after the other. Meant to be used again, as making room takes long. */
class WholeNumbers {
  #bytes = new Uint8Array(0);
  readonly #reader = new Leb128Reader();

  /** Begins with `text`; false when it is no base64. */
  open(text: string): boolean {
    if (this.#bytes.length < text.length) this.#bytes = new Uint8Array(2 * text.length);
    this.#reader.begin(this.#bytes, 0);
    try {
      this.#reader.begin(this.#bytes, this.#bytes.setFromBase64(text).written);
      return true;
    } catch {
      return false;
    }
  }

  get isOver(): boolean {
    return this.#reader.isAtEnd;
  }

  /** NaN when the rest is none. */
  next(): number {
    return this.#reader.next();
  }
}

const wholes = new WholeNumbers();

/** Null for anything but what `packWholes` writes. */
export function unpackWholes(text: string): number[] | null {
  if (!wholes.open(text)) return null;
  const numbers: number[] = [];
  while (!wholes.isOver) {
    const number = wholes.next();
    if (Number.isNaN(number)) return null;
    numbers.push(number);
  }
  return numbers;
}

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
