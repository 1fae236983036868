/** What the request for a WebSocket offers (RFC 6455 §4.1), as header fields. Pure. */

/** Of a client that compresses each message by itself (RFC 7692 §7.1.1.2). */
const DEFLATE = "permessage-deflate; client_no_context_takeover";

/** A key of 16 octets has as many characters in base64. */
export const NO_KEY = "A".repeat(22) + "==";

export interface Offer {
  /** Of which the server may choose one; none: it must not. */
  readonly subprotocols: readonly string[];
  /** Whether messages may be compressed (RFC 7692). */
  readonly deflate: boolean;
}

/** The fields of the request, with a key to be replaced: the order is that of browsers. */
export function handshakeFields({ subprotocols, deflate }: Offer): Record<string, string> {
  return {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": NO_KEY,
    ...deflate && { "sec-websocket-extensions": DEFLATE },
    ...subprotocols.length > 0 && { "sec-websocket-protocol": subprotocols.join(", ") },
  };
}
