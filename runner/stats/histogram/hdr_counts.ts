/**
 * The counts of HdrHistogram's V2 encoding, a sequence of ZigZag LEB128 numbers. A positive n stands for n values in a
 * bucket, −n for n empty buckets, and 0 for one empty bucket. This file also runs in browsers.
 */
import { Leb128Reader, Leb128Writer } from "../../../base/leb128.ts";
import type { SparseHistogram } from "./histogram.ts";
import { BUCKETS, highestUsOf, lowestUsOf } from "./histogram_counts.ts";

export function encodeCounts({ indices, counts }: SparseHistogram): Uint8Array {
  const writer = new Leb128Writer();
  let next = 0;
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] > next) writer.pushZigZag(next - indices[i]);
    writer.pushZigZag(counts[i]);
    next = indices[i] + 1;
  }
  return writer.bytes;
}

/**
 * Decodes the output of `encodeCounts`, and throws an Error for anything else. Sums are computed from the middles of
 * buckets, because the exact values are unknown.
 */
export function decodeCounts(bytes: Uint8Array): SparseHistogram {
  return sparseOf(readCounts(bytes));
}

export function unreadable(why: string): Error {
  return new Error(`Cannot decode the histogram: ${why}`);
}

/** A histogram without its buckets: its count, sums, minimum and maximum. */
type Summary = Omit<SparseHistogram, "indices" | "counts">;

/**
 * Summary of the histogram in `indicesRead` and `countsRead`: its number of buckets, its largest count, and its sums.
 */
export type BucketsRead = Summary & { readonly used: number; readonly most: number };

/**
 * Copies the last decoded histogram out of the buffers.
 * @param read The result of `readCounts` for that histogram.
 */
export function sparseOf({ used, most, ...summary }: BucketsRead): SparseHistogram {
  const counts = most < 1 << 16 ? smallCountsRead : countsRead;
  return { indices: indicesRead.slice(0, used), counts: counts.slice(0, used), ...summary };
}

/** Returns the same as `sparseOf` without copying, so the result is valid only until the next histogram is read. */
export function viewOf({ used, most, ...summary }: BucketsRead): SparseHistogram {
  const counts = most < 1 << 16 ? smallCountsRead : countsRead;
  return { indices: indicesRead.subarray(0, used), counts: counts.subarray(0, used), ...summary };
}

/** Buffers for the histogram being decoded, large enough for any histogram. */
const indicesRead = new Uint16Array(BUCKETS);
const countsRead = new Float64Array(BUCKETS);
/** The same numbers as in `countsRead`, modulo 2¹⁶. */
const smallCountsRead = new Uint16Array(BUCKETS);
const numbers = new Leb128Reader();

/** The middle of each bucket, in microseconds; computed when the first histogram is read. */
let middles: Float64Array | null = null;

function middlesUs(): Float64Array {
  return Float64Array.from(
    { length: BUCKETS },
    (_, index) => (lowestUsOf(index) + highestUsOf(index)) / 2,
  );
}

// hot: a report decodes tens of thousands of interval histograms. Nearly all of their numbers take
// one or two bytes.
/**
 * Reads a histogram into `indicesRead` and `countsRead`, which hold it until the next histogram is read.
 *
 * In ZigZag, 2n stands for n values in a bucket, 2n − 1 for n empty buckets, and 0 for one empty bucket. Whether a
 * bucket with values or a gap comes next can't be predicted, and a mispredicted branch takes longer than everything
 * else. So both are handled without a branch: what a gap writes is overwritten by the next bucket.
 */
export function readCounts(bytes: Uint8Array): BucketsRead {
  const length = bytes.length;
  let used = 0;
  let index = 0;
  for (let at = 0; at < length;) {
    let number = bytes[at++];
    if (number >= 0x80) {
      const next = at < length ? bytes[at] : 0x80;
      if (next >= 0x80) {
        numbers.begin(bytes, length);
        numbers.at = at - 1;
        const long = numbers.next();
        at = numbers.at;
        if (long % 2 === 1 || long === 0) {
          index += Math.floor(long / 2) + 1;
          continue;
        }
        if (index >= BUCKETS) throw unreadable(TOO_MANY);
        indicesRead[used] = index++;
        countsRead[used] = smallCountsRead[used] = long / 2;
        used++;
        continue;
      }
      at++;
      number += (next - 1) << 7;
    }
    // 1 for a gap and 0 for a bucket, in 32-bit arithmetic.
    const isGap = (number & 1) | ((number - 1) >>> 31);
    if (index >= BUCKETS && isGap === 0) throw unreadable(TOO_MANY);
    const held = number >> 1;
    indicesRead[used] = index;
    countsRead[used] = smallCountsRead[used] = held;
    used += 1 - isGap;
    index += 1 + (held & -isGap);
  }
  const summary = summaryOf(used);
  // A truncated number is read as NaN, which makes every sum that contains it NaN.
  if (!Number.isSafeInteger(summary.count) || !(index <= BUCKETS)) {
    throw unreadable("its counts are not whole numbers");
  }
  return summary;
}

const TOO_MANY = "it has too many buckets";

// hot: runs for every histogram that is decoded.
/** @param used Number of buckets decoded into the buffers. */
function summaryOf(used: number): BucketsRead {
  const middleUs = middles ??= middlesUs();
  let most = 0;
  let count = 0;
  let sumUs = 0;
  let sumSquaresUs = 0;
  for (let i = 0; i < used; i++) {
    const inBucket = countsRead[i];
    const us = middleUs[indicesRead[i]];
    const weighedUs = inBucket * us;
    count += inBucket;
    sumUs += weighedUs;
    sumSquaresUs += weighedUs * us;
    if (inBucket > most) most = inBucket;
  }
  return {
    used,
    most,
    count,
    sumUs,
    sumSquaresUs,
    minUs: used === 0 ? Infinity : lowestUsOf(indicesRead[0]),
    maxUs: used === 0 ? 0 : highestUsOf(indicesRead[used - 1]),
  };
}
