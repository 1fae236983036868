/** Lists of whole numbers as short text: LEB128 in base64. */
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
export class WholeNumbers {
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
