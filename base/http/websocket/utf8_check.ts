/**
 * Checks whether octets are UTF-8, in pieces as they arrive. This is the decoder of WHATWG Encoding, section 8.1.1,
 * without its output.
 */

const LEAST = 0x80;
const MOST = 0xbf;

export class Utf8Check {
  /** Octets that the current character still needs. */
  #needed = 0;
  /** Lowest and highest value that the next octet may have. */
  #least = LEAST;
  #most = MOST;

  begin(): void {
    this.#needed = 0;
    this.#least = LEAST;
    this.#most = MOST;
  }

  /** Whether the last character is complete. */
  get isWhole(): boolean {
    return this.#needed === 0;
  }

  // hot: loops over every octet of text messages.
  /** Takes `bytes[from, to)`. Returns false if they can't follow the earlier octets in UTF-8. */
  take(bytes: Uint8Array, from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const byte = bytes[at];
      if (this.#needed === 0) {
        if (byte < LEAST) continue;
        if (!this.#beginCharacter(byte)) return false;
      } else {
        if (byte < this.#least || byte > this.#most) return false;
        this.#least = LEAST;
        this.#most = MOST;
        this.#needed--;
      }
    }
    return true;
  }

  #beginCharacter(byte: number): boolean {
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.#needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    // Refuse overlong forms, surrogates, and characters beyond U+10FFFF.
    if (byte === 0xe0) this.#least = 0xa0;
    else if (byte === 0xed) this.#most = 0x9f;
    else if (byte === 0xf0) this.#least = 0x90;
    else if (byte === 0xf4) this.#most = 0x8f;
    return true;
  }
}
