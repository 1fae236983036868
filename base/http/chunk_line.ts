/**
 * Reads everything that precedes the data of a chunk (RFC 9112 §7.1): the line end after the preceding chunk's data,
 * the size in hexadecimal, extensions, which are skipped, and the line end. Like llhttp, this reader accepts no space
 * after the size. An extension needs a name (§7.1.1), because readers that accept a bare semicolon may disagree with
 * others on where the line ends.
 */
import { BACKSLASH, CR, HEX, LF, QUOTE, SEMICOLON, SPACE, TAB, TEXT, TOKEN } from "./octets.ts";
import type { ProtocolError } from "./reason.ts";

const DATA_CR = 0;
const DATA_LF = 1;
const FIRST_DIGIT = 2;
const MORE_DIGITS = 3;
const EXTENSION_START = 4;
const EXTENSION = 5;
const QUOTED = 6;
const ESCAPED = 7;
const LINE_FEED = 8;
const DONE = 9;
const BROKEN = 10;

export class ChunkLine {
  /** Bytes of data in the chunk; 0 for the last chunk. */
  size = 0;
  reason: ProtocolError | "" = "";
  #step = FIRST_DIGIT;

  get done(): boolean {
    return this.#step === DONE;
  }

  begin(afterData: boolean): void {
    this.size = 0;
    this.reason = "";
    this.#step = afterData ? DATA_CR : FIRST_DIGIT;
  }

  /** Returns the offset after the octets read, or, if the line is malformed, the offset of the first wrong octet. */
  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && this.#step < DONE) {
      this.#take(bytes[at]);
      if (this.#step !== BROKEN) at++;
    }
    return at;
  }

  #take(octet: number): void {
    switch (this.#step) {
      case DATA_CR:
        return octet === CR ? this.#go(DATA_LF) : this.#break("chunk longer than its size");
      case DATA_LF:
        return octet === LF ? this.#go(FIRST_DIGIT) : this.#break("CR without LF");
      case FIRST_DIGIT:
        return HEX[octet] < 16 ? this.#takeDigit(HEX[octet]) : this.#break("malformed chunk size");
      case MORE_DIGITS:
        if (HEX[octet] < 16) return this.#takeDigit(HEX[octet]);
        return octet === SEMICOLON
          ? this.#go(EXTENSION_START)
          : this.#endLine(octet, "malformed chunk size");
      case EXTENSION_START:
      case EXTENSION:
      case QUOTED:
      case ESCAPED:
        return this.#takeExtension(octet);
      default:
        return octet === LF ? this.#go(DONE) : this.#break("CR without LF");
    }
  }

  /**
   * Reads an extension: a semicolon, spaces, a name, and then any text. A semicolon in quotes does not begin another
   * extension.
   */
  #takeExtension(octet: number): void {
    const step = this.#step;
    if (step === EXTENSION_START) {
      if (octet === SPACE || octet === TAB) return;
      return TOKEN[octet] > 0 ? this.#go(EXTENSION) : this.#break("malformed chunk extension");
    }
    if (TEXT[octet] === 0) {
      return step === EXTENSION
        ? this.#endLine(octet, "malformed chunk extension")
        : this.#break("malformed chunk extension");
    }
    if (step === ESCAPED) this.#go(QUOTED);
    else if (octet === QUOTE) this.#go(step === QUOTED ? EXTENSION : QUOTED);
    else if (octet === BACKSLASH && step === QUOTED) this.#go(ESCAPED);
    else if (octet === SEMICOLON && step === EXTENSION) this.#go(EXTENSION_START);
  }

  #takeDigit(digit: number): void {
    this.size = this.size * 16 + digit;
    if (this.size > Number.MAX_SAFE_INTEGER) this.#break("chunk size too large");
    else this.#step = MORE_DIGITS;
  }

  #endLine(octet: number, otherwise: ProtocolError): void {
    if (octet === CR) this.#step = LINE_FEED;
    else this.#break(octet === LF ? "line end without CR" : otherwise);
  }

  #go(step: number): void {
    this.#step = step;
  }

  #break(reason: ProtocolError): void {
    this.reason = reason;
    this.#step = BROKEN;
  }
}
