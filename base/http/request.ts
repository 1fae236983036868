/**
 * Encodes requests as octets (RFC 9112 §3). A load encodes a request once, before it starts, unless something in it
 * varies.
 */
import { bodyOctets, type WireBody } from "./body.ts";

/** Methods of requests in scenarios, on command lines and in logs (RFC 9110 §9, RFC 5789). */
export const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"] as const;
export type Method = (typeof METHODS)[number];

/** A request without Host and without the fields that frame its body. */
export interface WireRequest {
  readonly method: string;
  /** Origin form: path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null if there is none. */
  readonly body: WireBody;
}

export interface ConnectionOptions {
  /** Value of the Host field: `host` or `host:port`. */
  readonly host: string;
  /** If false, the request asks the server to close the connection after its response. */
  readonly keepAlive: boolean;
  /** Set if requests go to an HTTP proxy, and so have whole URLs (RFC 9112 §3.2.2). */
  readonly byProxy?: { readonly origin: string; readonly authorization: string | null };
}

/** Methods that normally have content, so a request without a body needs a Content-Length of 0 (RFC 9110 §8.6). */
const EXPECT_CONTENT = ["POST", "PUT", "PATCH"];

/**
 * Encodes a request. Adds the fields that HTTP needs and the request lacks: Host (first), the length of the body, and
 * `connection: close`. For an HTTP proxy, adds its authorization, too. Throws if a field can't be written in a head.
 */
export function encodeRequest(
  wire: WireRequest,
  connection: ConnectionOptions,
): Uint8Array<ArrayBuffer> {
  const { body } = wire;
  const content = typeof body === "string" ? inScratch(body) : bodyOctets(body);
  const lines = headLines(wire, connection, content.length);
  const bytes = new Uint8Array(lengthOf(lines) + content.length);
  let at = 0;
  for (const line of lines) at = writeLine(bytes, at, line);
  at = writeLine(bytes, at, "");
  bytes.set(content, at);
  return bytes;
}

/**
 * Length in octets of the head that a request gets if its content has `contentLength` octets. Does not throw, even if a
 * field of the request can't be written in a head.
 */
export function headLength(
  wire: WireRequest,
  connection: ConnectionOptions,
  contentLength: number,
): number {
  return lengthOf(headLines(wire, connection, contentLength));
}

function headLines(
  { method, path, headers, body }: WireRequest,
  { host, keepAlive, byProxy }: ConnectionOptions,
  contentLength: number,
): string[] {
  const names = Object.keys(headers);
  const has = (field: string): boolean =>
    names.some((name) => name.length === field.length && name.toLowerCase() === field);
  const lines = [`${method} ${byProxy?.origin ?? ""}${path} HTTP/1.1`];
  if (!has("host")) lines.push(`Host: ${host}`);
  for (const name of names) lines.push(`${name}: ${headers[name]}`);
  const authorization = byProxy?.authorization ?? null;
  if (authorization !== null && !has("proxy-authorization")) {
    lines.push(`Proxy-Authorization: ${authorization}`);
  }
  const isSized = body !== null || EXPECT_CONTENT.includes(method);
  if (isSized && !has("content-length") && !has("transfer-encoding")) {
    lines.push(`Content-Length: ${contentLength}`);
  }
  if (!keepAlive && !has("connection")) lines.push("Connection: close");
  return lines;
}

/** Length of a head in octets: the lines with their line ends, and the empty line. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 2, 2);
}

/** Holds the octets of a body before they are copied. It is reused, because scripts make each request anew. */
let scratch = new Uint8Array(16_384);
const encoder = new TextEncoder();
/** A UTF-16 code unit takes at most this many octets in UTF-8. */
const MOST_OCTETS = 3;

function inScratch(text: string): Uint8Array<ArrayBuffer> {
  const most = text.length * MOST_OCTETS;
  if (most > LARGEST_SCRATCH) return encoder.encode(text);
  if (most > scratch.length) scratch = new Uint8Array(most);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

const LARGEST_SCRATCH = 1 << 20;
const [NUL, LF, CR, LATIN_1] = [0, 10, 13, 0xff];

/**
 * Writes a line in Latin-1 (RFC 9110 §5.5), and returns the offset after it. Throws if the line has a character beyond
 * Latin-1, a NUL or a line break; a line break would begin another field or request.
 */
function writeLine(bytes: Uint8Array, from: number, line: string): number {
  let at = from;
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === NUL || code === LF || code === CR || code > LATIN_1) {
      const why = "it has a NUL, a line break or a character beyond Latin-1";
      throw new Error(
        `Cannot send this line of a request, because ${why}: ${JSON.stringify(line)}`,
      );
    }
    bytes[at++] = code;
  }
  bytes[at++] = CR;
  bytes[at++] = LF;
  return at;
}

/** Connection-specific fields of HTTP/1.1, which HTTP/2 does not have (RFC 9113 §8.2.2). */
export const OF_A_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Why HTTP/2 can't send a field; null if it can. */
export function fieldProblemInHttp2(name: string, value: string): string | null {
  const field = name.toLowerCase();
  if (OF_A_CONNECTION.has(field)) {
    return `Cannot send the field ${field} over HTTP/2, which forbids connection-specific fields`;
  }
  if (field !== "te" || value.trim().toLowerCase() === "trailers") return null;
  return 'Cannot send this te field over HTTP/2, which allows only "te: trailers"';
}

const SPACE = 32;

/** The request line without the version (RFC 9112 §3). */
export function methodAndPath(bytes: Uint8Array): string {
  const end = bytes.indexOf(SPACE, bytes.indexOf(SPACE) + 1);
  return new TextDecoder().decode(bytes.subarray(0, end));
}

/**
 * The octets of a WebSocket's handshake and, as `payload`, those of its messages, which are the body of the given
 * request.
 */
export function openingOf(
  { headers, body, ...wire }: WireRequest,
  connection: ConnectionOptions,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly payload: Uint8Array<ArrayBuffer> } {
  const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-type");
  const handshake = { ...wire, headers: Object.fromEntries(sent), body: null };
  return { bytes: encodeRequest(handshake, connection), payload: bodyOctets(body) };
}
