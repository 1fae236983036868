/**
 * Reads the field lines of a head, or trailers, up to the empty line (RFC 9112 §5). Each octet is read only once, so
 * the lines may be split anywhere. Only the fields that `FramingFields` handles are interpreted; all others are checked
 * and skipped.
 *
 * This reader is as strict as llhttp: lines end in CR LF and nothing else, names are tokens right up to the colon,
 * values have no control characters, and no line is folded. A reader that accepts anything else may see other fields
 * than the next reader does.
 */
import { FRAMING_NAMES, FramingFields } from "./framing_fields.ts";
import { COLON, CR, LF, SPACE, TAB, TEXT, TOKEN, WORD_START } from "./octets.ts";
import type { ProtocolError } from "./reason.ts";

const NEXT_IN_NAMES = FRAMING_NAMES.next;
const PLAIN = 0;

const LINE_START = 0;
const NAME = 1;
const PLAIN_VALUE = 2;
const FRAMING_VALUE = 3;
const LINE_FEED = 4;
const LAST_LINE_FEED = 5;
const DONE = 6;
const BROKEN = 7;

export class FieldLines {
  readonly framing = new FramingFields();
  reason: ProtocolError | "" = "";
  #step = LINE_START;
  #areTrailers = false;
  /** State that the word automaton FRAMING_NAMES has reached in the name of the current field. */
  #name = WORD_START;

  get done(): boolean {
    return this.#step === DONE;
  }

  begin(): void {
    this.#start(false);
    this.framing.begin();
  }

  /** Trailers are parsed the same way, but can't change the framing (RFC 9110 §6.5.1). */
  beginTrailers(): void {
    this.#start(true);
  }

  #start(areTrailers: boolean): void {
    this.#step = LINE_START;
    this.#areTrailers = areTrailers;
    this.reason = "";
  }

  // hot: returns the offset after the octets read, or, if a line is malformed, the offset of the
  // first wrong octet.
  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && this.#step < DONE) {
      switch (this.#step) {
        case LINE_START:
          at = this.#startLine(bytes, at, to);
          break;
        case NAME:
          at = this.#readName(bytes, at, to);
          break;
        case PLAIN_VALUE:
          at = this.#passValue(bytes, at, to);
          break;
        case FRAMING_VALUE:
          at = this.#readFraming(bytes, at, to);
          break;
        case LINE_FEED:
          at = this.#expectLf(bytes, at, LINE_START);
          break;
        default:
          at = this.#expectLf(bytes, at, DONE);
      }
    }
    return at;
  }

  // Each function below calls the next one itself, so that an ordinary line takes only one turn of
  // the loop in `read`.

  #startLine(bytes: Uint8Array, at: number, to: number): number {
    const octet = bytes[at];
    if (octet === CR) return this.#go(LAST_LINE_FEED, at + 1);
    if (octet === LF) return this.#break("line end without CR", at);
    if (octet === SPACE || octet === TAB) return this.#break("folded field line", at);
    this.#name = WORD_START;
    this.#step = NAME;
    return this.#readName(bytes, at, to);
  }

  #readName(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    let name = this.#name;
    for (let octet = 0; at < to && (octet = TOKEN[bytes[at]]) !== 0; at++) {
      name = NEXT_IN_NAMES[name << 7 | octet];
    }
    this.#name = name;
    return at < to ? this.#endName(bytes, at, to) : at;
  }

  #endName(bytes: Uint8Array, at: number, to: number): number {
    if (bytes[at] !== COLON || this.#name === WORD_START) {
      return this.#break("malformed field name", at);
    }
    const field = this.#areTrailers ? PLAIN : FRAMING_NAMES.ends[this.#name];
    if (field === PLAIN) {
      this.#step = PLAIN_VALUE;
      return this.#passValue(bytes, at + 1, to);
    }
    this.framing.beginValue(field);
    return this.#go(FRAMING_VALUE, at + 1);
  }

  #passValue(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && TEXT[bytes[at]] !== 0) at++;
    return at < to ? this.#endLine(bytes, at, to) : at;
  }

  #readFraming(bytes: Uint8Array, from: number, to: number): number {
    const at = this.framing.readValue(bytes, from, to);
    if (this.framing.reason !== "") return this.#break(this.framing.reason, at);
    return at < to ? this.#endLine(bytes, at, to) : at;
  }

  #endLine(bytes: Uint8Array, at: number, to: number): number {
    if (bytes[at] !== CR) {
      return this.#break(bytes[at] === LF ? "line end without CR" : "malformed field value", at);
    }
    this.#step = LINE_FEED;
    return at + 1 < to ? this.#expectLf(bytes, at + 1, LINE_START) : at + 1;
  }

  #expectLf(bytes: Uint8Array, at: number, next: number): number {
    return bytes[at] === LF ? this.#go(next, at + 1) : this.#break("CR without LF", at);
  }

  #go(step: number, at: number): number {
    this.#step = step;
    return at;
  }

  #break(reason: ProtocolError, at: number): number {
    this.reason = reason;
    return this.#go(BROKEN, at);
  }
}
