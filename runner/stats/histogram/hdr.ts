/**
 * HdrHistogram's V2 encoding, compressed and in base64, which `HistogramLogReader`, hdr-histogram-js and others can
 * read. It consists of a cookie, a length, and a zlib stream. The stream holds a 40-byte big-endian header and the
 * counts.
 */
import { Buffer } from "node:buffer";
import { deflateSync, inflateSync } from "node:zlib";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../../base/limits.ts";
import {
  type BucketsRead,
  encodeCounts,
  readCounts,
  sparseOf,
  unreadable,
  viewOf,
} from "./hdr_counts.ts";
import { EMPTY, Histogram, type SparseHistogram } from "./histogram.ts";
import { HIGHEST_US, highestUsOf } from "./histogram_counts.ts";

const COOKIE = 0x1c849303 | 0x10;
const COMPRESSED_COOKIE = 0x1c849304 | 0x10;
const HEADER_BYTES = 40;
const DIGITS = 3;
/**
 * Approximate inflated size of an interval's histogram. It is set because allocating zlib's default of 16 KB takes
 * longer than filling it.
 */
const CHUNK_BYTES = 2_048;

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

/** Decodes the output of `encodeHistogram`. Throws an Error for anything else. */
export function decodeHistogram(base64: string): Histogram {
  const histogram = new Histogram();
  histogram.addSparse(decodeSparse(base64));
  return histogram;
}

/**
 * Decodes a histogram without its empty buckets. Sums are computed from the middles of buckets, because the exact
 * values are unknown. Throws an Error if the text is not such a histogram.
 */
export function decodeSparse(base64: string): SparseHistogram {
  return sparseOf(readBuckets(base64));
}

/** An interval of the timeline, as in `results.json`. */
interface Encoded {
  /** Empty if the interval has no values. */
  readonly histogram: string;
}

/** Cache of decoded histograms, each kept for as long as its interval is in use. */
const kept = new WeakMap<Encoded, { readonly text: string; readonly held: SparseHistogram }>();

/**
 * Limit for the total size of kept histograms. Beyond it, texts are decoded again each time. The histograms of 450 runs
 * of 10 s take 30 MB.
 */
const MOST_KEPT_BYTES = 96_000_000;
/** Overhead of a kept histogram besides its numbers: two arrays, and the entries in the cache and the registry. */
const BYTES_OF_ANY = 400;
let keptBytes = 0;
const forgotten = new FinalizationRegistry<number>((bytes) => keptBytes -= bytes);

/**
 * The most bytes of memory that a kept histogram may take per character of its text. Four bytes are common. A histogram
 * above the limit may come from a zip bomb and is not kept.
 */
const MOST_GROWTH = 8;

/** Decodes the histogram of an interval, only once if there is room to keep it. Throws as `decodeSparse` does. */
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
 * Yields the histograms of the intervals, to be added up. Each is valid only until the next one is read, because
 * histograms that are not kept share a buffer.
 */
export function* eachInterval(intervals: Iterable<Encoded>): Generator<SparseHistogram> {
  for (const interval of intervals) {
    const isKept = keptBytes <= MOST_KEPT_BYTES || kept.has(interval);
    yield isKept || interval.histogram === ""
      ? decodeInterval(interval)
      : viewOf(readBuckets(interval.histogram));
  }
}

/** Number of values in an encoded histogram. Throws as `decodeSparse` does. */
export function countIn(base64: string): number {
  return readBuckets(base64).count;
}

/**
 * Number of values in an interval. Keeps the decoded histogram for later use if there is room. Throws as `decodeSparse`
 * does.
 */
export function countOfInterval(interval: Encoded): number {
  const isKept = keptBytes <= MOST_KEPT_BYTES || kept.has(interval);
  return isKept || interval.histogram === ""
    ? decodeInterval(interval).count
    : countIn(interval.histogram);
}

/** Decodes the buckets into shared buffers, whose content is valid until the next call. */
function readBuckets(base64: string): BucketsRead {
  if (!isWithin("histogramText", base64.length)) {
    throw unreadable(beyond("histogramText", base64.length));
  }
  const compressed = Buffer.from(base64, "base64");
  if (compressed.length < 8 || compressed.readUInt32BE(0) !== COMPRESSED_COOKIE) {
    throw unreadable("it is not a compressed HdrHistogram V2");
  }
  const plain = inflated(compressed.subarray(8));
  if (plain.length < HEADER_BYTES || plain.readUInt32BE(0) !== COOKIE) {
    throw unreadable("it does not begin with a header of HdrHistogram V2");
  }
  if (plain.readUInt32BE(12) !== DIGITS || plain.readBigUInt64BE(24) !== BigInt(HIGHEST_US)) {
    throw unreadable("its buckets are not those for 3 significant digits up to 1 hour");
  }
  const end = HEADER_BYTES + plain.readUInt32BE(4);
  if (end > plain.length) throw unreadable("it ends too early");
  return readCounts(plain.subarray(HEADER_BYTES, end));
}

/** Inflates no more than the longest possible histogram, because 1.5 MB of input may expand to 1.5 GB. */
function inflated(compressed: Buffer): Buffer {
  try {
    return inflateSync(compressed, {
      maxOutputLength: LIMITS.histogramBytes.most,
      chunkSize: CHUNK_BYTES,
    });
  } catch (error) {
    const isTooMuch = Reflect.get(Object(error), "code") === "ERR_BUFFER_TOO_LARGE";
    throw unreadable(
      isTooMuch
        ? beyond("histogramBytes", oneMoreThan("histogramBytes"))
        : "it is not a zlib stream",
    );
  }
}

/**
 * How many values lie beyond a limit. Each value is read as the upper end of its bucket, but never above the largest
 * value, as in the percentiles of the results.
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
