/**
 * The contract of a driver: the sockets under a worker's load. A driver moves bytes and reports events; the protocol
 * interprets the bytes and knows no sockets. Each driver has a main file, and one entry in `drivers.ts`;
 * `tests/conformance/drivers_test.ts` runs the same suite over all of them.
 *
 * For a driver, a slot is the place of one connection, numbered 0 … slots − 1. Its state goes closed → connecting →
 * open → closed. All moments are microseconds since the start of the run, by one monotonic clock; they are negative
 * before the start.
 */

import type { TlsUse } from "../../result/tls.ts";

export const DRIVER_NAMES = ["epoll", "tcp"] as const;
export type DriverName = typeof DRIVER_NAMES[number];

/**
 * Where a connection failed: in the dial, in the TLS handshake, in the look-up of the name, or in what the server then
 * sent.
 */
export type RefusedBy = "connect" | "tls" | "dns" | "protocol";

/** How a driver spreads its dials over time. */
export interface DialTurns {
  /**
   * Whether a dial that is requested now may begin at once. A caller that is refused keeps its place in the queue by
   * asking again.
   */
  mayBegin(nowUs: number): boolean;
  /** How long the last dial of the connection waited for its turn, microseconds. */
  waitedUs(connection: number): number;
}

/** Commands that the protocol gives. A driver carries them out in order and never calls back during a command. */
export interface Driver {
  /** Dials a slot; `onOpen` or `onRefused` follows. */
  connect(slot: number): void;
  /** Queues `bytes` on an open slot. They are not copied, so they must stay unchanged until all are sent. */
  send(slot: number, bytes: Uint8Array): void;
  /** Bytes handed to `send` that the system has not accepted yet. */
  unsentBytes(slot: number): number;
  /** Whether everything sent on the open slot has reached the peer; null if that can't be known. */
  isSent(slot: number): boolean | null;
  /** Closes a slot immediately, in any state; no further event is reported for it. */
  close(slot: number): void;
  /** Runs until `onTick` returns Infinity; resolves when every slot is closed. */
  run(events: DriverEvents): Promise<void>;
  /** Absent if dials begin at once. */
  readonly dialTurns?: DialTurns;
  /** The TLS of the driver's connections; absent without TLS. */
  readonly tls?: { readonly use: TlsUse };
}

/** Events of connections, reported by the driver. */
export interface DriverEvents {
  /** True if a late tick would distort the load, as in an open loop; false if it would only delay housekeeping. */
  readonly punctual: boolean;
  onOpen(slot: number, nowUs: number): void;
  onRefused(slot: number, by: RefusedBy, reason: string, nowUs: number): void;
  /** `bytes[0, length)` have arrived. The buffer belongs to the driver, which reuses it after the call. */
  onBytes(slot: number, bytes: Uint8Array, length: number, nowUs: number): void;
  /** The peer closed its side (`reset` is null), or the connection broke (`reset` is the reason). */
  onEnd(slot: number, reset: string | null, nowUs: number): void;
  /** Does everything that is due by now. Returns the moment of the next tick, or Infinity when the load is over. */
  onTick(nowUs: number): number;
}
