/**
 * Converts a request from HTTP/1.1 to HTTP/2 (RFC 9113 §8.3.1). A load always prepares its requests as octets of
 * HTTP/1.1, even if it sends them over HTTP/2.
 */
import { CR, LF, trimmedValue } from "../octets.ts";
import { OF_A_CONNECTION } from "../request.ts";
import type { Field } from "./fields.ts";

export interface Http2Request {
  readonly fields: readonly Field[];
  /** Whether the request is a HEAD, whose response has no body. */
  readonly isHead: boolean;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const NO_REQUEST: Http2Request = { fields: [], isHead: false, body: new Uint8Array(0) };

/** @param bytes A request from `encodeRequest`. */
export function asHttp2(bytes: Uint8Array<ArrayBuffer>, scheme: "http" | "https"): Http2Request {
  const bodyAt = afterHead(bytes);
  const [requestLine, ...lines] = latin1(bytes.subarray(0, bodyAt - 4)).split("\r\n");
  const [method, path] = requestLine.split(" ");
  const given = lines.map((line) => {
    const colon = line.indexOf(":");
    return {
      name: line.slice(0, colon).toLowerCase(),
      value: trimmedValue(line.slice(colon + 1)),
    };
  });
  const authority = given.find(({ name }) => name === "host")?.value ?? "";
  return {
    fields: [
      { name: ":method", value: method },
      { name: ":scheme", value: scheme },
      { name: ":authority", value: authority },
      { name: ":path", value: path },
      ...given.filter(({ name }) => name !== "host" && !OF_A_CONNECTION.has(name)),
    ],
    isHead: method === "HEAD",
    body: bytes.subarray(bodyAt),
  };
}

/** Offset after the empty line that ends the head. */
function afterHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF) return at + 4;
  }
  return bytes.length;
}

/**
 * Turns each octet into the character with the same number. TextDecoder's "latin1" does not, because it is
 * windows-1252.
 */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const octet of bytes) text += String.fromCharCode(octet);
  return text;
}
