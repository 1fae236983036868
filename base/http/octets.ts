/** Classes of octets in HTTP (RFC 9110 §5.5 and §5.6.2), as tables that need only one look-up for each octet. */

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const BACKSLASH = 0x5c;

const TOKEN_CHARACTER = /[!#$%&'*+.^_`|~0-9A-Za-z-]/;
const HEX_DIGITS = "0123456789abcdef";
const NOT_HEX = 0xff;

/** For each octet, its lower-case form if it is allowed in a token, or else 0. */
export const TOKEN = tableOf((character) =>
  TOKEN_CHARACTER.test(character) ? character.toLowerCase().charCodeAt(0) : 0
);

/** 1 for octets that are allowed in a field value or reason phrase: tab, space, visible characters, obs-text. */
export const TEXT = tableOf((character) => /[\t\x20-\x7e\x80-\xff]/.test(character) ? 1 : 0);

/** Value of a hexadecimal digit; at least 16 for any other octet. */
export const HEX = tableOf((character) => {
  const value = HEX_DIGITS.indexOf(character.toLowerCase());
  return value < 0 ? NOT_HEX : value;
});

/** The value of a field without the white space and line break around it. `trim` would also remove the octet A0. */
export function trimmedValue(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(octet: number): boolean {
  return octet === SPACE || octet === TAB || octet === CR || octet === LF;
}

/** The text encoded in UTF-8, with each octet as a character up to U+00FF. */
export function octetsOf(text: string): string {
  return text.replaceAll(/[^\0-\x7f]+/g, (part) => {
    const octets = new TextEncoder().encode(part);
    return Array.from(octets, (octet) => String.fromCharCode(octet)).join("");
  });
}

/**
 * Percent-encodes an octet (RFC 3986 §2.1): a line feed becomes `%0a`.
 * @param octet A character up to U+00FF.
 */
export function percentEncoded(octet: string): string {
  return `%${octet.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

function tableOf(valueOf: (character: string) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, octet) => valueOf(String.fromCharCode(octet)));
}

/** Up to this many octets, copying one by one is cheaper than calling `set`. */
const FEW_OCTETS = 64;

// hot: copies `source[from, to)` to `target`, where it begins at `at`.
export function putOctets(
  target: Uint8Array,
  at: number,
  source: Uint8Array,
  from: number,
  to: number,
): void {
  if (to - from > FEW_OCTETS) {
    target.set(from === 0 && to === source.length ? source : source.subarray(from, to), at);
  } else for (let i = from; i < to; i++) target[at + i - from] = source[i];
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((bytes, { length }) => bytes + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

// A trie that recognises a few words octet by octet, so that they may be split anywhere and nothing
// is copied. A step is `state = next[state << 7 | octet]`, with the octet in lower case.

/** State from which no word can be reached. It leads only to itself. */
export const NO_WORD = 0;
/** State before the first octet of a word. */
export const WORD_START = 1;

export interface Words {
  /** At `state << 7 | octet`, the state that follows `state` when this octet, which is below 128, is read. */
  readonly next: Uint8Array;
  /** For each state, the number of the word that ends there, counted from 1; 0 if none does. */
  readonly ends: Uint8Array;
}

/** Compiles words that have at most 254 letters in all. */
export function compileWords(words: readonly string[]): Words {
  const states = words.join("").length + 2;
  const next = new Uint8Array(states << 7);
  const ends = new Uint8Array(states);
  let last = WORD_START;
  for (const [index, word] of words.entries()) {
    let state = WORD_START;
    for (const letter of word) {
      const edge = state << 7 | letter.charCodeAt(0);
      if (next[edge] === NO_WORD) next[edge] = ++last;
      state = next[edge];
    }
    ends[state] = index + 1;
  }
  return { next, ends };
}
