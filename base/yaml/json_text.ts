/**
 * JSON from outside. `JSON.parse` makes an object of every `[]`, and later steps descend into nested values
 * recursively, so the values and the depth of nesting are counted in the text before it is parsed.
 */
import type * as z from "zod";
import type { Problem } from "../errors.ts";
import type { PathProblem } from "../problems.ts";
import { beyond, isWithin, type LimitName, LIMITS, oneMoreThan } from "../limits.ts";

/** Any JSON value. */
export type Json = z.core.util.JSONType;

const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPENING_LIST = 0x5b;
const OPENING_MAP = 0x7b;
const CLOSING_LIST = 0x5d;
const CLOSING_MAP = 0x7d;

/** Makes the result for each value; `source` is the text of a value that is neither a map nor a list. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Parses JSON. Throws with the reason if the text is not JSON or exceeds a limit. */
export function parseJson(text: string, reviver?: Reviver): unknown {
  checkSize(text);
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]);
}

// hot: up to 512 MB, nearly all of it in strings, which are skipped.
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

/** Offset of the quote that ends the string beginning at `from`; the length of the text if the string does not end. */
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

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The parsed text; null if it is not JSON. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether maps and lists are nested too deep; stops looking one level beyond the limit. */
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

/**
 * Turns findings into problems with their places in a JSON text of any length, ordered by place.
 * @param file Name of the file in messages.
 */
export function jsonProblems(
  findings: readonly PathProblem[],
  text: string,
  file: string,
): Problem[] {
  const placed = findings.map((finding) => ({ ...finding, offset: offsetOf(text, finding) }))
    .toSorted((a, b) => a.offset - b.offset);
  let [line, lineStart, counted] = [1, 0, 0];
  return placed.map(({ path, message, offset }) => {
    for (; counted < offset; counted++) {
      if (text[counted] === "\n") [line, lineStart] = [line + 1, counted + 1];
    }
    return {
      place: `${file}:${line}:${offset - lineStart + 1}`,
      message: path.length > 0 ? `${path.map(String).join(".")}: ${message}` : message,
    };
  });
}

/**
 * The offset at which a finding is shown: that of the key if the key itself is wrong, or if the value is a map or list
 * that has a key; otherwise that of the value. For a missing value, it is the offset shown for its container.
 */
function offsetOf(text: string, { path, isKey }: Pick<PathProblem, "path" | "isKey">): number {
  let [offset, value] = [0, text.search(/\S/)];
  for (const step of path) {
    const member = memberOf(text, value, step);
    if (member === null) break;
    value = member.value;
    const isPart = text[value] === "{" || text[value] === "[";
    offset = isKey || isPart ? member.key ?? value : value;
  }
  return offset;
}

interface JsonMember {
  /** Offset of the member's key; null in a list. */
  readonly key: number | null;
  /** Offset of the member's value. */
  readonly value: number;
}

/** The member `step` of the map or list at `from`; null if there is no such member. */
function memberOf(text: string, from: number, step: PropertyKey): JsonMember | null {
  const isList = text[from] === "[";
  if (!isList && text[from] !== "{") return null;
  let at = blanksEnd(text, from + 1);
  for (let index = 0; at < text.length && !/[\]}]/.test(text[at]); index++) {
    const key = at;
    let name = String(index);
    if (!isList) {
      const end = endOfString(text, key) + 1;
      name = JSON.parse(text.slice(key, end));
      at = blanksEnd(text, blanksEnd(text, end) + 1); // after the colon
    }
    if (name === String(step)) return { key: isList ? null : key, value: at };
    at = blanksEnd(text, endOfValue(text, at));
    if (text.charCodeAt(at) === COMMA) at = blanksEnd(text, at + 1);
  }
  return null;
}

function blanksEnd(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** Offset after the value that begins at `from`. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === OPENING_LIST || sign === OPENING_MAP) depth++;
    else if (sign === CLOSING_LIST || sign === CLOSING_MAP) {
      if (depth === 0) return at;
      depth--;
    } else if (depth > 0 || (sign !== COMMA && sign > SPACE)) continue;
    else return at;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
