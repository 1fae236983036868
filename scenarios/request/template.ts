/**
 * Fills values into a request in place of `{{ name }}`: in its path, header values and body. Each value is escaped for
 * its place, so that no value can change the structure of the request.
 */
import { type BodyPart, bodyTexts } from "../../base/http/body.ts";
import type { WireRequest } from "../../base/http/request.ts";

const PLACEHOLDER = /\{\{\s*([^{}\s](?:[^{}]*[^{}\s])?)\s*\}\}/g;

type Write = (value: string) => string;
type WriteValues = (text: string, write: Write) => string;

/** The names of the values that `text` needs, each once. */
export function namesInText(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name))];
}

/** The names of the values that the request needs, each once. */
export function namesIn({ path, headers, body }: WireRequest): string[] {
  return namesInText([path, ...Object.values(headers), ...bodyTexts(body)].join("\n"));
}

/** The request with every value in place; a name without a value stays as written. */
export function fillTemplate(wire: WireRequest, values: ReadonlyMap<string, string>): WireRequest {
  const fill: WriteValues = (text, write) =>
    text.replaceAll(PLACEHOLDER, (written, name: string) => {
      const value = values.get(name);
      return value === undefined ? written : write(value);
    });
  return {
    method: wire.method,
    path: wire.path.startsWith("{{")
      ? asPath(fill(wire.path, asIs))
      : fill(wire.path, percentEncoded),
    headers: Object.fromEntries(
      Object.entries(wire.headers).map(([name, value]) => [name, fill(value, withoutBreaks)]),
    ),
    body: filledBody(wire, fill),
  };
}

function filledBody({ body, headers }: WireRequest, fill: WriteValues): WireRequest["body"] {
  if (body === null) return null;
  if (typeof body === "string") return fill(body, writerFor(headers));
  return body.map((part): BodyPart => {
    if ("text" in part) return { text: fill(part.text, asIs) };
    if ("message" in part) return { message: fill(part.message, inJson) };
    return "quoted" in part ? { quoted: fill(part.quoted, inQuotes) } : part;
  });
}

/** Escapes a value for use within a JSON string. */
function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function asIs(value: string): string {
  return value;
}

/** Escapes whatever would end a name in quotes, or its line (WHATWG HTML, multipart form data). */
export function inQuotes(value: string): string {
  return value.toWellFormed().replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll(
    '"',
    "%22",
  );
}

/**
 * Percent-encodes a value. A lone surrogate, which responses and files may hold, has no encoding; it becomes U+FFFD.
 */
export function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/**
 * A value that is to be a whole path, such as a captured Location. An address loses its origin; one without a path,
 * such as `mailto:a@b`, becomes `/`.
 */
function asPath(address: string): string {
  const url = URL.parse(address, "http://host/");
  return url?.pathname.startsWith("/") ? url.pathname + url.search : "/";
}

/** Removes from a value whatever would begin another header field or is not Latin-1 (RFC 9110 §5.5). */
function withoutBreaks(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "");
}

/** Chooses how values are written into a body, by the body's type. */
function writerFor(headers: WireRequest["headers"]): Write {
  const isType = ([name]: [string, string]): boolean => name.toLowerCase() === "content-type";
  const [, type = ""] = Object.entries(headers).find(isType) ?? [];
  if (/[/+]json\b/i.test(type)) return inJson;
  return /^application\/x-www-form-urlencoded\b/i.test(type) ? percentEncoded : asIs;
}

/** Names and values as a form or a query (WHATWG URL), percent-encoded except for `{{ names }}`; spaces as %20. */
export function formText(fields: Iterable<readonly [name: string, value: string]>): string {
  return [...fields].map((field) =>
    field.map((text) => writtenBesides(text, percentEncoded)).join("=")
  ).join("&");
}

/** Applies `write` to the text around `{{ names }}`, which stay. */
export function writtenBesides(text: string, write: (text: string) => string): string {
  return text.split(/(\{\{[^{}]*\}\})/).map((part, at) => at % 2 === 1 ? part : write(part))
    .join("");
}

/** Percent-encodes spaces and non-ASCII characters of a path or a query, except in `{{ names }}`. */
export function pathText(path: string): string {
  return writtenBesides(path, (part) => part.replaceAll(/[^\x21-\x7e]+/g, percentEncoded));
}
