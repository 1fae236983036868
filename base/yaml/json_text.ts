/**
 * JSON from outside. `JSON.parse` makes an object of every two characters `[]`, and what comes after it
 * goes down into nested values by calling itself: both are counted in the text first.
 */
import type * as z from "zod";
import { beyond, isWithin, type LimitName, LIMITS, oneMoreThan } from "../limits.ts";

/** What JSON can hold. */
export type Json = z.core.util.JSONType;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_LIST = 0x5b;
const OPENING_MAP = 0x7b;
const CLOSING_LIST = 0x5d;
const CLOSING_MAP = 0x7d;

/** Throws with the reason when it is no JSON, or too much. */
export function parseJson(text: string): unknown {
  checkSize(text);
  return JSON.parse(text);
}

// hot: up to 256 MB, nearly all of it in strings, which are passed over.
function checkSize(text: string): void {
  const { most } = LIMITS.jsonValues;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === COMMA) values++;
    else if (sign === OPENING_LIST || sign === OPENING_MAP) {
      values++;
      check("nesting", ++depth);
    } else if (sign === CLOSING_LIST || sign === CLOSING_MAP) depth--;
    else continue;
    if (values > most) check("jsonValues", values);
  }
}

/** Offset of the quote that ends the string which begins at `from`; that of the last character where none does. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1;; at++) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at;
  }
}

function check(limit: LimitName, found: number): void {
  if (!isWithin(limit, found)) throw new Error(beyond(limit, oneMoreThan(limit)));
}

/** How deep maps and lists stand in each other; no deeper than one beyond the limit is looked. */
export function isNestedTooDeep(data: unknown): boolean {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth++) {
    if (!isWithin("nesting", depth + 1)) return true;
    level = [...new Set(level)].flatMap((value) =>
      typeof value === "object" && value !== null
        ? Object.values(value).filter((inner) => typeof inner === "object" && inner !== null)
        : []
    );
  }
  return false;
}
