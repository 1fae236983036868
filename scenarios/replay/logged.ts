/** What a line of a log says of its request: the same for every format. Pure. */
import { octetsOf, percentEncoded } from "../../base/http/octets.ts";
import { METHODS } from "../../base/http/request.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** A request that Plateau can send. */
export interface LoggedRequest {
  readonly kind: "request";
  /** Microseconds since the epoch. */
  readonly atUs: number;
  /** The method in capitals. */
  readonly method: string;
  /** Path and query, never a host. */
  readonly path: string;
}

export type LogLine =
  | LoggedRequest
  /** A request with a method that Plateau does not know, such as PROPFIND. */
  | { readonly kind: "other method"; readonly method: string }
  /** The server got no request: nothing at all, TLS on a port of HTTP, a scanner's noise. */
  | { readonly kind: "no request"; readonly why: string }
  /** A line that is about no request, such as the `#Fields` of a W3C log. */
  | { readonly kind: "comment" };

/** Reads one line; throws an Error with what is wrong with it. */
export type ReadLogLine = (line: string) => LogLine;

export const COMMENT: LogLine = { kind: "comment" };

export function noRequest(why: string): LogLine {
  return { kind: "no request", why };
}

const KNOWN_METHODS = new Set(METHODS.map((method) => method.toUpperCase()));
/** RFC 9110 §9.1, where every method in use begins with a letter. */
const METHOD = /^[a-z][\w!#$%&'*+.^`|~-]{0,31}$/i;

/** `GET /path HTTP/1.1`, without the escapes of its log. */
interface RequestLine {
  /** Octets, as characters up to U+00FF. */
  readonly text: string;
  /** Status of the response, where it is known. */
  readonly status?: string;
}

/**
 * The target is all that stands between the method and the version, with its spaces: Apache logs a request line as it
 * came, and nginx before 1.21.1 took spaces for a part of the target.
 */
export function loggedLine(atUs: number, { text, status }: RequestLine): LogLine {
  const line = text.trim();
  const methodEnd = line.indexOf(" ");
  const method = line.slice(0, Math.max(0, methodEnd));
  const versionAt = line.lastIndexOf(" HTTP/");
  const isWhole = versionAt >= methodEnd && /^HTTP\/\S*$/.test(line.slice(versionAt + 1));
  const target = line.slice(methodEnd + 1, isWhole ? versionAt : undefined).trim();
  const isOld = /^(?:\/|https?:)\S*$/i.test(target); // of HTTP/0.9, which has no version
  if (!METHOD.test(method) || !(isWhole || isOld)) return noRequest(`${quoted(line)} is none`);
  if (!KNOWN_METHODS.has(method)) return { kind: "other method", method };
  if (status === "400" && /[\0-\x20\x7f]/.test(target)) {
    return noRequest(`${quoted(target)} is no target, to which the server responded 400`);
  }
  const path = pathOf(target);
  if (path === null) return noRequest(`${quoted(target)} is no path`);
  return { kind: "request", atUs, method, path };
}

/** A request whose log keeps method and target apart. Throws where the target is not a path: it may be the wrong key. */
export function loggedRequest(atUs: number, method: string, target: string): LogLine {
  if ([method, target].some((text) => ["", "-"].includes(text.trim()))) {
    return noRequest("it has no method, or no target");
  }
  if (!METHOD.test(method)) return noRequest(`${quoted(method)} is no method`);
  if (!KNOWN_METHODS.has(method)) return { kind: "other method", method };
  if (target === "*") return noRequest(`${quoted(target)} is no path`);
  const path = pathOf(octetsIn(target));
  if (path === null) throw new Error(`${quoted(target)} is no path`);
  return { kind: "request", atUs, method, path };
}

/** Path and query of an absolute URL: load goes to the server that the user named. */
function pathOf(octets: string): string | null {
  const target = octets.replaceAll(
    /[^\x21-\x7e]/g,
    (octet) => percentEncoded(octet).toUpperCase(),
  );
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  const path = url === null ? target : url.pathname + url.search;
  return path.startsWith("/") ? path.replace(/#.*$/, "") : null;
}

/** The text in UTF-8. Throws where the log held other octets, which are lost. */
export function octetsIn(text: string): string {
  if (text.includes("\ufffd")) throw new Error("its request has octets that are not UTF-8");
  return octetsOf(text);
}

const SHOWN_CHARS = 80;

function quoted(text: string): string {
  return quotedOpenly(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
}
