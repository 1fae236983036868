/**
 * The connections of a load: the state of each slot, when it was dialed, and when it may be dialed again. This module
 * tells the protocol to dial and to close; it does not deal with requests.
 *
 * Over HTTP/1.1 each slot is a connection. Over HTTP/2, slots that have the same remainder when divided by the number
 * of connections share a connection and the state of its dials.
 */
import type { DialTurns } from "./driver.ts";
import type { Message, Protocol } from "./protocol.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { InFlight } from "./in_flight.ts";
import { SlotQueue } from "./slot_queues.ts";

/** An exchange that waits for its connection. */
export interface WaitingExchange {
  /** Number of the request in its load. */
  readonly request: number;
  readonly message: Message;
  readonly dueUs: number;
}

export const CLOSED = 0;
export const CONNECTING = 1;
export const OPEN = 2;

/** The most dials that one sweep over the closed slots begins, because each dial takes some 50 µs. */
const DIALS_AT_ONCE = 16;

/** The parts of a load that count dials, spread dials out over time, and learn if the first dial has failed. */
export interface DialParts {
  readonly recorder: Recorder;
  /** Absent if dials begin at once. */
  readonly dialTurns?: DialTurns;
  /** Called once, if the first dial to finish has failed. */
  readonly onUnreached?: () => void;
}

export class Connections {
  readonly #state: Uint8Array;
  readonly #dialedUs: Float64Array;
  /** By slot: 1 if it shares a connection that another slot has dialed. */
  readonly #joins: Uint8Array;
  readonly #waiting: (WaitingExchange | null)[];
  readonly #connections: number;
  /** By connection: 1 if it was dialed before. */
  readonly #wasDialed: Uint8Array;
  /** By connection: 1 if it has brought a response since `BackOff` last checked. */
  readonly responded: Uint8Array;
  readonly #backOff: BackOff;
  /** Every closed slot, and some slots that are no longer closed. */
  readonly #closed: SlotQueue;
  /** Number of slots being dialed. */
  dialing = 0;
  /**
   * Whether every slot has been given a chance to dial. Until then `RequestLoop` sends nothing, because requests would
   * keep the server from accepting connections.
   */
  areDialed = false;
  #hasDialEnded = false;

  /** @param connections Number of connections, each with an equal share of the slots. */
  constructor(
    slots: number,
    connections: number,
    private readonly protocol: Protocol,
    private readonly parts: DialParts,
  ) {
    this.#state = new Uint8Array(slots);
    this.#dialedUs = new Float64Array(slots).fill(-Infinity);
    this.#joins = new Uint8Array(slots);
    this.#waiting = new Array(slots).fill(null);
    this.#connections = connections;
    this.#wasDialed = new Uint8Array(connections);
    this.responded = new Uint8Array(connections);
    this.#backOff = new BackOff(this.responded);
    this.#closed = new SlotQueue(slots);
    for (let slot = 0; slot < slots; slot++) this.#closed.add(slot);
  }

  state(slot: number): number {
    return this.#state[slot];
  }

  /** See `Protocol.aliveUs`. */
  aliveUs(slot: number): number {
    return this.protocol.aliveUs?.(slot) ?? -Infinity;
  }

  /** When the slot was last dialed, microseconds. */
  dialedUs(slot: number): number {
    return this.#dialedUs[slot];
  }

