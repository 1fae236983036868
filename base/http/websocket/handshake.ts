/** The opening handshake of a WebSocket (RFC 6455 §4), as a client makes and checks it. Pure: the nonce is an argument. */
import { createHash } from "node:crypto";
import { LIMITS } from "../../limits.ts";
import { CR, LF } from "../octets.ts";
import { deflateOf, type DeflateSetting } from "./deflate.ts";

/** §1.3: with this, a server proves that it has understood the request. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The offers in the request for a WebSocket (§4.1). */
export interface Offer {
  /** Subprotocols of which the server may choose one; if there are none, it must not choose any. */
  readonly subprotocols: readonly string[];
  /** Whether messages may be compressed (RFC 7692). */
  readonly deflate: boolean;
}

/** The value of Sec-WebSocket-Key. @param nonce 16 random bytes. */
export function keyOf(nonce: Uint8Array): string {
  return nonce.toBase64();
}

/** The required value of Sec-WebSocket-Accept (§4.2.2). */
export function acceptOf(key: string): string {
  return createHash("sha1").update(key + GUID).digest("base64");
}

/** The request with its key in place of the placeholder. Throws if there is no placeholder. */
export function withKey(request: Uint8Array, key: string): Uint8Array<ArrayBuffer> {
  const octets = Uint8Array.from(request);
  const at = endOf(KEY_NAME, octets);
  for (let i = 0; i < key.length; i++) octets[at + i] = key.charCodeAt(i);
  return octets;
}

const KEY_NAME = "\r\nsec-websocket-key: ";

function endOf(text: string, bytes: Uint8Array): number {
  for (let at = 0, same = 0; at < bytes.length; at++) {
    same = bytes[at] === text.charCodeAt(same)
      ? same + 1
      : bytes[at] === text.charCodeAt(0)
      ? 1
      : 0;
    if (same === text.length) return at + 1;
  }
  throw new Error("A request for a WebSocket has no key");
}

const INTERIM = "HTTP/1.1 1";
const SWITCHING = "HTTP/1.1 101";

/** The head of a 101, between two offsets; none: the response is another one; incomplete: not yet known. */
type SwitchingHead = { readonly from: number; readonly to: number } | "none" | "incomplete";

/** Finds the head that opens a WebSocket in the octets of a response, after any interim ones (RFC 9110 §15.2). */
export function switchingHead(bytes: Uint8Array): SwitchingHead {
  for (let from = 0, interim = 0; interim <= LIMITS.interimResponses.most; interim++) {
    if (!begins(bytes, from, INTERIM)) return "none";
    const to = endOfHead(bytes, from);
    if (to === 0) return "incomplete";
    if (begins(bytes, from, SWITCHING)) return { from, to };
    from = to;
  }
  return "none";
}

/** Whether the octets from an offset on are those of the text, as far as they are there. */
function begins(bytes: Uint8Array, from: number, text: string): boolean {
  const known = Math.min(bytes.length - from, text.length);
  for (let at = 0; at < known; at++) if (bytes[from + at] !== text.charCodeAt(at)) return false;
  return true;
}

/** Offset of the end of the head; 0 if the head is incomplete. */
function endOfHead(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return 0;
}

/** What was agreed on, or why the response does not open a WebSocket (§4.1). */
export type Opened = { readonly deflate: DeflateSetting | null } | { readonly problem: string };

/** @param field Returns the value of a field, several joined by ", "; null for none. */
export function openedBy(
  field: (name: string) => string | null,
  key: string,
  { subprotocols, deflate }: Offer,
): Opened {
  const has = (name: string, token: string): boolean =>
    (field(name) ?? "").toLowerCase().split(",").some((one) => one.trim() === token);
  if (!has("upgrade", "websocket")) {
    return { problem: "the response's upgrade field is not websocket" };
  }
  if (!has("connection", "upgrade")) {
    return { problem: "the response's connection field is not upgrade" };
  }
  if (field("sec-websocket-accept") !== acceptOf(key)) {
    return { problem: "the response's sec-websocket-accept does not match the request's key" };
  }
  const subprotocol = field("sec-websocket-protocol");
  if (subprotocol !== null && !subprotocols.includes(subprotocol)) {
    return { problem: "the server chose a subprotocol that was not offered" };
  }
  const extensions = field("sec-websocket-extensions");
  if (extensions === null) return { deflate: null };
  const agreed = deflate ? deflateOf(extensions) : null;
  return agreed === null
    ? { problem: "the server chose an extension, or a parameter of one, that was not offered" }
    : { deflate: agreed };
}
