/**
 * Replaces each `{{ name }}` in a request's path, header values and body by its value. Each value is escaped for the
 * place where it stands, so that no value can change the structure of the request.
 */
import { type BodyPart, bodyTexts } from "../../base/http/body.ts";
import type { WireRequest } from "../../base/http/request.ts";

const PLACEHOLDER = /\{\{\s*([^{}\s](?:[^{}]*[^{}\s])?)\s*\}\}/g;
/** Source of a regular expression that matches a placeholder, in linear time. */
export const PLACEHOLDER_SOURCE = String.raw`\{\{\s*[^{}\s][^{}]*\}\}`;
/** Spaces, control characters and all that is not ASCII. */
const UNSENDABLE = /[^\x21-\x7e]+/g;

type Write = (value: string) => string;
type WriteValues = (text: string, write: Write) => string;

export function namesInText(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name))];
}

export function namesIn({ path, headers, body }: WireRequest): string[] {
  return namesInText([path, ...Object.values(headers), ...bodyTexts(body)].join("\n"));
}

/** Fills the values into the request. A placeholder without a value stays as written, so that it can be filled later. */
export function fillTemplate(wire: WireRequest, values: ReadonlyMap<string, string>): WireRequest {
  const fill: WriteValues = (text, write) =>
    text.replaceAll(PLACEHOLDER, (written, name: string) => {
      const value = values.get(name);
      return value === undefined ? written : write(value);
    });
  return {
    method: wire.method,
    path: wire.path.startsWith("/")
      ? fill(wire.path, percentEncoded)
      : wholePath(fill(wire.path, asIs)),
    headers: Object.fromEntries(
      Object.entries(wire.headers).map(([name, value]) => [name, fill(value, withoutBreaks)]),
    ),
    body: filledBody(wire, fill),
  };
}

/** As `fillTemplate`, but placeholders without a value stay for good, so the path is made fit to be sent. */
export function filledToSend(wire: WireRequest, values: ReadonlyMap<string, string>): WireRequest {
  const filled = fillTemplate(wire, values);
  return { ...filled, path: sendablePath(filled.path) };
}

/** The path in the form that a request line needs (RFC 9112 §3.2.1), whatever its placeholders contain. */
export function sendablePath(path: string): string {
  return path.startsWith("/") ? path.replaceAll(UNSENDABLE, percentEncoded) : asPath(path);
}

function wholePath(filled: string): string {
  return filled.search(PLACEHOLDER) < 0 ? asPath(filled) : filled;
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

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function asIs(value: string): string {
  return value;
}

/** Escapes line breaks and quotes, so that a name can be put in quotes in multipart form data (WHATWG HTML). */
export function inQuotes(value: string): string {
  return value.toWellFormed().replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll(
    '"',
    "%22",
  );
}

/**
 * Percent-encodes a value. Lone surrogates, which can't be encoded, become U+FFFD; they may come from responses and
 * files.
 */
export function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/**
 * The path and query of a value that is used as a whole path, such as a captured Location. An absolute URL loses its
 * origin; a URL whose path doesn't begin with a slash, such as `mailto:a@b`, becomes `/`.
 */
function asPath(address: string): string {
  const url = URL.parse(address, "http://host/");
  return url?.pathname.startsWith("/") ? url.pathname + url.search : "/";
}

/**
 * Removes line breaks, other control characters, and all that is not Latin-1, so that a value can't begin another
 * header field (RFC 9110 §5.5).
 */
function withoutBreaks(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "");
}

/** How values are escaped in a body of this content type. */
function writerFor(headers: WireRequest["headers"]): Write {
  const isType = ([name]: [string, string]): boolean => name.toLowerCase() === "content-type";
  const [, type = ""] = Object.entries(headers).find(isType) ?? [];
  if (/[/+]json\b/i.test(type)) return inJson;
  return /^application\/x-www-form-urlencoded\b/i.test(type) ? percentEncoded : asIs;
}

/**
 * Writes names and values as a form body or a query (WHATWG URL). All but placeholders (`{{ name }}`) is
 * percent-encoded, spaces as %20.
 */
export function formText(fields: Iterable<readonly [name: string, value: string]>): string {
  return [...fields].map((field) =>
    field.map((text) => writtenBesides(text, percentEncoded)).join("=")
  ).join("&");
}

/** Applies `write` to all text outside placeholders (`{{ name }}`). */
export function writtenBesides(text: string, write: (text: string) => string): string {
  return text.split(/(\{\{[^{}]*\}\})/).map((part, at) => at % 2 === 1 ? part : write(part))
    .join("");
}

/** Percent-encodes spaces and non-ASCII characters in a path or a query, except in placeholders (`{{ name }}`). */
export function pathText(path: string): string {
  return writtenBesides(path, (part) => part.replaceAll(UNSENDABLE, percentEncoded));
}
