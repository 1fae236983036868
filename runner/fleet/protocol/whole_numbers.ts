/** Lists of whole numbers as short text: LEB128, seven bits a byte from the lowest up, in base64. */

/** A number up to 2⁵³ − 1. */
const NUMBER_BYTES = 8;

/** So long is the text of so many numbers at most. */
export function mostChars(numbers: number): number {
  return Math.ceil(numbers * NUMBER_BYTES / 3) * 4;
}

let room = new Uint8Array(0);

/** @param numbers From 0 to 2⁵³ − 1. */
export function packWholes(numbers: ArrayLike<number>): string {
  const most = numbers.length * NUMBER_BYTES;
  if (room.length < most) room = new Uint8Array(2 * most);
  const bytes = room;
  let used = 0;
  for (let i = 0; i < numbers.length; i++) {
    let rest = numbers[i];
    // By arithmetic, as bits end at 32.
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[used++] = rest % 0x80 + 0x80;
    bytes[used++] = rest;
  }
  return bytes.subarray(0, used).toBase64();
}

/** Gives the numbers of a text one after the other. Meant to be used again, as making room takes long. */
export class WholeNumbers {
  #bytes = new Uint8Array(0);
  #length = 0;
  #at = 0;

  /** Begins with `text`; false when it is no base64. */
  open(text: string): boolean {
    if (this.#bytes.length < text.length) this.#bytes = new Uint8Array(2 * text.length);
    this.#at = this.#length = 0;
    try {
      this.#length = this.#bytes.setFromBase64(text).written;
      return true;
    } catch {
      return false;
    }
  }

  get isOver(): boolean {
    return this.#at === this.#length;
  }

  // hot: a coordinator reads some 10,000 numbers from each agent every second.
  /** NaN when the rest is none. */
  next(): number {
    if (this.#at === this.#length) return NaN;
    const first = this.#bytes[this.#at++];
    return first < 0x80 ? first : this.#longer(first);
  }

  #longer(first: number): number {
    let number = first;
    // Each byte from 128 on says that another follows, which takes those 128 away.
    for (let scale = 0x80; number >= scale; scale *= 0x80) {
      if (this.#at === this.#length) return NaN;
      number += (this.#bytes[this.#at++] - 1) * scale;
    }
    return number <= Number.MAX_SAFE_INTEGER ? number : NaN;
  }
}

const reader = new WholeNumbers();

/** Null for anything but what `packWholes` writes. */
export function unpackWholes(text: string): number[] | null {
  if (!reader.open(text)) return null;
  const numbers: number[] = [];
  while (!reader.isOver) {
    const number = reader.next();
    if (Number.isNaN(number)) return null;
    numbers.push(number);
  }
  return numbers;
}