  /** Visits the slots being dialed, with the moment when the dial began; the visitor may close the current slot. */
  forEachDial(visit: (slot: number, dialedUs: number) => void): void {
    for (let slot = 0, left = this.dialing; left > 0; slot++) {
      if (this.#state[slot] !== CONNECTING) continue;
      left--;
      visit(slot, this.#dialedUs[slot]);
    }
  }

  /** Visits the slots that have a connection or are dialing one; the visitor may close the current slot. */
  forEachOpen(visit: (slot: number) => void): void {
    for (let slot = 0; slot < this.#state.length; slot++) {
      if (this.#state[slot] !== CLOSED) visit(slot);
    }
  }

  /**
   * Visits the slots that have no connection; the visitor may dial the current slot. Stops after some dials and returns
   * false if slots are left, so that open connections are served in between; otherwise every response would seem to
   * take as long as all dials together.
   */
  forEachClosed(visit: (slot: number) => void): boolean {
    const most = this.dialing + DIALS_AT_ONCE;
    for (let left = this.#closed.length; left > 0; left--) {
      if (this.dialing >= most) return false;
      const slot = this.#closed.take();
      if (this.#state[slot] !== CLOSED) continue;
      this.#closed.add(slot);
      visit(slot);
    }
    return this.areDialed = true;
  }

  mayDial(slot: number, nowUs: number): boolean {
    if (!this.#backOff.mayDial(this.#connectionOf(slot), nowUs)) return false;
    const { dialTurns } = this.parts;
    return dialTurns === undefined || this.protocol.joins(slot) || dialTurns.mayBegin(nowUs);
  }

  #connectionOf(slot: number): number {
    return slot % this.#connections;
  }

  /** @param waiting The exchange to send once the connection is open; null if it is chosen only then. */
  dial(slot: number, nowUs: number, waiting: WaitingExchange | null = null): void {
    const { protocol } = this;
    const joins = protocol.joins(slot);
    this.#joins[slot] = joins ? 1 : 0;
    if (!joins) this.#countDial(slot);
    this.#dialedUs[slot] = nowUs;
    this.#waiting[slot] = waiting;
    this.#enter(slot, CONNECTING);
    protocol.connect(slot);
  }

  #countDial(slot: number): void {
    const connection = this.#connectionOf(slot);
    if (this.#wasDialed[connection] === 1) this.parts.recorder.reconnects++;
    this.#wasDialed[connection] = 1;
    this.#backOff.dialed(connection);
  }

  /** Records that the protocol has redialed the slot's connection by itself, which took `timeUs`. */
  replaced(slot: number, timeUs: number): void {
    this.#countDial(slot);
    const connection = this.#connectionOf(slot);
    this.#backOff.opened(connection);
    this.#connected(connection, timeUs);
  }

  /**
   * Records that a connection was established.
   * @param timeUs Time since the dial was requested. The wait for the dial's turn is subtracted from it.
   */
  #connected(connection: number, timeUs: number): void {
    const { dialTurns, recorder } = this.parts;
    recorder.connected(timeUs - (dialTurns?.waitedUs(connection) ?? 0));
  }

  /** The exchange that waits for the dial; null if none does. */
  waiting(slot: number): WaitingExchange | null {
    return this.#waiting[slot];
  }

  /** Removes and returns the exchange that waits for the dial. */
  takeWaiting(slot: number): WaitingExchange | null {
    const waiting = this.#waiting[slot];
    this.#waiting[slot] = null;
    return waiting;
  }

  opened(slot: number, nowUs: number): void {
    this.#enter(slot, OPEN);
    this.#hasDialEnded = true;
    const connection = this.#connectionOf(slot);
    this.#backOff.opened(connection);
    if (this.#joins[slot] === 0) this.#connected(connection, nowUs - this.#dialedUs[slot]);
  }

  /** Records that the dial has failed. The next attempt follows after a pause. */
  refused(slot: number, nowUs: number): void {
    this.#enter(slot, CLOSED);
    this.#backOff.refused(this.#connectionOf(slot), nowUs);
    if (!this.#hasDialEnded) this.parts.onUnreached?.();
    this.#hasDialEnded = true;
  }

  /**
   * Records that the peer has closed the connection. The protocol, which reported this, need not be told to close it.
   */
  ended(slot: number): void {
    this.#enter(slot, CLOSED);
  }

  /** Closes the slot's connection on purpose, so the next dial does not count as a reconnect. */
  leave(slot: number): void {
    this.close(slot);
    const connection = this.#connectionOf(slot);
    this.#wasDialed[connection] = 0;
    this.#backOff.left(connection);
  }

  close(slot: number): void {
    if (this.#state[slot] !== CLOSED) this.protocol.close(slot);
    this.#enter(slot, CLOSED);
  }

  #enter(slot: number, state: number): void {
    if (this.#state[slot] === CONNECTING) this.dialing--;
    if (state === CONNECTING) this.dialing++;
    else if (state === CLOSED) this.#closed.add(slot);
    this.#state[slot] = state;
  }

  /**
   * Closes a connection that will bring nothing more. When it may be redialed depends on whether it has brought a
   * response.
   */
  giveUp(slot: number, nowUs: number): void {
    this.close(slot);
    this.#backOff.ended(this.#connectionOf(slot), nowUs);
  }
}

const FIRST_PAUSE_US = 10_000;
const LONGEST_PAUSE_US = 1_000_000;
/** 10 ms doubled this many times exceeds the longest pause. */
const MOST_DOUBLINGS = 7;

/**
 * When a connection may be dialed again: at once if the connection that has ended was the first or brought a response,
 * else after a pause of 10 or 20 ms that doubles with each dial, up to a second, so that a dead target costs neither
 * side much. Several slots may report the end of the same connection.
 */
class BackOff {
  readonly #dialAtUs: Float64Array;
  /** By connection: number of dials, counted from the last one that led to a response, up to `MOST_DOUBLINGS` + 1. */
  readonly #dials: Uint8Array;
  /**
   * By connection: 1 while it is being dialed. Meanwhile, slots may still report the end of the previous connection.
   */
  readonly #isDialing: Uint8Array;

  /** @param responded For each connection, 1 if it has brought a response since the last check. */
  constructor(private readonly responded: Uint8Array) {
    this.#dialAtUs = new Float64Array(responded.length).fill(-Infinity);
    this.#dials = new Uint8Array(responded.length);
    this.#isDialing = new Uint8Array(responded.length);
  }

  mayDial(connection: number, nowUs: number): boolean {
    return nowUs >= this.#dialAtUs[connection];
  }

  dialed(connection: number): void {
    const dials = this.#dialsOf(connection) + 1;
    this.#dials[connection] = Math.min(dials, MOST_DOUBLINGS + 1);
    this.#isDialing[connection] = 1;
  }

  opened(connection: number): void {
    this.#isDialing[connection] = 0;
  }

  #dialsOf(connection: number): number {
    if (this.responded[connection] === 1) this.#dials[connection] = 1;
    this.responded[connection] = 0;
    return this.#dials[connection];
  }

  ended(connection: number, nowUs: number): void {
    if (this.#isDialing[connection] === 1) return;
    if (this.#dialsOf(connection) > 1) this.#pause(connection, nowUs);
  }

  refused(connection: number, nowUs: number): void {
    this.#isDialing[connection] = 0;
    this.#pause(connection, nowUs);
  }

  #pause(connection: number, nowUs: number): void {
    const pauseUs = FIRST_PAUSE_US * 2 ** (this.#dialsOf(connection) - 1);
    this.#dialAtUs[connection] = nowUs + Math.min(pauseUs, LONGEST_PAUSE_US);
  }

  /**
   * Records that the load has closed the connection on purpose. If it had brought a response, the next dial counts as
   * the first.
   */
  left(connection: number): void {
    if (this.responded[connection] === 1) this.#dials[connection] = 0;
    this.responded[connection] = 0;
  }
}

/** Finds slots whose dial or oldest exchange has timed out. */
export class Timeouts {
  /** Earliest moment at which anything can time out. */
  #nextUs = -Infinity;

  constructor(
    private readonly slots: number,
    private readonly timeoutUs: number,
    private readonly connections: Connections,
    private readonly inFlight: InFlight,
  ) {}

  /**
   * Visits the slots that have timed out. The time-out is the same for all, and later exchanges time out later, so
   * nothing needs to be checked until the oldest one can have timed out.
   */
  forEach(nowUs: number, visit: (slot: number) => void): void {
    if (nowUs < this.#nextUs) return;
    const { slots, timeoutUs } = this;
    let oldestUs = nowUs;
    for (let slot = 0; slot < slots; slot++) {
      const begunUs = this.#begunUs(slot);
      if (begunUs <= nowUs - timeoutUs) visit(slot);
      else if (begunUs < oldestUs) oldestUs = begunUs;
    }
    this.#nextUs = oldestUs + timeoutUs;
  }

  /**
   * When the slot's dial or oldest exchange began, or when a stream last brought a part, if that is later; Infinity if
   * the slot has neither a dial nor an exchange.
   */
  #begunUs(slot: number): number {
    if (this.connections.state(slot) === CONNECTING) return this.connections.dialedUs(slot);
    if (this.inFlight.count(slot) === 0) return Infinity;
    return Math.max(this.inFlight.sentUs(slot), this.connections.aliveUs(slot));
  }
}
