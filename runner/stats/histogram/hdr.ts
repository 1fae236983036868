/**
 * HdrHistogram's V2 encoding, compressed, in base64: what `HistogramLogReader`, hdr-histogram-js and
 * others read. Layout: a cookie and length around a zlib stream of a 40-byte header (big-endian) and
 * the counts, as ZigZag LEB128 numbers in which −n stands for n empty buckets (and 0 for one).
 */
import { Buffer } from "node:buffer";
import { deflateSync, inflateSync } from "node:zlib";
import { Leb128Reader, Leb128Writer } from "../../../base/leb128.ts";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../../base/limits.ts";
import { EMPTY, Histogram, type SparseHistogram } from "./histogram.ts";
import { BUCKETS, HIGHEST_US, highestUsOf, lowestUsOf } from "./histogram_counts.ts";

const COOKIE = 0x1c849303 | 0x10;
const COMPRESSED_COOKIE = 0x1c849304 | 0x10;
const HEADER_BYTES = 40;
const DIGITS = 3;
/** What the histogram of an interval inflates to, about; zlib's own 16 KB take longer to get than to fill. */
const CHUNK_BYTES = 2_048;

function encodeCounts({ indices, counts }: SparseHistogram): Uint8Array {
  const writer = new Leb128Writer();
  let next = 0;
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] > next) writer.pushZigZag(next - indices[i]);
    writer.pushZigZag(counts[i]);
    next = indices[i] + 1;
  }
  return writer.bytes;
}

export function encodeHistogram(part: SparseHistogram): string {
  const counts = encodeCounts(part);
  const plain = Buffer.alloc(HEADER_BYTES + counts.length);
  plain.writeUInt32BE(COOKIE, 0);
  plain.writeUInt32BE(counts.length, 4);
  plain.writeUInt32BE(0, 8); // normalizing index offset
  plain.writeUInt32BE(DIGITS, 12);
  plain.writeBigUInt64BE(1n, 16); // lowest discernible value
  plain.writeBigUInt64BE(BigInt(HIGHEST_US), 24);
  plain.writeDoubleBE(1, 32); // integer to double conversion ratio
  plain.set(counts, HEADER_BYTES);
  const compressed = deflateSync(plain);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(COMPRESSED_COOKIE, 0);
  head.writeUInt32BE(compressed.length, 4);
  return Buffer.concat([head, compressed]).toString("base64");
}

/** Reads what `encodeHistogram` wrote. Throws on anything else. */
export function decodeHistogram(base64: string): Histogram {
  const histogram = new Histogram();
  histogram.addSparse(decodeSparse(base64));
  return histogram;
}

/** The same without the empty buckets; values come back as their buckets, sums as of bucket middles. */
export function decodeSparse(base64: string): SparseHistogram {
  return sparseOf(readBuckets(base64));
}

/** What a histogram holds, without its buckets. */
type Summary = Omit<SparseHistogram, "indices" | "counts">;

/** An interval as `results.json` has it. */
interface Encoded {
  /** "" for none. */
  readonly histogram: string;
}

/** What was read of an interval, for as long as anything holds it; of other texts nothing is kept. */
const kept = new WeakMap<Encoded, { readonly text: string; readonly held: SparseHistogram }>();

/** Of all that is kept: beyond it, texts are read again. 450 runs of 10 s take 30 MB. */
const MOST_KEPT_BYTES = 96_000_000;
/** Beside the numbers themselves: two arrays, and what knows them. */
const BYTES_OF_ANY = 400;
let keptBytes = 0;
const forgotten = new FinalizationRegistry<number>((bytes) => keptBytes -= bytes);

/** Bytes of memory for each character of text up to which a histogram is kept: four are common, and no file is a bomb. */
const MOST_GROWTH = 8;

/** `decodeSparse` of an interval: its text is read once, however often somebody wants what it holds. */
export function decodeInterval(interval: Encoded): SparseHistogram {
  const { histogram: text } = interval;
  if (text === "") return EMPTY;
  const known = kept.get(interval);
  if (known?.text === text) return known.held;
  const held = decodeSparse(text);
  const bytes = held.indices.byteLength + held.counts.byteLength;
  if (bytes > text.length * MOST_GROWTH || keptBytes > MOST_KEPT_BYTES) return held;
  if (known === undefined) {
    keptBytes += bytes + BYTES_OF_ANY;
    forgotten.register(interval, bytes + BYTES_OF_ANY);
  }
  kept.set(interval, { text, held });
  return held;
}

/**
 * What each of some intervals holds, for whoever adds it up: it is valid until the next is asked for, as those that are
 * not kept are all read into one place.
 */
export function* eachInterval(intervals: Iterable<Encoded>): Generator<SparseHistogram> {
  for (const interval of intervals) {
    const isKept = keptBytes <= MOST_KEPT_BYTES || kept.has(interval);
    yield isKept || interval.histogram === ""
      ? decodeInterval(interval)
      : viewOf(readBuckets(interval.histogram));
  }
}

/** How many values are in a histogram. Throws as `decodeSparse`. */
export function countIn(base64: string): number {
  return readBuckets(base64).count;
}

/**
 * How many values an interval holds. Throws as `decodeSparse`. Of a few intervals what was read is kept, as they will be
 * read again; of more than can be kept nothing is made but the number.
 */
