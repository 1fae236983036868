/**
 * Classes of octets in HTTP (RFC 9110 §5.5 and §5.6.2), as tables: one look-up an octet.
 */
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

/** For each octet of a token its lower-case form, below 128; 0 for all others. */
export const TOKEN = tableOf((character) =>
  TOKEN_CHARACTER.test(character) ? character.toLowerCase().charCodeAt(0) : 0
);

/** 1 for what a field value or reason phrase may hold: tab, space, visible characters, obs-text. */
export const TEXT = tableOf((character) => /[\t\x20-\x7e\x80-\xff]/.test(character) ? 1 : 0);

/** Value of a hexadecimal digit; at least 16 for all others. */
export const HEX = tableOf((character) => {
  const value = HEX_DIGITS.indexOf(character.toLowerCase());
  return value < 0 ? NOT_HEX : value;
});

function tableOf(valueOf: (character: string) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, octet) => valueOf(String.fromCharCode(octet)));
}
