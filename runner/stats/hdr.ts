/**
 * HdrHistogram's V2 encoding, compressed, in base64: what `HistogramLogReader`, hdr-histogram-js and
 * others read. Layout: a cookie and length around a zlib stream of a 40-byte header (big-endian) and
 * the counts, as ZigZag LEB128 numbers in which −n stands for n empty buckets (and 0 for one).
 */
import { Buffer } from "node:buffer";
import { deflateSync, inflateSync } from "node:zlib";
import { BUCKETS, HIGHEST_US, Histogram, type SparseHistogram } from "./histogram.ts";

const COOKIE = 0x1c849303 | 0x10;
const COMPRESSED_COOKIE = 0x1c849304 | 0x10;
const HEADER_BYTES = 40;
const DIGITS = 3;

/** One number as ZigZag LEB128 (at most 9 bytes; the ninth holds 8 bits), by arithmetic, as counts pass 2³¹. */
function pushZigZag(bytes: number[], value: number): void {
  let rest = value >= 0 ? value * 2 : -value * 2 - 1;
  while (rest >= 0x80) {
    bytes.push(rest % 0x80 + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}

function encodeCounts({ indices, counts }: SparseHistogram): number[] {
  const bytes: number[] = [];
  let next = 0;
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] > next) pushZigZag(bytes, next - indices[i]);
    pushZigZag(bytes, counts[i]);
    next = indices[i] + 1;
  }
  return bytes;
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

/** Reads what `encodeHistogram` wrote; values come back as their buckets. Throws on anything else. */
export function decodeHistogram(base64: string): Histogram {
  const compressed = Buffer.from(base64, "base64");
  if (compressed.length < 8 || compressed.readUInt32BE(0) !== COMPRESSED_COOKIE) {
    throw new Error("Cannot decode the histogram: it is not HdrHistogram V2, compressed");
  }
  const plain = inflateSync(compressed.subarray(8));
  if (plain.readUInt32BE(12) !== DIGITS || plain.readBigUInt64BE(24) !== BigInt(HIGHEST_US)) {
    throw new Error("Cannot decode the histogram: its layout is not 3 digits up to 1 hour");
  }
  return decodeCounts(plain.subarray(HEADER_BYTES, HEADER_BYTES + plain.readUInt32BE(4)));
}

function decodeCounts(bytes: Uint8Array): Histogram {
  const histogram = new Histogram();
  let index = 0;
  for (let at = 0; at < bytes.length;) {
    let zigZag = 0;
    let scale = 1;
    for (; bytes[at] >= 0x80; at++, scale *= 0x80) zigZag += (bytes[at] - 0x80) * scale;
    zigZag += bytes[at++] * scale;
    const value = zigZag % 2 === 0 ? zigZag / 2 : -(zigZag + 1) / 2;
    if (value <= 0) index += Math.max(1, -value);
    else if (index >= BUCKETS) {
      throw new Error("Cannot decode the histogram: it has too many buckets");
    } else histogram.addBucket(index++, value);
  }
  return histogram;
}
