/** A client's request, as a front passes it on. */
import { Buffer } from "node:buffer";
import { endToEnd, type Fields } from "./fields.ts";

export interface Asked {
  readonly method: string;
  /** Path and query, byte for byte as the client sent it. */
  readonly path: string;
  readonly fields: Fields;
  readonly body: ReadableStream<Uint8Array> | null;
}

/**
 * A body that a front can't pass on: `Request` has none with GET and HEAD, and its length without it would
 * make the origin take the next request for it (RFC 9110 §9.3.1).
 */
export function losesBody({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) !== 0;
}

export function askedBy(request: Request): Asked {
  const { method, url, headers, body } = request;
  return { method, path: pathOf(url), fields: endToEnd(headers), body };
}

/** Path and query of a whole URL, which `URL` would normalize. */
export function pathOf(url: string): string {
  const at = url.indexOf("/", url.indexOf("://") + 3);
  return at < 0 ? "/" : url.slice(at);
}

/** Whatever host the client named, the origin is told its own: it is the only one that is asked. */
export function encodeHead({ method, path, fields, body }: Asked, host: string): Uint8Array {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const [name, value] of fields) {
    if (name !== "host" && name !== "expect") text += `${name}: ${value}\r\n`;
  }
  if (isChunked({ fields, body })) text += "transfer-encoding: chunked\r\n";
  return Buffer.from(`${text}\r\n`, "latin1");
}

/** The client did not say how long its body is. */
function isChunked({ fields, body }: Pick<Asked, "fields" | "body">): boolean {
  return body !== null && !fields.some(([name]) => name === "content-length");
}

/** What goes over the wire after the head. */
export async function* encodeBody(asked: Asked): AsyncGenerator<Uint8Array> {
  const chunked = isChunked(asked);
  for await (const piece of asked.body ?? []) {
    if (piece.length === 0) continue;
    if (chunked) yield Buffer.from(`${piece.length.toString(16)}\r\n`);
    yield piece;
    if (chunked) yield Buffer.from("\r\n");
  }
  if (chunked) yield Buffer.from("0\r\n\r\n");
}
