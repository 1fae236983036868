/**
 * Values taken from an answer.
 */
import type { CaptureSpec } from "../../scenarios/capture.ts";
import type { ResponseReader } from "../http/response.ts";

/** What takes the value out of an answer that is kept: null when it isn't there. */
export function takerOf({ from }: CaptureSpec): (reader: ResponseReader) => string | null {
  if (from.kind === "header") return (reader) => reader.kept?.field(from.name) ?? null;
  if (from.kind === "json") return (reader) => jsonAt(bodyText(reader), from.path);
  const pattern = new RegExp(from.source);
  return (reader) => pattern.exec(bodyText(reader))?.[1] ?? null;
}

function bodyText(reader: ResponseReader): string {
  return new TextDecoder().decode(reader.kept?.body());
}

/** The value as text; objects and lists as JSON. Null when it isn't there or the text is no JSON. */
function jsonAt(text: string, path: readonly string[]): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null;
    value = Reflect.get(value, key);
  }
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
