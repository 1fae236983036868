/**
 * The contract of a protocol, which turns requests into octets, and received octets into events of exchanges. It does
 * no I/O and knows no clock and no recorder. Below it is a driver, which moves octets; above it are the exchanges,
 * which know no octets. Each protocol has one folder, and one line in `protocols.ts`;
 * `tests/conformance/protocols_test.ts` runs the same suite over all.
 *
 * A slot is the place of one exchange at a time, or of several in a pipeline. Over HTTP/1.1 each slot is a connection;
 * over HTTP/2 it is the place of a stream, and several slots share a connection. A slot is closed → connecting → open →
 * closed. An exchange is sent on an open slot; its events are `onEnd`, once, or `onFailed`. The messages that an
 * exchange may bring before its end, such as those of a WebSocket, are not reported by these events.
 *
 * All moments are microseconds since the start of the run, by one monotonic clock; below 0 before it.
 */
import type { ReceivedResponse } from "../../../base/http/received.ts";
import type { KeptRoom } from "../../../base/http/kept.ts";
import type { RefusedBy } from "./driver.ts";
import type { InFlight } from "./in_flight.ts";
import type { SocketRequest } from "./sockets/socket_spec.ts";
import type { StreamSpec } from "./streams/stream_spec.ts";

/** A request, ready to be sent. */
export interface Message {
  /** The request in the octets of HTTP/1.1. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the request is a HEAD, whose response has no body. */
  readonly head: boolean;
  /** Index of the request's step in the load. */
  readonly step: number;
  /** Set if the response is a stream of messages; absent: it is read as a whole. */
  readonly stream?: StreamSpec;
  /** Set if the request opens a WebSocket, with a key still to be filled in; absent: a plain HTTP exchange. */
  readonly socket?: SocketRequest;
}

/** Commands that the exchanges give; a protocol carries them out in order, and reports no event during one. */
export interface Protocol {
  /** Dials slot `slot`; `onOpen` or `onRefused` follows. */
  connect(slot: number): void;
  /** Whether the slot would share a connection that exists or is being dialed. */
  joins(slot: number): boolean;
  /** Sends a request on an open slot, as soon as the protocol allows it. */
  send(slot: number, message: Message, nowUs: number): void;
  /**
   * Cancels the exchange in flight on a slot, if there still is one; no further event is reported for it. True: the
   * slot is open for the next exchange. False: the slot must be closed.
   */
  cancel(slot: number, nowUs: number): boolean;
  /** Closes a slot immediately, in any state; no further event is reported for it. */
  close(slot: number): void;
  /** Runs until `onTick` returns Infinity; resolves when every slot is closed. */
  run(): Promise<void>;
  /**
   * The fewest concurrent streams that the server finally allowed on any connection, if fewer than its slots; else
   * Infinity.
   */
  readonly fewestStreams: number;
  /**
   * The moment at which the exchange in flight on a slot last received a part of its stream; its time-out counts from
   * there, because a stream has no total time. −Infinity: the exchange is not a stream, or has received nothing.
   * Infinity: it is a WebSocket that waits for nothing. Absent: no exchange is a stream or a WebSocket.
   */
  aliveUs?(slot: number): number;
}

/** What ended an exchange before its response was complete. */
export type FailedBy = RefusedBy | "reset" | "closed" | "timeout";

/** What a protocol reports, and what it may ask. */
export interface ExchangeEvents {
  /** Whether a late tick distorts the load (open loop), or only delays some housekeeping. */
  readonly punctual: boolean;
  /** Whether responses are kept to be read; head: without their bodies. */
  readonly retain: boolean | "head";
  /** Memory for kept responses; absent: the protocol has its own. */
  readonly room?: KeptRoom;
  /** Does everything that is due by now. Returns the moment of the next tick, or Infinity when the load is over. */
  onTick(nowUs: number): number;
  onOpen(slot: number, nowUs: number): void;
  /** The dial failed. */
  onRefused(slot: number, by: RefusedBy, reason: string, nowUs: number): void;
  /** The protocol itself has replaced the slot's connection; the new one opened this long after its dial. */
  onReplaced(slot: number, timeUs: number): void;
  /** Called with the number of request bytes written to the wire. */
  onSent(bytes: number): void;
  /** Called with the number of bytes read from the wire. */
  onReceived(bytes: number, nowUs: number): void;
  /** How many exchanges are in flight on a slot, whether the oldest is a HEAD, and when it was due. */
  readonly inFlight: Pick<InFlight, "count" | "isHead" | "dueUs">;
  /** Whether an event on the slot no longer counts; the slot may have been closed by this call. */
  isTooLate(slot: number, nowUs: number): boolean;
  /**
   * The oldest exchange in flight on the slot has its whole response, which must be read before the call returns.
   * @param isLast Whether no other exchange may follow on the slot's connection.
   * @param doneUs When the response was complete, if that is noticed only later; absent: now.
   * @returns Whether the slot is still open; `onRead` then follows.
   */
  onEnd(
    slot: number,
    response: ReceivedResponse,
    isLast: boolean,
    firstByteUs: number,
    nowUs: number,
    doneUs?: number,
  ): boolean;
  /** The read that ended an exchange is fully processed: no response in it can belong to a request sent from now on. */
  onRead(slot: number, nowUs: number): void;
  /** The exchanges in flight on the slot have failed. `cancel` tells whether the slot is open for the next exchange. */
  onFailed(slot: number, by: FailedBy, reason: string, nowUs: number): void;
  /** Unsolicited bytes came on the slot, perhaps after a response. */
  onUnsolicited(slot: number, hasEnded: boolean, nowUs: number): void;
  /** The peer closed the slot's connection. Returns whether an exchange is in flight on it, whose event must follow. */
  onDisconnected(slot: number, nowUs: number): boolean;
}

/** Makes the protocol of a load; chosen before the load starts. */
export type ProtocolOf = (events: ExchangeEvents) => Protocol;
