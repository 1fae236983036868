/** JSON: it steers no terminal, starts no command in a log, and is the same value when it is parsed. Pure. */
import type { Written } from "./written.ts";

/** What JSON.stringify leaves of what steers or is invisible: DEL, C1, zero widths, directions, BOM. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** The second # of a command in a CI log; a line of JSON begins with no colon. */
const COMMAND = /(?<=#)#/g;

/**
 * With a line break at its end.
 * @param indent Spaces of a level; absent: all on one line.
 */
export function jsonText(value: unknown, indent?: number): Written<"json"> {
  return `${visibleJson(JSON.stringify(value, null, indent))}\n` as Written<"json">;
}

/** None of these signs stands outside of strings, where `\uXXXX` is the sign itself (RFC 8259 §7). */
export function visibleJson(json: string): string {
  const visible = json.replace(INVISIBLE, escapeOf);
  return visible.includes("##") ? visible.replace(COMMAND, escapeOf) : visible;
}

function escapeOf(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

// Bytes and numbers as text that stands in a string of JSON in a script element as it is: 91 printable signs of ASCII,
// all but the quote, the backslash and the less-than sign. Two of them take 13 bits, where base64 takes 12.

const FIRST_CODE = 0x21;
const LEFT_OUT = ['"', "\\", "<"];

/** The sign of each digit, as its code. */
const CODES = Uint8Array.from(
  Array.from({ length: 94 }, (_, i) => FIRST_CODE + i)
    .filter((code) => !LEFT_OUT.includes(String.fromCharCode(code))),
);
export const BASE = CODES.length;

/** The digit of each code. */
const DIGITS = new Uint8Array(128);
CODES.forEach((code, digit) => DIGITS[code] = digit);

export function signOf(digit: number): string {
  return String.fromCharCode(CODES[digit]);
}

export function digitAt(text: string, index: number): number {
  return DIGITS[text.charCodeAt(index)];
}

const PAIR_BITS = 13;
/** What one sign takes, at the end. */
const SINGLE_BITS = 6;

// hot: a large report writes megabytes.
export function base91(bytes: Uint8Array): string {
  const codes = new Uint8Array(2 * Math.ceil(8 * bytes.length / PAIR_BITS));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    held |= bytes[i] << bits;
    bits += 8;
    if (bits < PAIR_BITS) continue;
    const pair = held & (2 ** PAIR_BITS - 1);
    codes[at++] = CODES[pair % BASE];
    codes[at++] = CODES[(pair / BASE) | 0];
    held >>= PAIR_BITS;
    bits -= PAIR_BITS;
  }
  if (bits > 0) codes[at++] = CODES[held % BASE];
  if (bits > SINGLE_BITS) codes[at++] = CODES[Math.floor(held / BASE)];
  return new TextDecoder().decode(codes.subarray(0, at));
}

// hot: likewise, in the page.
export function fromBase91(text: string): Uint8Array<ArrayBuffer> {
  const pairs = text.length >> 1;
  const rest = text.length % 2;
  const bytes = new Uint8Array((pairs * PAIR_BITS + rest * SINGLE_BITS) >> 3);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < text.length; i += 2) {
    const isPair = i + 1 < text.length;
    held |= (digitAt(text, i) + (isPair ? digitAt(text, i + 1) * BASE : 0)) << bits;
    bits += isPair ? PAIR_BITS : SINGLE_BITS;
    for (; bits >= 8 && at < bytes.length; bits -= 8) {
      bytes[at++] = held & 0xff;
      held >>= 8;
    }
  }
  return bytes;
}

// The charts' lists as short JSON. Rows of one kind are their columns. Numbers are text, and nothing is rounded: a list
// is as many whole numbers, of which each is written as its difference from the one before, in base 91, and how many
// decimals they have. Of a list of words, or of longer fractions, each that comes again is written once.

/** Its only key, which no chart has. */
const KEY = "~";
/** Shorter lists stay as they are. */
const LEAST_LENGTH = 6;
const MOST_DECIMALS = 9;
/** Differences below this take one sign; below `TWO_SIGNS` two; others, and null, say how many follow. */
const ONE_SIGN = 56;
const LONGEST = 9;
const NULL = BASE - 1;
/** No number takes one sign after its length. */
const REPEAT = NULL - 1;
const LEAST_REPEATS = 3;
const TWO_SIGNS = ONE_SIGN + (NULL - LONGEST - ONE_SIGN) * BASE;

type NumberList = readonly (number | null)[];

/** JSON for `parseCharts`. */
export function chartsWithLists(charts: unknown): unknown {
  if (Array.isArray(charts)) {
    return textOfList(charts) ?? columnsOfRows(charts) ?? listOfKinds(charts) ??
      charts.map(chartsWithLists);
  }
  if (!isRow(charts)) return charts;
  return Object.fromEntries(
    Object.entries(charts).map(([key, value]) => [key, chartsWithLists(value)]),
  );
}

type Row = Readonly<Record<string, unknown>>;

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null unless all are objects with the same keys in the same order. */
function columnsOfRows(list: readonly unknown[]): { readonly [KEY]: unknown } | null {
  if (list.length < LEAST_LENGTH || !list.every(isRow)) return null;
  const keys = Object.keys(list[0]);
  const isAlike = (row: Row): boolean =>
    Object.keys(row).join() === keys.join() &&
    Object.values(row).every((value) => value !== undefined);
  if (keys.length === 0 || !list.every(isAlike)) return null;
  const columns = keys.map((key) => [key, chartsWithLists(list.map((row) => row[key]))]);
  return { [KEY]: Object.fromEntries(columns) };
}