export function countOfInterval(interval: Encoded): number {
  const isKept = keptBytes <= MOST_KEPT_BYTES || kept.has(interval);
  return isKept || interval.histogram === ""
    ? decodeInterval(interval).count
    : countIn(interval.histogram);
}

/** What was read into `indicesRead` and `countsRead`: how many buckets, the most in one, and what they sum up to. */
type BucketsRead = Summary & { readonly used: number; readonly most: number };

/** @param read The histogram that was read last. */
function sparseOf({ used, most, ...summary }: BucketsRead): SparseHistogram {
  const counts = most < 1 << 16 ? smallCountsRead : countsRead;
  return { indices: indicesRead.slice(0, used), counts: counts.slice(0, used), ...summary };
}

/** The same without a copy. */
function viewOf({ used, most, ...summary }: BucketsRead): SparseHistogram {
  const counts = most < 1 << 16 ? smallCountsRead : countsRead;
  return { indices: indicesRead.subarray(0, used), counts: counts.subarray(0, used), ...summary };
}

/** Reads a histogram into `indicesRead` and `countsRead`, which hold it until the next. */
function readBuckets(base64: string): BucketsRead {
  if (!isWithin("histogramText", base64.length)) {
    throw unreadable(beyond("histogramText", base64.length));
  }
  const compressed = Buffer.from(base64, "base64");
  if (compressed.length < 8 || compressed.readUInt32BE(0) !== COMPRESSED_COOKIE) {
    throw unreadable("it is not HdrHistogram V2, compressed");
  }
  const plain = inflated(compressed.subarray(8));
  if (plain.length < HEADER_BYTES || plain.readUInt32BE(0) !== COOKIE) {
    throw unreadable("it has no header of HdrHistogram V2");
  }
  if (plain.readUInt32BE(12) !== DIGITS || plain.readBigUInt64BE(24) !== BigInt(HIGHEST_US)) {
    throw unreadable("its layout is not 3 digits up to 1 hour");
  }
  const end = HEADER_BYTES + plain.readUInt32BE(4);
  if (end > plain.length) throw unreadable("it ends too early");
  return readCounts(plain.subarray(HEADER_BYTES, end));
}

/** No further than a histogram can be long: 1.5 MB may stand for 1.5 GB. */
function inflated(compressed: Buffer): Buffer {
  try {
    return inflateSync(compressed, {
      maxOutputLength: LIMITS.histogramBytes.most,
      chunkSize: CHUNK_BYTES,
    });
  } catch (error) {
    const isTooMuch = Reflect.get(Object(error), "code") === "ERR_BUFFER_TOO_LARGE";
    throw unreadable(
      isTooMuch ? beyond("histogramBytes", oneMoreThan("histogramBytes")) : "it is no zlib stream",
    );
  }
}

function unreadable(why: string): Error {
  return new Error(`Cannot decode the histogram: ${why}`);
}

/** Of any histogram while it is read; a layout has no more buckets. */
const indicesRead = new Uint16Array(BUCKETS);
const countsRead = new Float64Array(BUCKETS);
/** The same modulo 2¹⁶. */
const smallCountsRead = new Uint16Array(BUCKETS);
const numbers = new Leb128Reader();

/** The middle of each bucket, in microseconds; found when the first histogram is read. */
let middles: Float64Array | null = null;

function middlesUs(): Float64Array {
  return Float64Array.from(
    { length: BUCKETS },
    (_, index) => (lowestUsOf(index) + highestUsOf(index)) / 2,
  );
}

// hot: a report reads tens of thousands of interval histograms; nearly all of their numbers take a byte or two.
/**
 * ZigZag: 2n stands for n values in a bucket, 2n − 1 for n empty ones, and 0 for one. Which comes next is chance, and
 * a branch that is foretold wrong takes longer than all else. So both do the same: what a gap writes is
 * written over.
 */
function readCounts(bytes: Uint8Array): BucketsRead {
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
    // In whole numbers of 32 bits: 1 for a gap, and 0 for a bucket.
    const isGap = (number & 1) | ((number - 1) >>> 31);
    if (index >= BUCKETS && isGap === 0) throw unreadable(TOO_MANY);
    const held = number >> 1;
    indicesRead[used] = index;
    countsRead[used] = smallCountsRead[used] = held;
    used += 1 - isGap;
    index += 1 + (held & -isGap);
  }
  const summary = summaryOf(used);
  // A number that is cut off is NaN, and so is every sum with it.
  if (!Number.isSafeInteger(summary.count) || !(index <= BUCKETS)) {
    throw unreadable("its counts are no whole numbers of its buckets");
  }
  return summary;
}

const TOO_MANY = "it has too many buckets";

// hot: likewise.
/** @param used How many buckets were read. */
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

// Reading what was decoded.

/**
 * How many values lie beyond a limit. A bucket reads as its upper end, as in the percentiles of the results, but
 * never above the longest.
 */
export function countBeyond(
  { indices, counts }: SparseHistogram,
  maxMs: number,
  isBeyond: (ms: number) => boolean,
): number {
  let beyond = 0;
  for (let i = 0; i < indices.length; i++) {
    if (isBeyond(Math.min(highestUsOf(indices[i]) / 1_000, maxMs))) beyond += counts[i];
  }
  return beyond;
}
