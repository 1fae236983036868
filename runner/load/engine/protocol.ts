/**
 * What a protocol is: it makes octets of requests, and of octets what becomes of exchanges. It does no I/O and knows no
 * clock and no recorder. Below it is a driver, which moves octets; above it are the exchanges, which know no octets.
 * One folder a member, one line in `protocols.ts`; `tests/conformance/protocols_test.ts` runs the same suite over all.
 *
 * A slot is the place of one exchange at a time, or of some that follow one another in a pipeline. Over HTTP/1.1 each slot
 * is a connection; over HTTP/2 it is the place of a stream, and several share a connection. It is closed → connecting →
 * open → closed. An exchange is sent on an open slot; its events are `onEnd`, once, or `onFailed`. What an exchange may
 * bring between its first octet and its end is the protocol's own: a member whose exchanges bring messages adds an event
 * of its own here, and has as many of them as come, on as many slots of a connection as it likes.
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
  /** The request as HTTP/1.1 writes it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether it is a HEAD, whose response has no body. */
  readonly head: boolean;
  /** Index of its step in the load. */
  readonly step: number;
  /** Its response is a stream of messages; absent: it is read as a whole. */
  readonly stream?: StreamSpec;
  /** It asks for a WebSocket, and has a key to be replaced; absent: its exchange is one of HTTP. */
  readonly socket?: SocketRequest;
}

/** Commands, given by the exchanges; carried out in order, and never answered by an event from within one. */
export interface Protocol {
  /** Dials slot `slot`; `onOpen` or `onRefused` follows. */
  connect(slot: number): void;
  /** Whether the slot would share a connection that is there, or is being dialed. */
  joins(slot: number): boolean;
  /** Sends a request on an open slot, as soon as it may. */
  send(slot: number, message: Message, nowUs: number): void;
  /**
   * Gives up the exchange in flight on a slot, if there is one left, without any further event from it. True: the slot is
   * open for the next. False: it is to be closed.
   */
  cancel(slot: number, nowUs: number): boolean;
  /** Closes a slot at once, in any state, without any further event from it. */
  close(slot: number): void;
  /** Runs until `onTick` says so; resolves when every slot is closed. */
  run(): Promise<void>;
  /**
   * Streams at a time that a server has at last taken on a connection, where that is fewer than it has slots. Infinity: none
   * took fewer.
   */
  readonly fewestStreams: number;
  /**
   * When the exchange in flight on a slot last brought a part of a stream, which has no time as a whole: its time-out counts
   * from there. −Infinity: it is not a stream, or has brought nothing. Infinity: it is a WebSocket that waits for nothing. Absent:
   * no exchange is either.
   */
  aliveUs?(slot: number): number;
}

/** What has ended an exchange before its response did. */
export type FailedBy = RefusedBy | "reset" | "closed" | "timeout";

/** What a protocol reports, and what it may want to know. */
export interface ExchangeEvents {
  /** Whether a tick that comes late falsifies the load (open loop), or only delays some housekeeping. */
  readonly punctual: boolean;
  /** Whether responses are kept to be read; head: their bodies need not. */
  readonly retain: boolean | "head";
  /** The room that keeps responses; absent: the protocol has a room of its own. */
  readonly room?: KeptRoom;
  /** Does what is due by now. Returns the moment of the next tick, or Infinity when the load is over. */
  onTick(nowUs: number): number;
  onOpen(slot: number, nowUs: number): void;
  /** The dial failed. */
  onRefused(slot: number, by: RefusedBy, reason: string, nowUs: number): void;
  /** The protocol itself has replaced the slot's connection by another, which was there this long after its dial. */
  onReplaced(slot: number, timeUs: number): void;
  /** Called with the number of bytes of requests that go over the wire. */
  onSent(bytes: number): void;
  /** Called with the number of bytes that came over the wire. */
  onReceived(bytes: number, nowUs: number): void;
  /** How many exchanges are in flight on a slot; whether the oldest is a HEAD, and when it was due. */
  readonly inFlight: Pick<InFlight, "count" | "isHead" | "dueUs">;
  /** Whether what comes on the slot no longer counts; it may then have been closed. */
  isTooLate(slot: number, nowUs: number): boolean;
  /**
   * The oldest exchange in flight on the slot has its whole response, which is read before the call is over.
   * @param isLast No other exchange may follow on the slot's connection.
   * @param doneUs When it was there, where that is noticed only later; absent: now.
   * Returns whether the slot is still open. Then `onRead` follows.
   */
  onEnd(
    slot: number,
    response: ReceivedResponse,
    isLast: boolean,
    firstByteUs: number,
    nowUs: number,
    doneUs?: number,
  ): boolean;
  /** The read that ended an exchange has been handled whole: what is sent from now on cannot have been answered in it. */
  onRead(slot: number, nowUs: number): void;
  /** The exchanges in flight on the slot have failed. Whether the slot is open for the next, `cancel` says. */
  onFailed(slot: number, by: FailedBy, reason: string, nowUs: number): void;
  /** Unsolicited bytes came on the slot, maybe behind a response. */
  onUnsolicited(slot: number, hasEnded: boolean, nowUs: number): void;
  /** The peer has ended the slot's connection. Returns whether an exchange is in flight on it, whose event is to follow. */
  onDisconnected(slot: number, nowUs: number): boolean;
}

/** Chosen before a load starts. */
export type ProtocolOf = (events: ExchangeEvents) => Protocol;
