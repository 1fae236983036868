/**
 * The contract of a protocol, which turns requests into octets, and received octets into events of exchanges. It does
 * no I/O and knows no clock and no recorder. Below it is a driver, which moves octets; above it are the exchanges,
 * which know no octets. Each protocol has one folder, and one line in `protocols.ts`;
 * `tests/conformance/protocols_test.ts` runs the same suite over every protocol.
 *
 * A slot is the place of one exchange at a time, or of several in a pipeline. Over HTTP/1.1 each slot is a connection;
 * over HTTP/2 it is the place of a stream, and several slots share a connection. The states of a slot are closed,
 * connecting, open, and then closed again. An exchange is sent on an open slot and ends with either one `onEnd` or one
 * `onFailed`. The messages that an exchange may bring before its end, such as those of a WebSocket, are not reported by
 * these events.
 *
 * All times are microseconds since the start of the run, by one monotonic clock; times before the start are negative.
 */
import type { ReceivedResponse } from "../../../base/http/received.ts";
import type { KeptRoom } from "../../../base/http/kept.ts";
import type { RefusedBy } from "./driver.ts";
import type { InFlight } from "./in_flight.ts";
import type { SocketRequest } from "./sockets/socket_spec.ts";
import type { StreamSpec } from "./streams/stream_spec.ts";

/** A request, ready to be sent. */
export interface Message {
  /** The request as encoded for HTTP/1.1. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the request is a HEAD, whose response has no body. */
  readonly head: boolean;
  /** Index of the step under which the request is counted; a step is one request of a mix, a flow or a page. */
  readonly step: number;
  /** Set if the response is a stream of messages; absent: it is read as a whole. */
  readonly stream?: StreamSpec;
  /**
   * Set if the request opens a WebSocket, whose handshake key is filled in when the request is sent; absent: a plain
   * HTTP exchange.
   */
  readonly socket?: SocketRequest;
}

/**
 * Commands that `Exchanges` gives to a protocol. The protocol carries them out in order, and reports no event while it
 * carries one out.
 */
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
   * The lowest limit on concurrent streams that the server had set by the end of any connection, if that is less than
   * the connection's number of slots; else Infinity.
   */
  readonly fewestStreams: number;
  /**
   * The moment from which the time-out of the exchange in flight on a slot counts. For a stream, whose total time has
   * no limit, and for a WebSocket on which the server sends on its own, that is when something last arrived; for any
   * other WebSocket, when its oldest unanswered message was due. −Infinity: the exchange is neither a stream nor a
   * WebSocket, or has received nothing yet. Infinity: it is a WebSocket that waits for nothing. Absent: the load has no
   * streams or WebSockets.
   */
  aliveUs?(slot: number): number;
}

/** What ended an exchange before its response was complete. */
export type FailedBy = RefusedBy | "reset" | "closed" | "timeout";

/** The events that a protocol reports, and the questions that it may ask. */
export interface ExchangeEvents {
  /** Whether a late tick would distort the load, as in an open loop; if not, it only delays some housekeeping. */
  readonly punctual: boolean;
  /** Whether responses are kept to be read; head: without their bodies. */
  readonly retain: boolean | "head";
  /** Memory for kept responses; absent: the protocol has its own. */
  readonly room?: KeptRoom;
  /** Does everything that is due by now. Returns the moment of the next tick, or Infinity when the load is over. */
  onTick(nowUs: number): number;
  onOpen(slot: number, nowUs: number): void;
  onRefused(slot: number, by: RefusedBy, reason: string, nowUs: number): void;
  /** The protocol itself has replaced the slot's connection; the new one took `timeUs` to open. */
  onReplaced(slot: number, timeUs: number): void;
  /** Called with the number of request bytes written to the wire. */
  onSent(bytes: number): void;
  /** Called with the number of bytes read from the wire. */
  onReceived(bytes: number, nowUs: number): void;
  /** How many exchanges are in flight on a slot, whether the oldest is a HEAD, and when it was due. */
  readonly inFlight: Pick<InFlight, "count" | "isHead" | "dueUs">;
  /** Whether an event on the slot no longer counts. If the load is over, the call also closes the slot. */
  isTooLate(slot: number, nowUs: number): boolean;
  /**
   * The oldest exchange in flight on the slot has received its whole response, which is valid only during the call.
   * @param isLast Whether no other exchange may follow on the slot's connection.
   * @param doneUs When the response was complete, if the protocol notices it only later; absent: now.
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
  /**
   * Called once the received bytes that ended an exchange are fully processed, so that none of them can be taken for
   * the response to a request sent from now on.
   */
  onRead(slot: number, nowUs: number): void;
  /**
   * All exchanges in flight on the slot have failed. The handler of this event calls `Protocol.cancel`, which says
   * whether the slot is still open.
   */
  onFailed(slot: number, by: FailedBy, reason: string, nowUs: number): void;
  /** Unsolicited bytes came on the slot. @param hasEnded Whether an exchange ended in the same read. */
  onUnsolicited(slot: number, hasEnded: boolean, nowUs: number): void;
  /**
   * The peer closed the slot's connection. Returns true if an exchange is in flight on it, whose end the protocol must
   * report.
   */
  onDisconnected(slot: number, nowUs: number): boolean;
}

/** Makes the protocol of a load; chosen before the load starts. */
export type ProtocolOf = (events: ExchangeEvents) => Protocol;
