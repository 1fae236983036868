/**
 * The three fields that decide where a response ends and whether the connection persists: Content-Length,
 * Transfer-Encoding and Connection. Their values are lists that are read octet by octet, so they may be split anywhere
 * and have any length. Two more fields, X-Instance and X-Cache, tell who served the response.
 */
import {
  COMMA,
  compileWords,
  NO_WORD,
  SPACE,
  TAB,
  TEXT,
  TOKEN,
  WORD_START,
  ZERO,
} from "./octets.ts";
import type { ProtocolError } from "./reason.ts";

export const FRAMING_NAMES = compileWords([
  "content-length",
  "transfer-encoding",
  "connection",
  "x-instance",
  "x-cache",
]);
const CONTENT_LENGTH = 1;
const TRANSFER_ENCODING = 2;
const INSTANCE = 4;
const CACHE = 5;

/** Statuses in X-Cache. They are recognised by their first letter, capital or small; any other value is ignored. */
export const CACHE_STATUSES = ["hit", "miss", "stale"] as const;
/** Largest instance number that X-Instance may give; numbers begin with 1. */
export const MOST_INSTANCES = 128;
const INSTANCE_BITS = 8;

const OPTIONS = compileWords(["chunked", "close", "keep-alive"]);
const NEXT_IN_OPTIONS = OPTIONS.next;
const CHUNKED_WORD = 1;
const CLOSE_WORD = 2;
const KEEP_ALIVE_WORD = 3;

/** Values of `FramingFields.coding`, which is the last coding in Transfer-Encoding. */
export const NO_CODING = 0;
export const CHUNKED = 1;
const OTHER_CODING = 2;

const NONE = -1;

export class FramingFields {
  /** Value of Content-Length; −1 if the field is absent. */
  contentLength = NONE;
  coding = NO_CODING;
  close = false;
  keepAlive = false;
  /**
   * Instance and cache status as one number, which `instanceIn` and `cacheStatusIn` decode; 0 if the response gives
   * neither.
   */
  served = 0;
  reason: ProtocolError | "" = "";
  /** Number of the current field in FRAMING_NAMES. */
  #field = CONTENT_LENGTH;
  // The current list element, which is either a length or a state in OPTIONS, and whether white
  // space has followed it.
  #length = NONE;
  #option = WORD_START;
  #isOver = false;

  begin(): void {
    this.contentLength = NONE;
    this.coding = NO_CODING;
    this.close = this.keepAlive = false;
    this.served = 0;
    this.reason = "";
  }

  beginValue(field: number): void {
    this.#field = field;
    this.#beginElement();
  }

  #beginElement(): void {
    this.#length = NONE;
    this.#option = WORD_START;
    this.#isOver = false;
  }

  // hot: returns the offset of the octet that ends the value, or of the first wrong octet.
  readValue(bytes: Uint8Array, from: number, to: number): number {
    if (this.#field >= INSTANCE) return this.#readServed(bytes, from, to);
    const isLength = this.#field === CONTENT_LENGTH;
    for (let at = from;; at++) {
      at = isLength ? this.#readLength(bytes, at, to) : this.#readOption(bytes, at, to);
      if (at === to) return at;
      if (isLength) this.#endLength(bytes[at]);
      else this.#endOption(bytes[at]);
      if (bytes[at] !== COMMA || this.reason !== "") return at;
      this.#beginElement();
    }
  }

  #readLength(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const octet = bytes[at];
      const digit = octet - ZERO;
      if (octet === SPACE || octet === TAB) this.#isOver = this.#length !== NONE;
      else if (digit < 0 || digit > 9 || this.#isOver) return at;
      else if (this.#length === NONE) this.#length = digit;
      else this.#length = this.#length * 10 + digit;
    }
    return to;
  }

  /** A list of lengths is accepted if all of them are equal (RFC 9112 §6.3, step 5). */
  #endLength(octet: number): void {
    const isEnd = octet === COMMA || TEXT[octet] === 0;
    if (this.#length === NONE || !isEnd) this.reason = "malformed content-length";
    else if (this.#length > Number.MAX_SAFE_INTEGER) this.reason = "content-length too large";
    else if (this.contentLength !== NONE && this.contentLength !== this.#length) {
      this.reason = "conflicting content-lengths";
    } else this.contentLength = this.#length;
  }

  // hot, because nginx sends "Connection: keep-alive" in every response.
  #readOption(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    let option = this.#option;
    let isOver = this.#isOver;
    for (; at < to; at++) {
      const octet = bytes[at];
      if (octet === COMMA || TEXT[octet] === 0) break;
      if (octet === SPACE || octet === TAB) isOver = option !== WORD_START;
      else option = isOver ? NO_WORD : NEXT_IN_OPTIONS[option << 7 | TOKEN[octet]];
    }
    this.#option = option;
    this.#isOver = isOver;
    return at;
  }

  /** Ignores empty elements (RFC 9110 §5.6.1), but refuses an empty Transfer-Encoding, as llhttp does. */
  #endOption(octet: number): void {
    const word = OPTIONS.ends[this.#option];
    if (this.#field !== TRANSFER_ENCODING) {
      this.close ||= word === CLOSE_WORD;
      this.keepAlive ||= word === KEEP_ALIVE_WORD;
    } else if (this.#option !== WORD_START) {
      this.coding = word === CHUNKED_WORD ? CHUNKED : OTHER_CODING;
    } else if (octet !== COMMA && this.coding === NO_CODING) {
      this.reason = "malformed transfer-encoding";
    }
  }

  #readServed(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    for (; at < to && TEXT[bytes[at]] !== 0; at++) {
      const octet = bytes[at];
      if (octet === SPACE || octet === TAB || this.#isOver) continue;
      if (this.#field === CACHE) this.#takeCacheLetter(TOKEN[octet]);
      else this.#takeInstanceDigit(octet - ZERO);
    }
    return at;
  }

  #takeCacheLetter(letter: number): void {
    const status = CACHE_STATUSES.findIndex((word) => word.charCodeAt(0) === letter) + 1;
    this.served = this.served & INSTANCE_MASK | status << INSTANCE_BITS;
    this.#isOver = true;
  }

  #takeInstanceDigit(digit: number): void {
    const number = Math.max(0, this.#length) * 10 + digit;
    this.#isOver = digit < 0 || digit > 9 || number > MOST_INSTANCES;
    this.#length = number;
    this.served = this.served & ~INSTANCE_MASK | (this.#isOver ? 0 : number);
  }
}

const INSTANCE_MASK = (1 << INSTANCE_BITS) - 1;

/** `FramingFields.served` for fields that have been parsed already, as in HTTP/2. Names must be in lower case. */
export function servedIn(
  fields: readonly { readonly name: string; readonly value: string }[],
): number {
  const framing = new FramingFields();
  for (const { name, value } of fields) {
    if (name !== "x-instance" && name !== "x-cache") continue;
    framing.beginValue(name === "x-cache" ? CACHE : INSTANCE);
    framing.readValue(Uint8Array.from(value, (letter) => letter.charCodeAt(0)), 0, value.length);
  }
  return framing.served;
}

/** Number of the instance that served a response, from 1; 0 if the response gives none. */
export function instanceIn(served: number): number {
  return served & INSTANCE_MASK;
}

/** The cache status of a response; null if the response gives none. */
export function cacheStatusIn(served: number): typeof CACHE_STATUSES[number] | null {
  return CACHE_STATUSES[(served >> INSTANCE_BITS) - 1] ?? null;
}
