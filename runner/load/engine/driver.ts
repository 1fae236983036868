/**
 * What a driver is: the sockets under a worker's load. It moves bytes and reports what happened; every
 * decision (what to send, when, what counts as what) is the `EventHandler`'s, which knows no socket.
 * One file a member, one line in `drivers.ts`; `tests/conformance/drivers_test.ts` runs the same
 * suite over all of them.
 *
 * A slot is the place of one connection, 0 … slots − 1. It is closed → connecting → open → closed. Over HTTP/2 it is the
 * place of one stream at a time, and the connection is shared: the end of a stream leaves the slot open.
 * All moments are microseconds since the start of the run, by one monotonic clock; below 0 before it.
 */

import type { TlsUse } from "../../result/tls.ts";

export const DRIVER_NAMES = ["epoll", "tcp"] as const;
export type DriverName = typeof DRIVER_NAMES[number];

/** What a connection was refused by: its dial, its handshake, the look-up of its name, or what the server then said. */
export type RefusedBy = "connect" | "tls" | "dns" | "protocol";

/** What the load sees through a driver alone. */
export interface WireRecorder {
  bytesOut: number;
}

/** How a driver spreads its dials over time. */
export interface DialTurns {
  /** Whether a dial would begin at once. */
  mayBegin(nowUs: number): boolean;
  /** How long the last dial of the connection waited for its turn, microseconds. */
  waitedUs(connection: number): number;
}

/** Commands, given by the handler; a driver carries them out in order and never calls back from within one. */
export interface Driver {
  /** Dials slot `slot`; `onOpen` or `onRefused` follows. */
  connect(slot: number): void;
  /** Whether the slot would share a connection that is there, or is being dialed; absent: none ever does. */
  joins?(slot: number): boolean;
  /** Queues `bytes` (not copied: they must stay as they are) on an open slot. */
  send(slot: number, bytes: Uint8Array): void;
  /**
   * Gives up the exchange in flight on a slot, if there is one left, without any further event from it. True: the slot is
   * open for the next. False, and where the driver has no such command: the slot is to be closed.
   */
  cancel?(slot: number): boolean;
  /** Whether all that the open slot was given has reached the peer; null where nobody says so. */
  isSent(slot: number): boolean | null;
  /** Closes a slot at once, in any state, without any further event from it. */
  close(slot: number): void;
  /** Runs until `handler.onTick` says so; resolves when every slot is closed. */
  run(handler: EventHandler): Promise<void>;
  /**
   * Streams at a time that a server has at last taken on a connection, where that is fewer than its places. Infinity: none
   * took fewer. Absent: HTTP/1.1.
   */
  readonly fewestStreams?: number;
  /** Absent: a dial begins at once. */
  readonly dialTurns?: DialTurns;
  /** What secures its connections; absent without TLS. */
  readonly tls?: { readonly use: TlsUse };
}

/** A driver that moves bytes itself, rather than over another one. */
export interface SocketDriver extends Driver {
  run(handler: SocketHandler): Promise<void>;
  /** Bytes that `send` was given and that the system has not taken yet. */
  unsentBytes(slot: number): number;
}

/** Events of a connection, reported by the driver. */
export interface SocketHandler {
  /** Whether a tick that comes late falsifies the load (open loop), or only delays some housekeeping. */
  readonly punctual: boolean;
  onOpen(slot: number, nowUs: number): void;
  /** The dial failed. */
  onRefused(slot: number, by: RefusedBy, reason: string, nowUs: number): void;
  /**
   * `bytes[0, length)` arrived; the buffer is the driver's and is used again after the call.
   * @param wireBytes What came over the wire since the last call, where that is something else than `length`.
   */
  onBytes(slot: number, bytes: Uint8Array, length: number, nowUs: number, wireBytes?: number): void;
  /** The peer closed its side (`reset` null) or the connection broke (its reason). */
  onEnd(slot: number, reset: string | null, nowUs: number): void;
  /** Does what is due by now. Returns the moment of the next tick, or Infinity when the load is over. */
  onTick(nowUs: number): number;
}

/** What a driver over another one reports, too. */
export interface EventHandler extends SocketHandler {
  /** The exchange in flight on the slot has failed. Whether the slot is open for the next, `cancel` says. */
  onFailed(slot: number, by: RefusedBy | "reset", reason: string, nowUs: number): void;
  /** The driver itself has replaced the slot's connection by another, which was there this long after its dial. */
  onReplaced(slot: number, timeUs: number): void;
  /** Where what the driver hands over is not what goes over the wire. */
  readonly recorder: WireRecorder;
}
