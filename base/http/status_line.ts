/**
 * Reads a status line (RFC 9112 §4) octet by octet, so that the line may be split anywhere and an invalid one is
 * noticed at once. Like llhttp, this reader accepts a line that ends after the status, without the space.
 */
import { CR, LF, SPACE, TEXT, ZERO } from "./octets.ts";
import type { ProtocolError } from "./reason.ts";

const PREFIX = Uint8Array.from("HTTP/1.", (character) => character.charCodeAt(0));

// Offsets in "HTTP/1.1 200 OK\r\n", which begins with PREFIX.
const MINOR = PREFIX.length;
const SEPARATOR = MINOR + 1;
const STATUS_CLASS = SEPARATOR + 1;
const AFTER_STATUS = STATUS_CLASS + 3;
const PHRASE = AFTER_STATUS + 1;
const LINE_FEED = PHRASE + 1;
const DONE = LINE_FEED + 1;
const BROKEN = DONE + 1;

const NOT_HTTP: ProtocolError = "not HTTP/1.0 or HTTP/1.1";

/** The error for a response whose first octet cannot begin HTTP/1.1. */
function foreign(first: number): ProtocolError {
  // Types of TLS records (RFC 8446 §5.1).
  if (first >= 20 && first <= 23) return "TLS in place of HTTP: write https:// or wss://";
  // HTTP/2 begins with a SETTINGS frame shorter than 64 KB, so the high octet of its length is 0
  // (RFC 9113 §3.4).
  return first === 0 ? "HTTP/2 in place of HTTP/1.1: use --http2, or http2: true" : NOT_HTTP;
}

export class StatusLine {
  status = 0;
  /** Minor version of HTTP/1. */
  minor = 0;
  reason: ProtocolError | "" = "";
  #place = 0;

  get done(): boolean {
    return this.#place === DONE;
  }

  begin(): void {
    this.status = 0;
    this.reason = "";
    this.#place = 0;
  }

  // hot: returns the offset after the octets read, or, if the line is malformed, the offset of the
  // first wrong octet.
  read(bytes: Uint8Array, from: number, to: number): number {
    let at = this.#passPrefix(bytes, from, to);
    while (at < to && this.#place < DONE) {
      if (this.#place === PHRASE) {
        while (at < to && TEXT[bytes[at]] !== 0) at++;
        if (at === to) return at;
      }
      this.#take(bytes[at]);
      if (this.#place !== BROKEN) at++;
    }
    return at;
  }

  #passPrefix(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    let place = this.#place;
    while (at < to && place < MINOR && bytes[at] === PREFIX[place]) {
      at++;
      place++;
    }
    this.#place = place;
    if (at < to && place < MINOR) this.#break(place === 0 ? foreign(bytes[at]) : NOT_HTTP);
    return at;
  }

  #take(octet: number): void {
    switch (this.#place) {
      case MINOR:
        return this.#takeMinor(octet - ZERO);
      case SEPARATOR:
        return octet === SPACE ? this.#go(STATUS_CLASS) : this.#break("malformed status line");
      case AFTER_STATUS:
        return octet === SPACE ? this.#go(PHRASE) : this.#endLine(octet);
      case PHRASE:
        return this.#endLine(octet);
      case LINE_FEED:
        return octet === LF ? this.#go(DONE) : this.#break("CR without LF");
      default:
        return this.#takeDigit(octet - ZERO);
    }
  }

  #takeMinor(digit: number): void {
    this.minor = digit;
    if (digit === 0 || digit === 1) this.#go(SEPARATOR);
    else this.#break(NOT_HTTP);
  }

  /** A status is from 100 to 999, so its first digit is not 0. */
  #takeDigit(digit: number): void {
    const least = this.#place === STATUS_CLASS ? 1 : 0;
    if (digit < least || digit > 9) return this.#break("malformed status line");
    this.status = this.status * 10 + digit;
    this.#place++;
  }

  #endLine(octet: number): void {
    if (octet === CR) this.#go(LINE_FEED);
    else this.#break(octet === LF ? "line end without CR" : "malformed status line");
  }

  #go(place: number): void {
    this.#place = place;
  }

  #break(reason: ProtocolError): void {
    this.reason = reason;
    this.#place = BROKEN;
  }
}
