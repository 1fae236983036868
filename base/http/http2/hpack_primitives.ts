/** Integers and strings of HPACK (RFC 7541 §5), read from a block and written to one. */
import { Buffer } from "node:buffer";
import { HpackError } from "./fields.ts";
import { decodeHuffman, encodeHuffman, huffmanBytes, mostDecoded } from "./huffman.ts";

const MOST_INTEGER = 2 ** 31 - 1;
/**
 * The most octets after the first one: as many as the largest integer takes. A longer encoding is refused even if its
 * additional octets add only zeros (§5.1).
 */
export const MOST_CONTINUED = 5;

/** Flag for Huffman coding in the first octet of a string. */
const HUFFMAN = 0x80;
const LENGTH_PREFIX_BITS = 7;

/** Holds decoded octets until they become a string; all readers share this buffer. */
const DECODED = Buffer.alloc(4_096);

export class HpackReader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at === this.bytes.length;
  }

  /** The next octet, without consuming it; throws if there is none. */
  peek(): number {
    if (this.isAtEnd) throw new HpackError("it ends within a field line");
    return this.bytes[this.#at];
  }

  /** @param prefixBits Number of low bits of the first octet that belong to the integer. */
  integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    const value = this.#octet() & most;
    return value < most ? value : this.#longer(most);
  }

  #longer(least: number): number {
    let value = least;
    for (let octets = 0, scale = 1; octets < MOST_CONTINUED; octets++, scale *= 0x80) {
      const octet = this.#octet();
      value += (octet & 0x7f) * scale;
      if (value > MOST_INTEGER) break;
      if (octet < 0x80) return value;
    }
    throw new HpackError("an integer is larger than 2,147,483,647");
  }

  #octet(): number {
    const octet = this.peek();
    this.#at++;
    return octet;
  }

  string(): string {
    const isHuffman = this.peek() >= HUFFMAN;
    const length = this.integer(LENGTH_PREFIX_BITS);
    const from = this.#at;
    const to = from + length;
    if (to > this.bytes.length) throw new HpackError("it ends within a field line");
    this.#at = to;
    return isHuffman ? huffmanText(this.bytes, from, to) : plainText(this.bytes, from, to);
  }
}

function huffmanText(bytes: Uint8Array, from: number, to: number): string {
  const octets = roomFor(mostDecoded(to - from));
  return octets.toString("latin1", 0, decodeHuffman(bytes, from, to, octets));
}

function plainText(bytes: Uint8Array, from: number, to: number): string {
  const octets = roomFor(to - from);
  for (let at = from; at < to; at++) octets[at - from] = bytes[at];
  return octets.toString("latin1", 0, to - from);
}

function roomFor(bytes: number): Buffer {
  return bytes <= DECODED.length ? DECODED : Buffer.alloc(bytes);
}

export class HpackWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;

  /** @param mostBytes Upper bound of the bytes that will be written. */
  constructor(mostBytes: number) {
    this.#bytes = new Uint8Array(mostBytes);
  }

  /** @param flags The bits of the first octet above the prefix. */
  integer(flags: number, prefixBits: number, value: number): void {
    const most = (1 << prefixBits) - 1;
    if (value < most) {
      this.#bytes[this.#at++] = flags | value;
      return;
    }
    this.#bytes[this.#at++] = flags | most;
    let rest = value - most;
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#at++] = rest & 0x7f | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  /** Uses the Huffman code if it makes the string shorter. */
  string(text: string): void {
    const length = huffmanBytes(text);
    if (length < text.length) {
      this.integer(HUFFMAN, LENGTH_PREFIX_BITS, length);
      this.#at = encodeHuffman(text, this.#bytes, this.#at);
    } else {
      this.integer(0, LENGTH_PREFIX_BITS, text.length);
      for (let i = 0; i < text.length; i++) this.#bytes[this.#at++] = text.charCodeAt(i);
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at);
  }
}
