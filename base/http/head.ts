/**
 * Reads the head of the final response: a status line and field lines, after any interim responses
 * (RFC 9110 §15.2).
 */
import { LIMITS } from "../limits.ts";
import { FieldLines } from "./field_lines.ts";
import type { FramingFields } from "./framing_fields.ts";
import type { ResponseSink } from "./kept.ts";
import type { ProtocolError } from "./reason.ts";
import { StatusLine } from "./status_line.ts";

/** More interim responses than this are refused, because no server has reason to send so many. */
const MAX_INTERIM = LIMITS.interimResponses.most;
/** Used in place of an offset if the head began before the current bytes. */
const EARLIER = -1;

interface HeadOptions {
  readonly sink: ResponseSink | null;
  readonly known: KnownHead | null;
  readonly maxBytes: number;
  /** Whether the request asks for another protocol, so that a response of status 101 is final. */
  readonly maySwitch?: boolean;
}

export class HeadReader {
  done = false;
  /** Why the head is malformed; "" if it is not. */
  reason: ProtocolError | "" = "";
  readonly #statusLine = new StatusLine();
  readonly #fieldLines = new FieldLines();
  #lines: StatusLine | FieldLines = this.#statusLine;
  /** Bytes that may still be read before the head exceeds its limit. */
  #roomBytes = 0;
  #interim = 0;
  #started = false;
  #from = EARLIER;

  constructor(private readonly options: HeadOptions) {}

  get status(): number {
    return this.#statusLine.status;
  }

  /** Minor version of HTTP/1. */
  get minor(): number {
    return this.#statusLine.minor;
  }

  get framing(): FramingFields {
    return this.#fieldLines.framing;
  }

  begin(): void {
    this.#interim = 0;
    this.reason = "";
    this.#beginOne();
  }

  #beginOne(): void {
    this.done = this.#started = false;
    this.#roomBytes = this.options.maxBytes;
    this.options.sink?.clear();
  }

  #beginLines(): void {
    this.#statusLine.begin();
    this.#fieldLines.begin();
    this.#lines = this.#statusLine;
  }

  // hot: returns the offset after the octets read.
  read(bytes: Uint8Array, from: number, to: number): number {
    let at = this.#started ? this.#goOn(from) : this.#start(bytes, from, to);
    while (at < to && !this.done && this.reason === "") at = this.#readLines(bytes, at, to);
    return at;
  }

  #goOn(from: number): number {
    this.#from = EARLIER;
    return from;
  }

  #start(bytes: Uint8Array, from: number, to: number): number {
    const { known, sink } = this.options;
    this.#started = true;
    this.#from = from;
    if (known === null || !known.begins(bytes, from, to)) {
      this.#beginLines();
      return from;
    }
    const at = from + known.length;
    known.recall(this.#statusLine, this.framing);
    sink?.addHead(bytes, from, at);
    this.done = true;
    return at;
  }

  #readLines(bytes: Uint8Array, from: number, to: number): number {
    const lines = this.#lines;
    const at = lines.read(bytes, from, Math.min(to, from + this.#roomBytes));
    this.#roomBytes -= at - from;
    if (this.options.sink?.addHead(bytes, from, at) === false) {
      this.reason = "the body is larger than checks can keep: 64 MB per body, 256 MB per worker";
    } else if (lines.reason !== "") this.reason = lines.reason;
    else if (lines.done && lines === this.#statusLine) this.#lines = this.#fieldLines;
    else if (lines.done) this.#end(bytes, at);
    else if (this.#roomBytes === 0) {
      this.reason = "the response's head is larger than 65.5 kB, the limit";
    }
    return at;
  }

  #end(bytes: Uint8Array, to: number): void {
    if (this.status >= 200 || (this.status === 101 && this.options.maySwitch)) {
      this.done = true;
      if (this.#interim === 0) this.#learn(bytes, to);
    } else if (this.status === 101) {
      this.reason = "a switch of protocols (101) that no request asked for";
    } else if (++this.#interim > MAX_INTERIM) {
      this.reason = "more than 20 interim responses, the limit";
    } else {
      this.#beginOne();
      this.#beginLines();
      this.#started = true;
      this.#from = EARLIER;
    }
  }

  #learn(bytes: Uint8Array, to: number): void {
    if (this.#from === EARLIER) return;
    this.options.known?.learn(bytes, [this.#from, to], this.#statusLine, this.framing);
  }
}

/*
 * Remembers one head and what was read from it. A server usually sends equal heads until the second in its Date field
 * changes, and comparing octets takes a third of the time of reading them.
 */

const MAX_BYTES = 1024;
/** Only one of this many unknown heads is learned, because learning is wasted on a server whose heads always differ. */
const MISSES_TO_LEARN = 16;

type HeadFacts =
  & Pick<StatusLine, "status" | "minor">
  & Pick<FramingFields, "contentLength" | "coding" | "close" | "keepAlive" | "served">;

/** The head that was learned last, shared by all readers of a load. */
export class KnownHead {
  readonly #bytes = new Uint8Array(MAX_BYTES);
  readonly #words = new Int32Array(this.#bytes.buffer);
  /**
   * The last buffer, aligned to 32-bit words, from which a head was learned, and the whole buffer as words: the next
   * heads usually arrive in it, too, and can then be compared word by word.
   */
  #buffer: Uint8Array | null = null;
  #bufferWords: Int32Array = new Int32Array(0);
  /** Length of the head; 0 until one is learned. */
  length = 0;
  #misses = 0;
  #said: HeadFacts | null = null;

  // hot: whether the octets that start at `from` begin with the known head.
  begins(bytes: Uint8Array, from: number, to: number): boolean {
    const length = this.length;
    if (length === 0 || to - from < length) return false;
    let same = from === 0 && bytes === this.#buffer ? this.#sameWords(length >> 2) << 2 : 0;
    while (same < length && bytes[from + same] === this.#bytes[same]) same++;
    return same === length;
  }

  // hot: compares four octets at once, which takes a quarter of the time.
  #sameWords(length: number): number {
    const known = this.#words;
    const words = this.#bufferWords;
    let same = 0;
    while (same < length && words[same] === known[same]) same++;
    return same;
  }

  // hot: restores what was read from the known head.
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

  /** Learns the octets `[from, to)`, which are one whole head without an interim response before it. */
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
