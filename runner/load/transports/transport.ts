/**
 * What the tcp driver moves bytes on: a family with two members, as Deno has two kinds of sockets.
 *
 * - `pushed_wires.ts`: sockets of `node:net`, which hand over what they have read. Since Deno 2.8 they do
 *   so without a promise, and at the price of no system call that a bare loop does not make.
 * - `pulled_wires.ts`: Deno's own, which are asked for each read: TLS, and every socket of older versions.
 */
import type { DialError } from "../../../base/net/dial_error.ts";

export interface Wires {
  /** Dials for slot `slot`, which has no wire, or one that is closed or has ended. */
  open(slot: number, news: WireNews): Wire;
}

export interface Wire {
  /** Queues `bytes` (not copied: they must stay as they are); to be called between `onOpen` and the end. */
  send(bytes: Uint8Array<ArrayBuffer>): void;
  /** It had to wait (`ReadTurns`), and its turn has come. */
  readInTurn(): void;
  /** Closes at once, in any state. There is no further news. */
  close(): void;
}

/** Never told from within `open`, `send` or `close`. After `onRefused` or `onEnd` the wire is closed. */
export interface WireNews {
  onOpen(): void;
  onRefused(error: DialError): void;
  /** `bytes[0, length)` arrived; the buffer is used again after the call. */
  onBytes(bytes: Uint8Array, length: number): void;
  /** The peer closed its side (`reset` null) or the connection broke (its reason). */
  onEnd(reset: string | null): void;
}
