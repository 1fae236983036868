/** JSON by its values, not by its text: the order of members and the spaces between them mean nothing. Pure. */
import type { Json } from "../../base/yaml/json_text.ts";

/**
 * Whether `found` is what is expected: a map has the members that are named, and may have others; a list has the same
 * elements in the same order; all else is equal.
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

/** The value of a text; undefined where it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
