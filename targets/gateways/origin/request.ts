/** A client's request, in the form in which a gateway forwards it. */
import { Buffer } from "node:buffer";
import { endToEnd, type Fields } from "./fields.ts";

export interface OriginRequest {
  readonly method: string;
  /** Path and query, byte for byte as the client sent them. */
  readonly path: string;
  readonly fields: Fields;
  readonly body: ReadableStream<Uint8Array> | null;
}

/**
 * Whether the request has a body that a gateway can't forward. `Request` never exposes a body of GET or HEAD. If only
 * its length were forwarded, the origin would take the next request for the body (RFC 9110 §9.3.1).
 */
export function losesBody({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) !== 0;
}

export function originRequestOf(request: Request): OriginRequest {
  const { method, url, headers } = request;
  const fields = endToEnd(headers);
  const head = {
    method,
    path: pathOf(url) ?? "/",
    fields: method === "OPTIONS" ? passedOn(fields) : fields,
  };
  // A request without either field has no body (RFC 9112 §6.3), although `Request` then has an
  // empty one.
  const hasBody = headers.has("content-length") || headers.has("transfer-encoding");
  return { ...head, body: hasBody ? request.body : null };
}

/** Decrements Max-Forwards (RFC 9110 §7.6.2). */
function passedOn(fields: Fields): Fields {
  return fields.map(([name, value]) => [
    name,
    name === "max-forwards" && /^\d{1,9}$/.test(value)
      ? String(Math.max(0, Number(value) - 1))
      : value,
  ]);
}

/**
 * An absolute URL: scheme, host without user information (RFC 3986 §3.2), path and query. A fragment is not allowed,
 * because requests have none.
 */
const TARGET = /^[a-z][a-z\d+.-]*:\/\/[^/?#@]+(\/[^#]*|\?[^#]*|$)$/i;

/**
 * Path and query of an absolute URL, unchanged, whereas `URL` would normalize them. Null if a request can't have such a
 * URL.
 */
export function pathOf(url: string): string | null {
  const path = TARGET.exec(url)?.[1];
  return path === undefined ? null : path.startsWith("/") ? path : `/${path}`;
}

/**
 * Encodes the head of the request to the origin. The Host field always names the origin, whatever host the client
 * named, because no other server gets the request.
 */
export function encodeHead(
  { method, path, fields, body }: OriginRequest,
  host: string,
): Uint8Array {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const [name, value] of fields) {
    if (name !== "host" && name !== "expect") text += `${name}: ${value}\r\n`;
  }
  if (isChunked({ fields, body })) text += "transfer-encoding: chunked\r\n";
  return Buffer.from(`${text}\r\n`, "latin1");
}

/** Whether the body is sent with chunked coding, because the client did not tell its length. */
function isChunked({ fields, body }: Pick<OriginRequest, "fields" | "body">): boolean {
  return body !== null && !fields.some(([name]) => name === "content-length");
}

export async function* encodeBody(request: OriginRequest): AsyncGenerator<Uint8Array> {
  const chunked = isChunked(request);
  for await (const piece of request.body ?? []) {
    if (piece.length === 0) continue;
    if (chunked) yield Buffer.from(`${piece.length.toString(16)}\r\n`);
    yield piece;
    if (chunked) yield Buffer.from("\r\n");
  }
  if (chunked) yield Buffer.from("0\r\n\r\n");
}
