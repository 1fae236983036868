/**
 * The Huffman code of HPACK (RFC 7541 §5.2, Appendix B). It is canonical: if the octets are sorted by the length of
 * their codes and then by value, each code is the previous one plus one, extended with zeros to its own length. So the
 * lengths determine all codes.
 */
import { HpackError } from "./fields.ts";

/** The end-of-string symbol, whose code must not occur in a string. */
const EOS = 256;

/** Length in bits of the code of each octet, and of EOS. */
// deno-fmt-ignore
const LENGTHS = Uint8Array.of(
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
);

const SHORTEST_BITS = 5;
const LONGEST_BITS = 30;

const CODES = canonicalCodes();

function canonicalCodes(): Uint32Array {
  const codes = new Uint32Array(LENGTHS.length);
  let code = 0;
  for (let length = SHORTEST_BITS; length <= LONGEST_BITS; length++, code <<= 1) {
    for (let symbol = 0; symbol < LENGTHS.length; symbol++) {
      if (LENGTHS[symbol] === length) codes[symbol] = code++;
    }
  }
  return codes;
}

/** Length of the encoded `text` in octets. Each character of `text` stands for an octet. */
export function huffmanBytes(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i++) bits += LENGTHS[text.charCodeAt(i)];
  return bits + 7 >>> 3;
}

/** Writes the encoded `text`, padded with ones. Returns the offset after it. */
export function encodeHuffman(text: string, into: Uint8Array, from: number): number {
  let at = from;
  let octet = 0;
  let room = 8;
  for (let i = 0; i < text.length; i++) {
    const symbol = text.charCodeAt(i);
    const code = CODES[symbol];
    let left = LENGTHS[symbol];
    for (; left >= room; room = 8, octet = 0) {
      left -= room;
      into[at++] = octet | code >>> left;
    }
    octet |= code << room - left;
    room -= left;
  }
  if (room < 8) into[at++] = octet | (1 << room) - 1;
  return at;
}

// Decoding looks up eight bits at once in a table of steps. If a code is longer, its step leads to
// another table for the next eight bits.

/**
 * Steps from this value on yield no octet: `LINK | n` leads to the n-th table. A lower step is `bits << 8 | octet`,
 * where `bits` is how many of the eight bits belong to the octet's code.
 */
const NO_OCTET = 0x4000;
const AT_EOS = NO_OCTET;
const LINK = 0x8000;

const STEPS = stepTables();

/** All tables in one array, with 256 steps each. */
function stepTables(): Uint16Array {
  const tables = [new Uint16Array(256)];
  for (let symbol = 0; symbol <= EOS; symbol++) {
    const code = CODES[symbol];
    let table = tables[0];
    let left = LENGTHS[symbol];
    for (; left > 8; left -= 8) {
      const slot = code >>> left - 8 & 0xff;
      if (table[slot] === 0) table[slot] = LINK | tables.push(new Uint16Array(256)) - 1;
      table = tables[table[slot] & ~LINK];
    }
    const first = code << 8 - left & 0xff;
    table.fill(symbol === EOS ? AT_EOS : left << 8 | symbol, first, first + (1 << 8 - left));
  }
  const steps = new Uint16Array(tables.length << 8);
  for (const [index, table] of tables.entries()) steps.set(table, index << 8);
  return steps;
}

/** Upper bound for the number of octets that `bytes` octets of Huffman code stand for. */
export function mostDecoded(bytes: number): number {
  return Math.floor(bytes * 8 / SHORTEST_BITS);
}

// hot: decodes `bytes[from, to)`; returns the number of octets written.
export function decodeHuffman(
  bytes: Uint8Array,
  from: number,
  to: number,
  into: Uint8Array,
): number {
  let length = 0;
  let table = 0;
  // The lowest `left` bits of `bits` have not been looked up yet.
  let bits = 0;
  let left = 0;
  for (let at = from; at < to; at++) {
    bits = bits << 8 | bytes[at];
    for (left += 8; left >= 8;) {
      const step = STEPS[table << 8 | bits >>> left - 8 & 0xff];
      if (step < NO_OCTET) {
        into[length++] = step;
        left -= step >>> 8;
        table = 0;
      } else {
        if (step === AT_EOS) throw new HpackError("a Huffman string holds EOS");
        left -= 8;
        table = step & ~LINK;
      }
    }
  }
  while (left > 0) {
    const step = STEPS[table << 8 | bits << 8 - left & 0xff];
    if (step >= NO_OCTET || step >>> 8 > left) break;
    into[length++] = step;
    left -= step >>> 8;
    table = 0;
  }
  const padding = (1 << left) - 1;
  if (table === 0 && (bits & padding) === padding) return length;
  throw new HpackError("the padding of a Huffman string is malformed");
}
