/**
 * A request as octets (RFC 9112 §3): made once, before the load starts, but where something in it varies.
 */
import { bodyOctets, type WireBody } from "./body.ts";

/** The methods of requests that scenarios, command lines and logs may have (RFC 9110 §9, RFC 5789). */
export const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"] as const;
export type Method = (typeof METHODS)[number];

/** What goes over the wire, but for Host and the framing of the body. */
export interface WireRequest {
  readonly method: string;
  /** Origin form: path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for none. */
  readonly body: WireBody;
}

export interface ConnectionOptions {
  /** Value of the Host field: `host` or `host:port`. */
  readonly host: string;
  /** False requests that the server closes the connection after its response. */
  readonly keepAlive: boolean;
  /** Set where requests go to an HTTP proxy, with whole URLs (RFC 9112 §3.2.2). */
  readonly byProxy?: { readonly origin: string; readonly authorization: string | null };
}

/** Methods whose meaning expects content, so that none must be said (RFC 9110 §8.6). */
const EXPECT_CONTENT = ["POST", "PUT", "PATCH"];

/**
 * Only what HTTP needs is added to the given fields: Host first, the length of the body, and close;
 * none of them where it is given. Throws on what can't be a line of a head.
 */
export function encodeRequest(
  { method, path, headers, body }: WireRequest,
  { host, keepAlive, byProxy }: ConnectionOptions,
): Uint8Array<ArrayBuffer> {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const content = bodyOctets(body);
  const isSized = body !== null || EXPECT_CONTENT.includes(method);
  const isFramed = given.has("content-length") || given.has("transfer-encoding");
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (!given.has("host")) lines.unshift(`Host: ${host}`);
  const authorization = byProxy?.authorization ?? null;
  if (authorization !== null) lines.push(`Proxy-Authorization: ${authorization}`);
  if (isSized && !isFramed) lines.push(`Content-Length: ${content.length}`);
  if (!keepAlive && !given.has("connection")) lines.push("Connection: close");
  const target = `${byProxy?.origin ?? ""}${path}`;
  const head = [`${method} ${target} HTTP/1.1`, ...lines, "", ""].map(refuseBreaks).join("\r\n");
  const bytes = new Uint8Array(head.length + content.length);
  for (let at = 0; at < head.length; at++) bytes[at] = head.charCodeAt(at);
  bytes.set(content, head.length);
  return bytes;
}

/** Values are latin-1 (RFC 9110 §5.5); a line break in one would begin another field or request. */
function refuseBreaks(line: string): string {
  if (!/[\r\n\0]|[^\0-\xff]/.test(line)) return line;
  throw new Error(`Cannot send this line of a request: ${JSON.stringify(line)}`);
}

/** Fields of a connection of HTTP/1.1, without which HTTP/2 does (RFC 9113 §8.2.2). */
const OF_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
];

/** Why HTTP/2 can't send the field; null where it can. */
export function fieldProblemInHttp2(name: string, value: string): string | null {
  const field = name.toLowerCase();
  if (OF_CONNECTION.includes(field)) {
    return `Cannot send ${field} over HTTP/2, which forbids fields of a connection`;
  }
  if (field !== "te" || value.trim().toLowerCase() === "trailers") return null;
  return "Cannot send this te over HTTP/2, which allows trailers alone";
}

const SPACE = 32;

/** The request line of a request, without its version (RFC 9112 §3). */
export function methodAndPath(bytes: Uint8Array): string {
  const end = bytes.indexOf(SPACE, bytes.indexOf(SPACE) + 1);
  return new TextDecoder().decode(bytes.subarray(0, end));
}
