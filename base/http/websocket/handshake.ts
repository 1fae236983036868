/**
 * The opening handshake of a WebSocket (RFC 6455 §4), as a client sends and checks it. Pure: the nonce is an argument.
 */
import { createHash } from "node:crypto";
import { LIMITS } from "../../limits.ts";
import { HeadReader } from "../head.ts";
import { KeptResponse, type KeptRoom } from "../kept.ts";
import { joined } from "../octets.ts";
import type { ProtocolError } from "../reason.ts";
import { deflateOf, type DeflateSetting } from "./deflate.ts";

/** §1.3: a server hashes the key together with this text, which proves that it has understood the request. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** The options that the request for a WebSocket offers (§4.1). */
export interface Offer {
  /** Subprotocols from which the server may choose one. If there are none, it must not choose any. */
  readonly subprotocols: readonly string[];
  /** Whether messages may be compressed (RFC 7692). */
  readonly deflate: boolean;
}

/**
 * The value of Sec-WebSocket-Key.
 * @param nonce 16 random bytes.
 */
export function keyOf(nonce: Uint8Array): string {
  return nonce.toBase64();
}

/** The required value of Sec-WebSocket-Accept (§4.2.2). */
export function acceptOf(key: string): string {
  return createHash("sha1").update(key + GUID).digest("base64");
}

/** The request with `key` in place of the placeholder. Throws if there is no placeholder. */
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

/**
 * The result of a handshake: a WebSocket, with the octets that follow the head; the problem that prevents it; or the
 * octets of any response other than a 101 of HTTP/1.1, beginning with its status line.
 */
type HandshakeResult =
  | { readonly deflate: DeflateSetting | null; readonly rest: Uint8Array }
  | { readonly problem: string }
  | { readonly other: Uint8Array };

/** Reads the response to a handshake up to the end of its head, and checks it (§4.1). */
export class HandshakeReader {
  readonly kept: KeptResponse;
  started = false;
  readonly #head: HeadReader;

  /** @param key The value of Sec-WebSocket-Key in the request. */
  constructor(private readonly key: string, private readonly offer: Offer, room: KeptRoom) {
    this.kept = new KeptResponse(room, false);
    this.#head = new HeadReader({
      ...{ sink: this.kept, known: null, maxBytes: LIMITS.responseHead.most, maySwitch: true },
    });
    this.#head.begin();
  }

  /** Returns null while the head is incomplete. */
  read(part: Uint8Array): HandshakeResult | null {
    this.started = true;
    const at = this.#head.read(part, 0, part.length);
    const { done, reason, status, minor } = this.#head;
    if (reason !== "") return { problem: reason };
    if (!done) return null;
    const rest = part.subarray(at);
    if (status !== 101 || minor !== 1) return { other: joined([this.kept.head(), rest]) };
    const deflate = this.#agreed();
    return typeof deflate === "string"
      ? { problem: `no WebSocket was opened: ${deflate}` }
      : { deflate, rest };
  }

  /** The error for a connection that ends before the head is complete. */
  end(): ProtocolError {
    return this.started ? "closed within the head" : "closed before the response";
  }

  /** The agreed compression, null for none; or the reason why the response does not open a WebSocket. */
  #agreed(): DeflateSetting | null | string {
    const { kept, key } = this;
    const { subprotocols, deflate } = this.offer;
    const has = (name: string, token: string): boolean =>
      (kept.field(name) ?? "").toLowerCase().split(",").some((one) => one.trim() === token);
    if (!has("upgrade", "websocket")) return "the response's upgrade field is not websocket";
    if (!has("connection", "upgrade")) return "the response's connection field is not upgrade";
    if (kept.field("sec-websocket-accept") !== acceptOf(key)) {
      return "the response's sec-websocket-accept does not match the request's key";
    }
    const subprotocol = kept.field("sec-websocket-protocol");
    if (subprotocol !== null && !subprotocols.includes(subprotocol)) {
      return "the server chose a subprotocol that was not offered";
    }
    const extensions = kept.field("sec-websocket-extensions");
    if (extensions === null) return null;
    return (deflate ? deflateOf(extensions) : null) ??
      "the server chose an extension, or a parameter of one, that was not offered";
  }
}
