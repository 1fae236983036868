/**
 * HdrHistogram's V2 encoding, compressed, in base64: what `HistogramLogReader`, hdr-histogram-js and
 * others read. Layout: a cookie and length around a zlib stream of a 40-byte header (big-endian) and
 * the counts, as ZigZag LEB128 numbers in which −n stands for n empty buckets (and 0 for one).
 */
import { Buffer } from "node:buffer";
import { deflateSync, inflateSync } from "node:zlib";
import { Leb128Reader, Leb128Writer } from "../../../base/leb128.ts";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../../base/limits.ts";
import { Histogram, type SparseHistogram } from "./histogram.ts";
import { BUCKETS, HIGHEST_US, highestUsOf, lowestUsOf } from "./histogram_counts.ts";

const COOKIE = 0x1c849303 | 0x10;
const COMPRESSED_COOKIE = 0x1c849304 | 0x10;
const HEADER_BYTES = 40;
const DIGITS = 3;

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
  return sparseOf(plain.subarray(HEADER_BYTES, end));
}

/** No further than a histogram can be long: 1.5 MB may stand for 1.5 GB. */
function inflated(compressed: Buffer): Buffer {
  try {
    return inflateSync(compressed, { maxOutputLength: LIMITS.histogramBytes.most });
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

// hot: a report reads tens of thousands of interval histograms.
function sparseOf(bytes: Uint8Array): SparseHistogram {
  // Each bucket takes a byte or more.
  const indices = new Uint16Array(bytes.length);
  const counts = new Float64Array(bytes.length);
  let used = 0;
  const sums = { count: 0, sumUs: 0, sumSquaresUs: 0 };
  let index = 0;
  const numbers = new Leb128Reader(bytes);
  while (!numbers.isAtEnd) {
    const count = numbers.nextZigZag();
    if (count === 0) index++;
    else if (count < 0) index -= count;
    else if (index >= BUCKETS) throw unreadable("it has too many buckets");
    else {
      const middleUs = (lowestUsOf(index) + highestUsOf(index)) / 2;
      sums.count += count;
      sums.sumUs += count * middleUs;
      sums.sumSquaresUs += count * middleUs * middleUs;
      indices[used] = index++;
      counts[used++] = count;
    }
  }
  // A number that is cut off is NaN, and so is every sum with it.
  if (!Number.isSafeInteger(sums.count) || !(index <= BUCKETS)) {
    throw unreadable("its counts are no whole numbers of its buckets");
  }
  return {
    indices: indices.slice(0, used),
    counts: counts.slice(0, used),
    ...sums,
    minUs: used === 0 ? Infinity : lowestUsOf(indices[0]),
    maxUs: used === 0 ? 0 : highestUsOf(indices[used - 1]),
  };
}
