/**
 * The sockets under the tcp driver: a family with two members, because Deno has two kinds of sockets.
 *
 * - `node_transport.ts`: sockets of `node:net`, which hand over what they have read. Since Deno 2.8 they do so without
 *   a promise, and with no more system calls than a bare loop makes.
 * - `deno_transport.ts`: Deno's own sockets, where each read is a call: for TLS, large requests, and all sockets of
 *   older versions.
 */
import type { DialError } from "../../../base/net/dial_error.ts";

/** How many bytes a new socket accepts: the initial size of its send buffer on Linux (tcp(7), tcp_wmem). */
export const SOCKET_ROOM_BYTES = 16 * 1024;

export interface Transport {
  /** Dials for slot `slot`, whose connection must be closed or absent. */
  open(slot: number, events: ConnectionEvents): TransportConnection;
}

export interface TransportConnection {
  /** Queues `bytes`, which are not copied and so must stay unchanged. Call it only between `onOpen` and the end. */
  send(bytes: Uint8Array<ArrayBuffer>): void;
  /** Bytes handed to `send` that the system has not accepted yet, as far as the runtime tells. */
  readonly unsentBytes: number;
  /**
   * Whether everything sent has reached the peer; null if that can't be known. Requests of up to `SOCKET_ROOM_BYTES`
   * are taken to reach it once they are written.
   */
  readonly isSent: boolean | null;
  /** Reads now, after the connection had to wait (`ReadScheduler`). */
  readNow(): void;
  /** Closes the connection immediately, in any state. No event follows. */
  close(): void;
}

/**
 * Events of the connections, by slot, so that one receiver serves all. They are never reported during `open`, `send` or
 * `close`. After `onRefused` or `onEnd` the connection is closed.
 */
export interface ConnectionEvents {
  onOpen(slot: number): void;
  onRefused(slot: number, error: DialError): void;
  /** `bytes[0, length)` arrived; the buffer is used again after the call. */
  onBytes(slot: number, bytes: Uint8Array, length: number): void;
  /** The peer closed its side (`reset` null) or the connection broke (its reason). */
  onEnd(slot: number, reset: string | null): void;
}