function rowsOf(columns: Readonly<Record<string, readonly unknown[]>>): Row[] {
  const entries = Object.entries(columns);
  const [[, first]] = entries;
  return first.map((_, i) => Object.fromEntries(entries.map(([key, column]) => [key, column[i]])));
}

function textOfList(list: readonly unknown[]): { readonly [KEY]: string } | null {
  if (list.length < LEAST_LENGTH || !isNumberList(list)) return null;
  const decimals = decimalsOf(list);
  if (decimals === null) return null;
  let last = 0;
  const steps = list.map((value) => {
    if (value === null) return signOf(NULL);
    const whole = Math.round(value * 10 ** decimals);
    const step = signsOf(whole >= last ? 2 * (whole - last) : 2 * (last - whole) - 1);
    last = whole;
    return step;
  });
  return { [KEY]: signOf(decimals) + withRepeats(steps) };
}

/** What is in a list, once each, and which of it stands at each place; null where that is no shorter. */
function listOfKinds(list: readonly unknown[]): { readonly [KEY]: unknown } | null {
  const places = new Map(list.map((value) => [value, 0]));
  const isPlain = list.every((value) => value === null || PLAIN.includes(typeof value));
  if (list.length < LEAST_LENGTH || !isPlain || places.size > list.length / 2) return null;
  const kinds = [...places.keys()];
  kinds.forEach((kind, i) => places.set(kind, i));
  return { [KEY]: [kinds, textOfList(list.map((value) => places.get(value) ?? 0))?.[KEY]] };
}

const PLAIN: readonly string[] = ["string", "number", "boolean"];

/** Steps that come again and again as one of them, and how many follow. */
function withRepeats(steps: readonly string[]): string {
  let text = "";
  for (let at = 0, end = 0; at < steps.length; at = end) {
    while (end < steps.length && end - at < BASE && steps[end] === steps[at]) end++;
    const again = end - at - 1;
    text += again < LEAST_REPEATS
      ? steps[at].repeat(again + 1)
      : steps[at] + signOf(REPEAT) + signOf(again);
  }
  return text;
}

function isNumberList(list: readonly unknown[]): list is NumberList {
  return list.every((value) => value === null || typeof value === "number");
}

/** The least that every number needs; null where one needs too many, is too large or is −0. */
function decimalsOf(list: NumberList): number | null {
  let decimals = 0;
  for (const value of list) {
    if (value === null) continue;
    while (!hasDecimals(value, decimals)) if (++decimals > MOST_DECIMALS) return null;
  }
  // More decimals make a whole number larger, which a list may have before its longest fraction.
  return list.every((value) => value === null || hasDecimals(value, decimals)) ? decimals : null;
}

/** A quarter of what is exact, as a difference is twice as much and has a sign. */
const MOST_WHOLE = Number.MAX_SAFE_INTEGER / 4;

/** Both are whole, so their quotient is the number nearest to that decimal, which is how it is read from text. */
function hasDecimals(value: number, decimals: number): boolean {
  const scale = 10 ** decimals;
  const whole = Math.round(value * scale);
  return Math.abs(whole) <= MOST_WHOLE && Object.is(whole / scale, value);
}

function signsOf(number: number): string {
  if (number < ONE_SIGN) return signOf(number);
  if (number < TWO_SIGNS) {
    const rest = number - ONE_SIGN;
    return signOf(ONE_SIGN + Math.floor(rest / BASE)) + signOf(rest % BASE);
  }
  let signs = "";
  for (let rest = number; rest > 0; rest = Math.floor(rest / BASE)) signs += signOf(rest % BASE);
  return signOf(NULL - signs.length) + signs;
}

/** What `chartsWithLists` was made of. */
export function parseCharts<Charts>(json: string): Charts {
  return JSON.parse(json, (_, value) => {
    const held = value?.[KEY];
    if (held === undefined) return value;
    if (typeof held === "string") return listOfText(held);
    if (!Array.isArray(held)) return rowsOf(held);
    const [kinds, places] = held;
    return listOfText(places).map((place) => kinds[place ?? 0]);
  });
}

function listOfText(text: string): (number | null)[] {
  const scale = 10 ** digitAt(text, 0);
  const list: (number | null)[] = [];
  let last = 0;
  let step = 0;
  for (let at = 1; at < text.length;) {
    const digit = digitAt(text, at++);
    if (digit === REPEAT) {
      const isNull = list[list.length - 1] === null;
      for (let left = digitAt(text, at++); left > 0; left--) {
        if (!isNull) last += step;
        list.push(isNull ? null : last / scale);
      }
      continue;
    }
    if (digit === NULL) {
      list.push(null);
      continue;
    }
    let number = digit;
    if (digit >= NULL - LONGEST) {
      number = 0;
      const length = NULL - digit;
      for (let i = length - 1; i >= 0; i--) number = number * BASE + digitAt(text, at + i);
      at += length;
    } else if (digit >= ONE_SIGN) {
      number = ONE_SIGN + (digit - ONE_SIGN) * BASE + digitAt(text, at++);
    }
    step = number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    last += step;
    list.push(last / scale);
  }
  return list;
}
