/**
 * One connection of HTTP/2 and the places of a load that share it. It is dialed for the first place that needs it, the
 * other places join it, and it closes with the last of them. While the connection lasts, a place stays open for the
 * next stream, however its stream ends. If the server leaves (GOAWAY), or allows fewer streams than there are places, a
 * request waits here for the next connection or for a stream; the wait counts in its latency.
 */
import { Http2Connection } from "../../../../base/http/http2/connection.ts";
import type { Http2Request } from "../../../../base/http/http2/request.ts";
import type { StreamEvents } from "../../../../base/http/http2/live_streams.ts";
import type { SharedMemory } from "../../../../base/http/http2/shared_memory.ts";
import { CLOSED, CONNECTING, OPEN } from "../../engine/connections.ts";
import type { KeptResponse } from "../../../../base/http/kept.ts";
import type { Driver, RefusedBy } from "../../engine/driver.ts";
import type { ExchangeEvents } from "../../engine/protocol.ts";
import { JOINING, type StreamPlaces } from "./places.ts";

/** The parts that all connections of a load share. */
export interface SharedParts {
  readonly connections: number;
  /** Requests after which a connection is replaced; absent: no limit. */
  readonly requests?: number;
  readonly driver: Driver;
  readonly exchanges: ExchangeEvents;
  /** Creates the store for a slot's responses; null if nobody reads them. */
  readonly keep: (slot: number) => KeptResponse | null;
  readonly memory: SharedMemory;
  readonly places: StreamPlaces;
  /** Connections that wait for a frame from their server, so they are settled at each tick. */
  readonly probing: Set<SharedConnection>;
  /** By connection: when anything last arrived from its server, microseconds. */
  readonly heardUs: Float64Array;
  /**
   * Slots whose exchanges ended in the current read and that are still open, in the order in which the exchanges ended.
   */
  readonly ended: Uint32Array;
  /** The moment of the current event, microseconds. */
  nowUs: number;
}

interface PlaceAtLoss {
  readonly isOpen: boolean;
  /** Whether the place had a request; `hasBegun`: whether its response had begun. */
  readonly isBusy: boolean;
  readonly hasBegun: boolean;
}

interface Lost {
  /**
   * Why the dial was refused, or `protocol` if the server broke a rule of HTTP/2; null if the connection ended
   * otherwise.
   */
  readonly by: RefusedBy | null;
  /** Why the connection was lost; null if it was closed without an error. */
  readonly reason: string | null;
}

/** The longest wait for the acknowledgement of a PING, which a live server sends immediately unless it is halted. */
const LONGEST_PROBE_US = 1_000_000;

export class SharedConnection implements StreamEvents {
  /** Whether the connection was used since its last `settle`. */
  isTouched = false;
  /** Null without a connection, also while dialing. */
  #http2: Http2Connection | null = null;
  #isDialing = false;
  /**
   * The smallest number of concurrent streams that the server allowed at the end of a connection, if that is less than
   * the number of places; else Infinity.
   */
  fewestStreams = Infinity;
  /** Whether the connection has brought a response. */
  #hasBrought = false;
  /** After a request has timed out: until when a silent server may still send a frame. Null: no frame is awaited. */
  #probedUntilUs: number | null = null;
  /** True once the server has let `#probedUntilUs` pass without a frame, so that the connection should be replaced. */
  #isSilent = false;
  /**
   * When this object began to dial a replacement for a connection that ended, in microseconds; −1 if the connection is
   * no such replacement.
   */
  #replacedUs = -1;
  /**
   * Whether a read is being handled. Requests that it causes are sent after the whole read, because nothing in the read
   * can be a response to them.
   */
  #isReading = false;
  /** How many entries of `SharedParts.ended` belong to the current read. */
  #endedCount = 0;

  /** @param index Index among the driver's connections. */
  constructor(private readonly index: number, private readonly parts: SharedParts) {}

  /** Whether a connection exists or is being dialed, so that a place that connects now need not dial. */
  get isThere(): boolean {
    return this.#http2 !== null || this.#isDialing;
  }

