/**
 * The head of a response that has come before. A server's heads are alike to the octet until its clock
 * moves on, and to compare costs a third of reading: what the octets said then, they say again.
 */
import type { FramingFields } from "./framing_fields.ts";
import type { StatusLine } from "./status_line.ts";

const MAX_BYTES = 1024;
/** Where heads are never alike, most of them are not worth learning. */
const MISSES_TO_LEARN = 16;

type HeadFacts =
  & Pick<StatusLine, "status" | "minor">
  & Pick<FramingFields, "contentLength" | "coding" | "close" | "keepAlive" | "served">;

/** One for all readers of a load. */
export class KnownHead {
  readonly #bytes = new Uint8Array(MAX_BYTES);
  readonly #words = new Int32Array(this.#bytes.buffer);
  /** The octets that it was learned from, and the same in words: a driver fills one buffer again and again. */
  #buffer: Uint8Array | null = null;
  #bufferWords: Int32Array = new Int32Array(0);
  /** 0 while nothing is known. */
  length = 0;
  #misses = 0;
  #said: HeadFacts | null = null;

  // hot: whether the octets from `from` on begin with it.
  begins(bytes: Uint8Array, from: number, to: number): boolean {
    const length = this.length;
    if (length === 0 || to - from < length) return false;
    let same = from === 0 && bytes === this.#buffer ? this.#sameWords(length >> 2) << 2 : 0;
    while (same < length && bytes[from + same] === this.#bytes[same]) same++;
    return same === length;
  }

  // hot: four octets at once, which takes a quarter of the time.
  #sameWords(length: number): number {
    const known = this.#words;
    const words = this.#bufferWords;
    let same = 0;
    while (same < length && words[same] === known[same]) same++;
    return same;
  }

  // hot: sets the facts of the known head.
  recall(statusLine: StatusLine, framing: FramingFields): void {
    const said = this.#said;
    if (said === null) return;
    statusLine.status = said.status;
    statusLine.minor = said.minor;
    framing.contentLength = said.contentLength;
    framing.coding = said.coding;
    framing.close = said.close;
    framing.keepAlive = said.keepAlive;
    framing.served = said.served;
  }

  /** The octets `[from, to)` were read as a whole head, without any before it. */
  learn(
    bytes: Uint8Array,
    [from, to]: readonly [number, number],
    { status, minor }: StatusLine,
    { contentLength, coding, close, keepAlive, served }: FramingFields,
  ): void {
    if (to - from > MAX_BYTES || this.#misses++ % MISSES_TO_LEARN !== 0) return;
    this.#bytes.set(bytes.subarray(from, to));
    this.length = to - from;
    if (bytes !== this.#buffer && bytes.byteOffset % 4 === 0) {
      this.#buffer = bytes;
      this.#bufferWords = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    }
    this.#said = { status, minor, contentLength, coding, close, keepAlive, served };
  }
}
