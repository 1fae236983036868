/**
 * Reads a JSON text whose outermost map has one long list, piece by piece: each member of the list is handed on as soon
 * as it is complete, so that neither the whole text nor all of its values are needed at once. This reader finds only
 * where members begin and end; whether they are valid JSON shows when they are parsed.
 */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_LIST = 0x5b;
const CLOSING_LIST = 0x5d;
const OPENING_MAP = 0x7b;
const CLOSING_MAP = 0x7d;

export class JsonList {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Nesting depth: 1 is in the outermost map, 2 in the list. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The text outside of all members. */
  #around = "";
  /** The member that is being read. */
  #member = "";
  #isInList = false;
  #isFound = false;
  /** Whether the current member follows a comma, so that it must exist. */
  #isAfterComma = false;
  /** The octets of the current string, in case it is the key of the list. */
  #key: number[] = [];
  /** Whether the key of the list came last, apart from a colon and spaces. */
  #isAtList = false;

  /** @param take Receives the text of each member of the list `key`. */
  constructor(private readonly key: string, private readonly take: (text: string) => void) {}

  // hot: reads hundreds of megabytes, octet by octet.
  /** Reads more bytes; the caller may then reuse their buffer. Throws what `take` throws. */
  push(bytes: Uint8Array): void {
    let from = 0;
    const end = bytes.length;
    for (let at = 0; at < end; at++) {
      const sign = bytes[at];
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (sign === BACKSLASH) this.#isEscaped = true;
        else if (sign === QUOTE) this.#endString();
        if (this.#depth === 1 && this.#key.length <= this.key.length) this.#key.push(sign);
        continue;
      }
      switch (sign) {
        case QUOTE:
          this.#isInString = true;
          this.#key = [];
          break;
        case OPENING_MAP:
        case OPENING_LIST:
          this.#depth++;
          if (this.#depth === 2 && sign === OPENING_LIST && this.#isAtList) {
            if (this.#isFound) throw new Error(`it has "${this.key}" twice`);
            this.#isInList = this.#isFound = true;
            this.#around += this.#textOf(bytes.subarray(from, at + 1));
            from = at + 1;
          }
          break;
        case CLOSING_MAP:
        case CLOSING_LIST:
          if (this.#isInList && this.#depth === 2) {
            this.#member += this.#textOf(bytes.subarray(from, at));
            from = at;
            this.#give(this.#isAfterComma);
            this.#isInList = false;
          }
          this.#depth--;
          break;
        case COMMA:
          if (this.#isInList && this.#depth === 2) {
            this.#member += this.#textOf(bytes.subarray(from, at));
            from = at + 1;
            this.#give(true);
            this.#isAfterComma = true;
          }
      }
      if (this.#depth === 1 && sign > 0x20 && sign !== COLON) this.#isAtList = false;
    }
    const rest = this.#textOf(bytes.subarray(from));
    if (this.#isInList) this.#member += rest;
    else this.#around += rest;
  }

  #endString(): void {
    this.#isInString = false;
    this.#isAtList = this.#depth === 1 && String.fromCharCode(...this.#key) === this.key;
  }

  /** Passes the member to `take`. @param isAny Whether to pass it even if it is empty. */
  #give(isAny: boolean): void {
    const text = this.#member;
    this.#member = "";
    if (isAny || text.trim() !== "") this.take(text);
  }

  /**
   * Decodes bytes. If a buffer ends inside a character, the decoder keeps its first octets for the next call.
   * Elsewhere, bytes are cut only at JSON's own punctuation.
   */
  #textOf(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** Call after the last bytes: returns the text with an empty list in place of the members that were handed over. */
  end(): string {
    if (this.#isInList) this.#give(this.#isAfterComma);
    return this.#around + this.#decoder.decode();
  }
}
