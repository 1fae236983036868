/**
 * Whole numbers as LEB128 (DWARF 5 §7.6): seven bits in each byte, the lowest first, and 128 added to each byte except
 * the last. Computed by arithmetic, because counts exceed 2³¹ and bit operations are limited to 32 bits.
 */

/** The most bytes that a number up to 2⁵³ − 1 takes. */
export const NUMBER_BYTES = 8;

const FIRST_BYTES = 1 << 10;
const NOTHING = new Uint8Array(0);

export class Leb128Writer {
  #bytes = new Uint8Array(FIRST_BYTES);
  length = 0;

  /** The bytes written, valid until more are pushed. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }

  // hot: a large report packs millions of numbers.
  /** @param value A number from 0 to 2⁵³ − 1. */
  push(value: number): void {
    this.#makeRoom(NUMBER_BYTES);
    const bytes = this.#bytes;
    if (value < 0x80) {
      bytes[this.length++] = value;
      return;
    }
    let at = this.length;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[at++] = rest % 0x80 + 0x80;
    bytes[at++] = rest;
    this.length = at;
  }

  /**
   * Pushes a number of either sign: 0, −1, 1, −2 … become 0, 1, 2, 3 …
   * @param value A number from −2⁵² to 2⁵² − 1, half the range of `push`.
   */
  pushZigZag(value: number): void {
    this.push(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  /** Appends raw bytes, which have no length before them. */
  pushBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  #makeRoom(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + bytes);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

export class Leb128Reader {
  /** Offset of the next number. */
  at = 0;
  #bytes: Uint8Array = NOTHING;
  #length = 0;

  constructor(bytes: Uint8Array = NOTHING) {
    this.begin(bytes, bytes.length);
  }

  /** Goes on to other bytes: reads `bytes[0, length)` from its beginning. */
  begin(bytes: Uint8Array, length: number): void {
    this.#bytes = bytes;
    this.#length = length;
    this.at = 0;
  }

  get isAtEnd(): boolean {
    return this.at === this.#length;
  }

  // hot: every second, a coordinator reads some 10,000 numbers from each agent, most of one byte.
  /** The next number; NaN if the remaining bytes do not hold a complete one, or if it is above 2⁵³ − 1. */
  next(): number {
    if (this.at === this.#length) return NaN;
    const first = this.#bytes[this.at++];
    return first < 0x80 ? first : this.#longer(first);
  }

  #longer(first: number): number {
    let number = first;
    // A byte of 128 or more announces another byte. Its 128 equals 1 in the scale of that other
    // byte, from which 1 is therefore subtracted.
    for (let scale = 0x80; number >= scale; scale *= 0x80) {
      if (this.at === this.#length) return NaN;
      number += (this.#bytes[this.at++] - 1) * scale;
    }
    return number <= Number.MAX_SAFE_INTEGER ? number : NaN;
  }
}
