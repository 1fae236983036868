/**
 * What the tcp driver moves bytes on: a family with two members, as Deno has two kinds of sockets.
 *
 * - `node_transport.ts`: sockets of `node:net`, which hand over what they have read. Since Deno 2.8 they do
 *   so without a promise, and with no more system calls than a bare loop makes.
 * - `deno_transport.ts`: Deno's own, of which each read is a call: TLS, large requests, and every socket of older
 *   versions.
 */
import type { DialError } from "../../../base/net/dial_error.ts";

/** What a new socket takes at once: the first size of its send buffer on Linux (tcp(7), tcp_wmem). */
export const SOCKET_ROOM_BYTES = 16 * 1024;

export interface Transport {
  /** Dials for slot `slot`, which has no connection, or one that is closed or has ended. */
  open(slot: number, events: ConnectionEvents): TransportConnection;
}

export interface TransportConnection {
  /** Queues `bytes`, which are not copied and so must stay unchanged; to be called between `onOpen` and the end. */
  send(bytes: Uint8Array<ArrayBuffer>): void;
  /** Bytes that `send` was given and that the system has not taken yet, as far as the runtime says. */
  readonly unsentBytes: number;
  /** Whether all that it was given has reached the peer; null if that cannot be known. */
  readonly isSent: boolean | null;
  /** Reads now, after it had to wait (`ReadScheduler`). */
  readNow(): void;
  /** Closes at once, in any state. No event follows. */
  close(): void;
}

/** Never called from within `open`, `send` or `close`. After `onRefused` or `onEnd` the connection is closed. */
export interface ConnectionEvents {
  onOpen(): void;
  onRefused(error: DialError): void;
  /** `bytes[0, length)` arrived; the buffer is used again after the call. */
  onBytes(bytes: Uint8Array, length: number): void;
  /** The peer closed its side (`reset` null) or the connection broke (its reason). */
  onEnd(reset: string | null): void;
}