  get #isLeaving(): boolean {
    return this.#isSilent || this.#http2?.isLeaving === true;
  }

  /** Whether requests may be sent now; otherwise they wait. */
  get #isTaking(): boolean {
    return !this.#isSilent && this.#probedUntilUs === null && !this.#isReading;
  }

  /**
   * Whether the next connection can be expected to serve requests, because this one has brought a response or taken a
   * request.
   */
  get #hasServed(): boolean {
    return this.#hasBrought || this.#http2?.hasTaken === true;
  }

  /**
   * The slot of a place. Slots are in order of places: place 0 of every connection, then place 1 of every connection,
   * and so on.
   */
  #slotOf(place: number): number {
    return this.index + place * this.parts.connections;
  }

  #placeOf(slot: number): number {
    return Math.floor(slot / this.parts.connections);
  }

  // Commands that the exchanges give; `settle` reports their effects.

  connect(slot: number): void {
    const isReady = this.#http2?.isReady === true && !this.#isLeaving;
    this.parts.places.enter(slot, isReady ? JOINING : CONNECTING);
    if (!this.isThere) this.#dial();
  }

  #dial(): void {
    this.#isDialing = true;
    this.parts.driver.connect(this.index);
  }

  // hot: begins a stream, or queues behind waiting requests.
  send(slot: number, request: Http2Request, nowUs: number): void {
    const { places } = this.parts;
    places.sentUs[slot] = nowUs;
    const http2 = this.#http2;
    const isNext = this.#isTaking && !places.hasWaiting(this.index);
    if (isNext && http2?.mayBegin) this.#begin(http2, slot, request);
    else places.wait(slot, request);
  }

  // hot: runs for every request.
  #begin(http2: Http2Connection, slot: number, request: Http2Request): void {
    this.parts.places.send(slot, request);
    this.parts.exchanges.onSent(http2.begin(this.#placeOf(slot), request));
  }

  /**
   * Cancels the slot's request; returns whether the slot may take the next, on this connection or on its replacement.
   */
  cancel(slot: number, nowUs: number): boolean {
    const { places } = this.parts;
    const http2 = this.#http2;
    if (places.state(slot) !== OPEN || http2 === null) return false;
    const place = this.#placeOf(slot);
    if (http2.isBusy(place)) {
      http2.cancel(place);
      this.#probe(http2, places.sentUs[slot], nowUs);
    }
    places.send(slot, null);
    return http2.isReady && !this.#isSilent && (!http2.isLeaving || this.#hasServed);
  }

  /** Sends a PING if the server has sent nothing since the request that has timed out was sent. */
  #probe(http2: Http2Connection, sentUs: number, nowUs: number): void {
    const { heardUs, probing } = this.parts;
    if (heardUs[this.index] > sentUs || this.#probedUntilUs !== null) return;
    http2.ping();
    this.#probedUntilUs = nowUs + Math.min(LONGEST_PROBE_US, (nowUs - sentUs) / 2);
    probing.add(this);
  }

  #endProbe(): void {
    this.#probedUntilUs = null;
    this.parts.probing.delete(this);
  }

  close(slot: number): void {
    const { places } = this.parts;
    if (places.state(slot) === CLOSED) return;
    const place = this.#placeOf(slot);
    if (this.#http2?.isBusy(place)) this.#http2.cancel(place);
    places.close(slot);
  }

  /** Closes the connection, after a GOAWAY if the connection has not failed. */
  #hangUp(): void {
    if (this.#http2?.error === null) this.#http2.leave();
    this.#flush();
    this.#forget();
    this.parts.driver.close(this.index);
  }

  #forget(): void {
    const most = this.#http2?.mostStreams ?? Infinity;
    if (most < this.parts.places.length) this.fewestStreams = Math.min(this.fewestStreams, most);
    this.#http2?.giveBack();
    this.#http2 = null;
    this.#isDialing = this.#isSilent = this.#hasBrought = false;
    this.#replacedUs = -1;
    this.#endProbe();
  }

  // hot: runs for every `settle`.
  #flush(): void {
    const out = this.#http2?.out;
    if (out === undefined || out.length === 0) return;
    const { driver } = this.parts;
    driver.send(this.index, out.take());
    if (driver.unsentBytes(this.index) === 0) out.reuse();
  }

  // Events that the driver reports for the connection.

  onOpen(nowUs: number): void {
    const { places, heardUs, keep: keepOf, memory, requests } = this.parts;
    this.#isDialing = false;
    heardUs[this.index] = nowUs;
    const keep = (place: number): KeptResponse | null => keepOf(this.#slotOf(place));
    this.#http2 = new Http2Connection(places.length, this, { keep, memory, requests });
  }

  // hot: runs for every read.
  onBytes(bytes: Uint8Array, length: number, nowUs: number): void {
    const http2 = this.#http2;
    if (http2 === null) return;
    const { parts, index } = this;
    parts.nowUs = parts.heardUs[index] = nowUs;
    if (this.#probedUntilUs !== null) this.#endProbe();
    const wasReady = http2.isReady;
    this.#isReading = true;
    http2.read(bytes, length, parts.driver.unsentBytes(index));
    this.#isReading = false;
    this.#reportRead(nowUs);
    if (this.#http2 !== http2) return; // the connection was closed meanwhile
    if (http2.error !== null) return this.#break(http2.error, nowUs);
    if (!wasReady && http2.isReady) this.#welcome(nowUs);
  }

  // hot: runs for every read.
  #reportRead(nowUs: number): void {
    const { ended, places, exchanges } = this.parts;
    const count = this.#endedCount;
    this.#endedCount = 0;
    for (let i = 0; i < count; i++) {
      const slot = ended[i];
      if (places.state(slot) === OPEN) exchanges.onRead(slot, nowUs); // else closed meanwhile
    }
  }

  #welcome(nowUs: number): void {
    const { parts: { places }, index } = this;
    while (places.count(index, CONNECTING) > 0) {
      places.enter(places.one(index, CONNECTING), JOINING);
    }
    if (this.#replacedUs >= 0) {
      this.parts.exchanges.onReplaced(this.#slotOf(0), nowUs - this.#replacedUs);
    }
    this.#replacedUs = -1;
  }

  #break(error: string, nowUs: number): void {
    this.#flush(); // sends the GOAWAY that says why
    this.parts.driver.close(this.index);
    this.#lose({ by: "protocol", reason: error }, nowUs);
  }

  onRefused(by: RefusedBy, reason: string, nowUs: number): void {
    this.#lose({ by, reason }, nowUs);
  }

  /**
   * Called when the connection has ended. Requests in flight have failed; waiting requests get a new connection if this
   * one has served requests.
   */
  onEnd(reason: string | null, nowUs: number): void {
    const { parts: { places }, index } = this;
    if (!places.hasWaiting(index) || !this.#hasServed) {
      return this.#lose({ by: null, reason }, nowUs);
    }
    const http2 = this.#http2;
    const busy = places.inUse(index).filter((slot) => http2?.isBusy(this.#placeOf(slot)))
      .map((slot) => ({ slot, hasBegun: http2?.hasBegun(this.#placeOf(slot)) === true }));
    this.#replace(nowUs);
    for (const { slot, hasBegun } of busy) {
      places.close(slot);
      this.#disconnect(slot, hasBegun, reason, nowUs);
    }
  }

  /**
   * The connection, and every request on it, is lost; places that joined while it was leaving get the next connection.
   */
  #lose(lost: Lost, nowUs: number): void {
    const { parts: { places }, index } = this;
    const http2 = this.#http2;
    const inUse = places.inUse(index).map((slot) => {
      const hasStream = http2?.isBusy(this.#placeOf(slot)) === true;
      return {
        slot,
        isOpen: places.state(slot) === OPEN,
        isBusy: hasStream || places.waiting(slot) !== null,
        hasBegun: hasStream && http2?.hasBegun(this.#placeOf(slot)) === true,
      };
    }).filter(({ isOpen }) => isOpen || !http2?.isReady);
    this.#forget();
    for (const { slot } of inUse) places.close(slot);
    if (places.count(index, CONNECTING) > 0) this.#dial();
    for (const { slot, ...was } of inUse) this.#report(slot, was, lost, nowUs);
  }

  #report(slot: number, was: PlaceAtLoss, { by, reason }: Lost, nowUs: number): void {
    const { exchanges } = this.parts;
    if (!was.isOpen) {
      exchanges.onRefused(slot, by ?? "connect", reason ?? "closed before HTTP/2 was ready", nowUs);
    } else if (!was.isBusy || by === null) this.#disconnect(slot, was.hasBegun, reason, nowUs);
    else exchanges.onFailed(slot, by, reason ?? by, nowUs);
  }

  /** The connection of an open place has ended. @param reason Null: it was closed without an error. */
  #disconnect(slot: number, hasBegun: boolean, reason: string | null, nowUs: number): void {
    const { exchanges } = this.parts;
    if (!exchanges.onDisconnected(slot, nowUs)) return;
    const part = hasBegun ? "within the body" : "before the response";
    if (reason !== null) exchanges.onFailed(slot, "reset", reason, nowUs);
    else exchanges.onFailed(slot, "closed", `closed ${part}`, nowUs);
  }

  /** Redials for places that still need a connection. */
  #replace(nowUs: number): void {
    this.#forget();
    this.#replacedUs = nowUs;
    this.#dial();
  }

  // Events that `Http2Connection` reports for its streams.

  // hot: runs for every response.
  onBegin(place: number): void {
    const { places, nowUs } = this.parts;
    places.firstByteUs[this.#slotOf(place)] = nowUs;
  }

  // hot: runs for every response.
  onEndOfResponse(place: number): void {
    const http2 = this.#http2;
    if (http2 === null) return;
    const { places, exchanges, ended, nowUs } = this.parts;
    const slot = this.#slotOf(place);
    this.#hasBrought = true;
    places.send(slot, null);
    const firstByteUs = places.firstByteUs[slot];
    const isOpen = exchanges.onEnd(slot, http2.response(place), false, firstByteUs, nowUs);
    http2.forget(place);
    if (isOpen) ended[this.#endedCount++] = slot;
  }

  onReset(place: number, reason: string): void {
    this.#fail(place, "reset", reason);
  }

  onMalformed(place: number, reason: string): void {
    this.#fail(place, "protocol", reason);
  }

  #fail(place: number, by: "reset" | "protocol", reason: string): void {
    const { places, exchanges, nowUs } = this.parts;
    const slot = this.#slotOf(place);
    places.send(slot, null);
    exchanges.onFailed(slot, by, reason, nowUs);
  }

  /**
   * Makes the request wait for another connection, because the server has not processed it. But if this connection has
   * served no request, the request fails, because otherwise connections would be dialed for it for ever.
   */
  onTurnedAway(place: number): void {
    if (!this.#hasServed) {
      return this.onReset(place, "GOAWAY on a connection that brought no response");
    }
    this.parts.places.wait(this.#slotOf(place));
  }

  // hot: reports the effects of commands, and sends what they have queued.
  settle(nowUs: number): void {
    const { parts, index } = this;
    const { places } = parts;
    parts.nowUs = nowUs;
    if (this.#probedUntilUs !== null && nowUs >= this.#probedUntilUs) {
      this.#endProbe();
      this.#isSilent = true;
    }
    if (places.count(index, JOINING) > 0) this.#join(nowUs);
    if (places.count(index, CLOSED) === places.length && this.isThere) return this.#hangUp();
    const http2 = this.#http2;
    if (http2 === null) return;
    if (this.#isLeaving && http2.active === 0) this.#moveOn(nowUs);
    else if (places.hasWaiting(index) && this.#isTaking) this.#beginWaiting(http2);
    this.#flush();
  }

  #join(nowUs: number): void {
    const { parts: { places, exchanges }, index } = this;
    for (let slot = places.one(index, JOINING); slot >= 0; slot = places.one(index, JOINING)) {
      places.enter(slot, OPEN);
      exchanges.onOpen(slot, nowUs);
    }
  }

  /**
   * Closes the connection. Redials if requests wait and this connection has served requests or fallen silent; otherwise
   * the exchanges decide whether to dial again.
   */
  #moveOn(nowUs: number): void {
    const { parts: { places, driver }, index } = this;
    this.#flush();
    driver.close(index);
    const isNeeded = places.hasWaiting(index) && (this.#hasServed || this.#isSilent);
    if (isNeeded) this.#replace(nowUs);
    else this.#lose({ by: null, reason: null }, nowUs);
  }

  #beginWaiting(http2: Http2Connection): void {
    const { places } = this.parts;
    while (http2.mayBegin) {
      const slot = places.longestWaiting(this.index);
      const request = slot < 0 ? null : places.waiting(slot);
      if (request === null) return;
      this.#begin(http2, slot, request);
    }
  }
}
