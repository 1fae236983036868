/** Compares JSON by value rather than as text, so the order of members and white space mean nothing. Pure. */
import { isWithin } from "../../base/limits.ts";
import type { Json } from "../../base/yaml/json_text.ts";

/**
 * Whether `found` matches `expected`. An object must have the expected members, and may have others. A list must have
 * matching elements in the same order. Anything else must be equal.
 */
export function isExpectedJson(found: unknown, expected: Json): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(found) && found.length === expected.length &&
      expected.every((element, at) => isExpectedJson(found[at], element));
  }
  if (typeof expected !== "object" || expected === null) return found === expected;
  return typeof found === "object" && found !== null && !Array.isArray(found) &&
    Object.entries(expected).every(([key, value]) =>
      Object.hasOwn(found, key) && isExpectedJson(Reflect.get(found, key), value)
    );
}

const DECODER = new TextDecoder();

/**
 * The JSON value of a body; undefined if the body is not JSON, or larger than `LIMITS.jsonBody`. Larger bodies are not
 * read because the value may take 30 times the memory of the body.
 */
export function jsonIn(body: Uint8Array<ArrayBuffer>): unknown {
  if (!isWithin("jsonBody", body.length)) return undefined;
  try {
    return JSON.parse(DECODER.decode(body));
  } catch {
    return undefined;
  }
}
