/**
 * Values that are filled into a request where it says `{{ name }}`: in its path, header values and body.
 */
import type { WireRequest } from "./request.ts";

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.]+)\s*\}\}/gu;

/** Names of the values that the request needs, each once. */
export function namesIn({ path, headers, body }: WireRequest): string[] {
  const texts = [path, ...Object.values(headers), body ?? ""];
  const names = texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name));
  return [...new Set(names)];
}

/** The request with every value in its place; one that is missing becomes nothing. In the path values are percent-encoded. */
export function fillIn(wire: WireRequest, values: ReadonlyMap<string, string>): WireRequest {
  const fill = (text: string, encode: (value: string) => string = (value) => value): string =>
    text.replaceAll(PLACEHOLDER, (_, name: string) => encode(values.get(name) ?? ""));
  return {
    method: wire.method,
    path: fill(wire.path, encodeURIComponent),
    // A value from outside must not begin another header field.
    headers: Object.fromEntries(
      Object.entries(wire.headers).map(([name, value]) => [name, fill(value, withoutBreaks)]),
    ),
    body: wire.body === null ? null : fill(wire.body),
  };
}

function withoutBreaks(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "");
}
