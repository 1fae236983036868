/** What a log line says about its request, in a form that all formats share. Pure. */
import { octetsOf, percentEncoded } from "../../base/http/octets.ts";
import { METHODS } from "../../base/http/request.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** A request that Plateau can send. */
export interface LoggedRequest {
  readonly kind: "request";
  /** Time of the request, in microseconds since the epoch. */
  readonly atUs: number;
  /** The method, in capitals. */
  readonly method: string;
  /** Path and query, without a host. */
  readonly path: string;
}

export type LogLine =
  | LoggedRequest
  /** A request with a method that Plateau does not know, such as PROPFIND. */
  | { readonly kind: "other method"; readonly method: string }
  /**
   * A line for which the server got no proper request: nothing at all, TLS on a port for HTTP, or a scanner's noise.
   */
  | { readonly kind: "no request"; readonly why: string }
  /** A line that is not about a request, such as the `#Fields` of a W3C log. */
  | { readonly kind: "comment" };

/** Reads one line of a log. Throws an Error that says what is wrong if the line can't be read. */
export type ReadLogLine = (line: string) => LogLine;

export const COMMENT: LogLine = { kind: "comment" };

export function noRequest(why: string): LogLine {
  return { kind: "no request", why };
}

const KNOWN_METHODS = new Set(METHODS.map((method) => method.toUpperCase()));
/** A method (RFC 9110 §9.1). The RFC also allows others, but every method in use begins with a letter. */
const METHOD = /^[a-z][\w!#$%&'*+.^`|~-]{0,31}$/i;

/** A request line, such as `GET /path HTTP/1.1`, with the escapes of the log undone. */
interface RequestLine {
  /** The octets of the line, each as a character up to U+00FF. */
  readonly text: string;
  /** Status of the response; absent if the log does not have it. */
  readonly status?: string;
}

/**
 * Reads a request line. The target is everything between the method and the version, including spaces, because Apache
 * logs a request line as it came, and nginx before 1.21.1 accepted spaces in a target.
 */
export function loggedLine(atUs: number, { text, status }: RequestLine): LogLine {
  const line = text.trim();
  const methodEnd = line.indexOf(" ");
  const method = line.slice(0, Math.max(0, methodEnd));
  const versionAt = line.lastIndexOf(" HTTP/");
  const isWhole = versionAt >= methodEnd && /^HTTP\/\S*$/.test(line.slice(versionAt + 1));
  const target = line.slice(methodEnd + 1, isWhole ? versionAt : undefined).trim();
  const isOld = /^(?:\/|https?:)\S*$/i.test(target); // HTTP/0.9 has no version
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
 * Reads a request from a log that keeps method and target apart. Throws if the target is not a path, because the user
 * may have named a wrong key.
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

/**
 * Path and query of a target; null if it is not a path. An absolute URL loses its origin, because the user has named
 * the server to load.
 */
function pathOf(octets: string): string | null {
  const target = octets.replaceAll(
    /[^\x21-\x7e]/g,
    (octet) => percentEncoded(octet).toUpperCase(),
  );
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  const path = url === null ? target : url.pathname + url.search;
  return path.startsWith("/") ? path.replace(/#.*$/, "") : null;
}

/**
 * The text's octets in UTF-8, each as a character up to U+00FF. Throws if the text shows that octets were lost when the
 * log was read.
 */
export function octetsIn(text: string): string {
  if (text.includes("\ufffd")) throw new Error("its request has octets that are not UTF-8");
  return octetsOf(text);
}

const SHOWN_CHARS = 80;

function quoted(text: string): string {
  return quotedOpenly(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
}
