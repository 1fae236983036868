/** The content of a log line about its request, the same for every format. Pure. */
import { octetsOf, percentEncoded } from "../../base/http/octets.ts";
import { METHODS } from "../../base/http/request.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** A request that Plateau can send. */
export interface LoggedRequest {
  readonly kind: "request";
  /** The request's moment, in microseconds since the epoch. */
  readonly atUs: number;
  /** The method in capitals. */
  readonly method: string;
  /** The path and query, never with a host. */
  readonly path: string;
}

export type LogLine =
  | LoggedRequest
  /** A request with a method that Plateau does not know, such as PROPFIND. */
  | { readonly kind: "other method"; readonly method: string }
  /** A line for which the server got no request: nothing at all, TLS on a port for HTTP, or a scanner's noise. */
  | { readonly kind: "no request"; readonly why: string }
  /** A line that is about no request, such as the `#Fields` of a W3C log. */
  | { readonly kind: "comment" };

/** Reads one line; throws an Error that says what is wrong with the line. */
export type ReadLogLine = (line: string) => LogLine;

export const COMMENT: LogLine = { kind: "comment" };

export function noRequest(why: string): LogLine {
  return { kind: "no request", why };
}

const KNOWN_METHODS = new Set(METHODS.map((method) => method.toUpperCase()));
/** A method (RFC 9110 §9.1); every one in use begins with a letter. */
const METHOD = /^[a-z][\w!#$%&'*+.^`|~-]{0,31}$/i;

/** A request line, such as `GET /path HTTP/1.1`, without the escapes of its log. */
interface RequestLine {
  /** The octets of the line, as characters up to U+00FF. */
  readonly text: string;
  /** The status of the response, if the log has it. */
  readonly status?: string;
}

/**
 * Reads a request line. The target is everything between the method and the version, including spaces: Apache logs a
 * request line as it came, and nginx before 1.21.1 took spaces for a part of the target.
 */
export function loggedLine(atUs: number, { text, status }: RequestLine): LogLine {
  const line = text.trim();
  const methodEnd = line.indexOf(" ");
  const method = line.slice(0, Math.max(0, methodEnd));
  const versionAt = line.lastIndexOf(" HTTP/");
  const isWhole = versionAt >= methodEnd && /^HTTP\/\S*$/.test(line.slice(versionAt + 1));
  const target = line.slice(methodEnd + 1, isWhole ? versionAt : undefined).trim();
  const isOld = /^(?:\/|https?:)\S*$/i.test(target); // of HTTP/0.9, which has no version
  if (!METHOD.test(method) || !(isWhole || isOld)) {
    return noRequest(`${quoted(line)} is not a request line`);
  }
  if (!KNOWN_METHODS.has(method)) return { kind: "other method", method };
  if (status === "400" && /[\0-\x20\x7f]/.test(target)) {
    return noRequest(`${quoted(target)} is not a request target, and the server responded 400`);
  }
  const path = pathOf(target);
  if (path === null) return noRequest(`${quoted(target)} is not a path`);
  return { kind: "request", atUs, method, path };
}

/**
 * Reads a request of a log that keeps method and target apart. Throws if the target is not a path, because the key may
 * be wrong.
 */
export function loggedRequest(atUs: number, method: string, target: string): LogLine {
  if ([method, target].some((text) => ["", "-"].includes(text.trim()))) {
    return noRequest("it has no method or no request target");
  }
  if (!METHOD.test(method)) return noRequest(`${quoted(method)} is not a method`);
  if (!KNOWN_METHODS.has(method)) return { kind: "other method", method };
  if (target === "*") return noRequest(`${quoted(target)} is not a path`);
  const path = pathOf(octetsIn(target));
  if (path === null) throw new Error(`${quoted(target)} is not a path`);
  return { kind: "request", atUs, method, path };
}

/** The path and query of a target; an absolute URL loses its origin, because the user has named the server to load. */
function pathOf(octets: string): string | null {
  const target = octets.replaceAll(
    /[^\x21-\x7e]/g,
    (octet) => percentEncoded(octet).toUpperCase(),
  );
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  const path = url === null ? target : url.pathname + url.search;
  return path.startsWith("/") ? path.replace(/#.*$/, "") : null;
}

/** The text's octets in UTF-8, as characters up to U+00FF. Throws if octets were lost when the log was read. */
export function octetsIn(text: string): string {
  if (text.includes("\ufffd")) throw new Error("its request has octets that are not UTF-8");
  return octetsOf(text);
}

const SHOWN_CHARS = 80;

function quoted(text: string): string {
  return quotedOpenly(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
}
