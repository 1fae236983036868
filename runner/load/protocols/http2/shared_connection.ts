/**
 * One connection of HTTP/2 and the places of a load that share it. It is dialed for the first place that wants it, the
 * others join, and it closes with the last of them. A stream that ends, however it does, leaves its place open for the
 * next. Where the server leaves (GOAWAY), or takes fewer streams than there are places, a request waits here while its
 * clock runs: for the next connection, or for a stream.
 */
import { Http2Connection } from "../../../../base/http/http2/connection.ts";
import type { KnownBlocks } from "../../../../base/http/http2/header_blocks.ts";
import type { Http2Request } from "../../../../base/http/http2/request.ts";
import type { StreamEvents } from "../../../../base/http/http2/live_streams.ts";
import { CLOSED, CONNECTING, OPEN } from "../../engine/connections.ts";
import type { KeptResponse } from "../../../../base/http/kept.ts";
import type { Driver, RefusedBy } from "../../engine/driver.ts";
import type { ExchangeEvents } from "../../engine/protocol.ts";
import { JOINING, StreamPlaces } from "./places.ts";

interface SharedParts {
  /** Index among the driver's connections, of which there are `connections`. */
  readonly index: number;
  readonly connections: number;
  readonly driver: Driver;
  readonly exchanges: ExchangeEvents;
  /** Creates the store for a slot's responses; null if nobody reads them. */
  readonly keep: (slot: number) => KeptResponse | null;
  /** Header blocks that have come on any connection. */
  readonly known: KnownBlocks;
  /** Holds the connection while it waits for a frame of its server, so that it is settled at each tick. */
  readonly probing: Set<SharedConnection>;
}

interface PlaceAtLoss {
  readonly isOpen: boolean;
  /** Whether the place had a request, and whether its response had begun. */
  readonly isBusy: boolean;
  readonly hasBegun: boolean;
}

interface Lost {
  /** Why the dial was refused; null for a connection that had been open. */
  readonly by: RefusedBy | null;
  /** Null if the server closed the connection. */
  readonly reason: string | null;
}

/** A server that is alive acknowledges a PING immediately, unless it is halted. */
const LONGEST_PROBE_US = 1_000_000;

export class SharedConnection implements StreamEvents {
  /** Whether the connection was used since it was last settled. */
  isTouched = false;
  /** Null without a connection, also while dialing. */
  #http2: Http2Connection | null = null;
  #isDialing = false;
  /** The fewest concurrent streams that the server allowed when a connection ended, if fewer than the places. */
  fewestStreams = Infinity;
  /** Whether the connection has brought a response. */
  #hasBrought = false;
  /** Until when the server may send a frame, after a request timed out without any; Infinity: none is expected. */
  #probedUntilUs = Infinity;
  /** Whether the server sent no frame in that time: a new connection may do better. */
  #isSilent = false;
  /** When the connection was dialed to replace one that left, microseconds; −1: the exchanges dialed it. */
  #replacedUs = -1;
  #nowUs = 0;
  #heardUs = 0;
  /**
   * Whether a read is being handled: requests that it causes are sent after the whole read, because nothing in it
   * responds to them.
   */
  #isReading = false;
  readonly #places: StreamPlaces;
  /** Places whose exchanges ended in the current read, in that order. */
  readonly #ended: Uint32Array;
  #endedCount = 0;

  constructor(places: number, private readonly parts: SharedParts) {
    this.#ended = new Uint32Array(places);
    this.#places = new StreamPlaces(places);
  }

  /** Whether a place that connects now needs no dial of its own. */
  get isThere(): boolean {
    return this.#http2 !== null || this.#isDialing;
  }

  get #isLeaving(): boolean {
    return this.#isSilent || this.#http2?.isLeaving === true;
  }

  /** Whether newly given requests may be sent. */
  get #isTaking(): boolean {
    return !this.#isSilent && this.#probedUntilUs === Infinity && !this.#isReading;
  }

  /** Whether the next connection can be expected to do more than this one, which is leaving. */
  get #hasServed(): boolean {
    return this.#hasBrought || this.#http2?.hasTaken === true;
  }

  /** Slot number of a place: first come place 0 of all connections, then place 1 of all, and so on. */
  #slotOf(place: number): number {
    return this.parts.index + place * this.parts.connections;
  }

  // Commands of the exchanges; their effects are reported in `settle`.

  connect(place: number): void {
    const isReady = this.#http2?.isReady === true && !this.#isLeaving;
    this.#places.enter(place, isReady ? JOINING : CONNECTING);
    if (!this.isThere) this.#dial();
  }

  #dial(): void {
    this.#isDialing = true;
    this.parts.driver.connect(this.parts.index);
  }

  // hot: begins a stream, or queues behind waiting requests.
  send(place: number, request: Http2Request, nowUs: number): void {
    const places = this.#places;
    places.sentUs[place] = nowUs;
    const http2 = this.#http2;
    const isNext = this.#isTaking && !places.hasWaiting;
    if (isNext && http2?.mayBegin) this.#begin(http2, place, request);
    else places.wait(place, request);
  }

  // hot
  #begin(http2: Http2Connection, place: number, request: Http2Request): void {
    this.#places.send(place, request);
    this.parts.exchanges.onSent(http2.begin(place, request));
  }

  /**
   * Cancels the place's request; returns whether the place may take the next, on this connection or on its replacement.
   */
  cancel(place: number, nowUs: number): boolean {
    const http2 = this.#http2;
    if (this.#places.state(place) !== OPEN || http2 === null) return false;
    if (http2.isBusy(place)) {
      http2.cancel(place);
      this.#probe(http2, this.#places.sentUs[place], nowUs);
    }
    this.#places.send(place, null);
    return http2.isReady && !this.#isSilent && (!http2.isLeaving || this.#hasServed);
  }

  /** Asks for a sign of life, if the server has sent nothing since a request that has timed out. */
  #probe(http2: Http2Connection, sentUs: number, nowUs: number): void {
    if (this.#heardUs > sentUs || this.#probedUntilUs < Infinity) return;
    http2.ping();
    this.#probedUntilUs = nowUs + Math.min(LONGEST_PROBE_US, (nowUs - sentUs) / 2);
    this.parts.probing.add(this);
  }

  #endProbe(): void {
    this.#probedUntilUs = Infinity;
    this.parts.probing.delete(this);
  }

  close(place: number): void {
    if (this.#places.state(place) === CLOSED) return;
    if (this.#http2?.isBusy(place)) this.#http2.cancel(place);
    this.#places.close(place);
  }

  /** Says goodbye if the server is still there. */
  #hangUp(): void {
    const { driver, index } = this.parts;
    if (this.#http2?.error === null) this.#http2.leave();
    this.#flush();
    this.#forget();
    driver.close(index);
  }

  #forget(): void {
    const most = this.#http2?.mostStreams ?? Infinity;
    if (most < this.#places.length) this.fewestStreams = Math.min(this.fewestStreams, most);
    this.#http2?.giveBack();
    this.#http2 = null;
    this.#isDialing = this.#isSilent = this.#hasBrought = false;
    this.#replacedUs = -1;
    this.#endProbe();
  }

  // hot
  #flush(): void {
    const out = this.#http2?.out;
    if (out === undefined || out.length === 0) return;
    const { driver, index } = this.parts;
    driver.send(index, out.take());
    if (driver.unsentBytes(index) === 0) out.reuse();
  }

  // Events of the connection.

  onOpen(nowUs: number): void {
    this.#isDialing = false;
    this.#heardUs = nowUs;
    this.#http2 = new Http2Connection(
      this.#places.length,
      this,
      (place) => this.parts.keep(this.#slotOf(place)),
      this.parts.known,
    );
  }

  // hot
  onBytes(bytes: Uint8Array, length: number, nowUs: number): void {
    const http2 = this.#http2;
    if (http2 === null) return;
    this.#nowUs = this.#heardUs = nowUs;
    if (this.#probedUntilUs < Infinity) this.#endProbe();
    const wasReady = http2.isReady;
    this.#isReading = true;
    http2.read(bytes, length, this.parts.driver.unsentBytes(this.parts.index));
    this.#isReading = false;
    this.#reportRead(nowUs);
    if (this.#http2 !== http2) return; // the connection was closed meanwhile
    if (http2.error !== null) return this.#break(http2.error, nowUs);
    if (!wasReady && http2.isReady) this.#welcome(nowUs);
  }

  // hot
  #reportRead(nowUs: number): void {
    const count = this.#endedCount;
    this.#endedCount = 0;
    for (let i = 0; i < count; i++) {
      const place = this.#ended[i];
      if (this.#places.state(place) !== OPEN) continue; // closed meanwhile
      this.parts.exchanges.onRead(this.#slotOf(place), nowUs);
    }
  }

  #welcome(nowUs: number): void {
    const places = this.#places;
    for (let place = places.one(CONNECTING); place >= 0; place = places.one(CONNECTING)) {
      places.enter(place, JOINING);
    }
    if (this.#replacedUs >= 0) {
      this.parts.exchanges.onReplaced(this.#slotOf(0), nowUs - this.#replacedUs);
    }
    this.#replacedUs = -1;
  }

  #break(error: string, nowUs: number): void {
    this.#flush(); // sends the frame that says why
    this.parts.driver.close(this.parts.index);
    this.#lose({ by: "protocol", reason: error }, nowUs);
  }

  onRefused(by: RefusedBy, reason: string, nowUs: number): void {
    this.#lose({ by, reason }, nowUs);
  }

  /** Requests that were sent have failed; waiting ones move to the next connection if this one has served any. */
  onEnd(reason: string | null, nowUs: number): void {
    const isNeeded = this.#isLeaving || this.#places.hasWaiting;
    if (!isNeeded || !this.#hasServed) return this.#lose({ by: null, reason }, nowUs);
    const http2 = this.#http2;
    const busy = this.#places.inUse().filter((place) => http2?.isBusy(place))
      .map((place) => ({ place, hasBegun: http2?.hasBegun(place) === true }));
    this.#replace(nowUs);
    for (const { place, hasBegun } of busy) {
      this.#places.close(place);
      this.#disconnect(place, hasBegun, reason, nowUs);
    }
  }

  /**
   * The connection, and every request on it, is lost; places that joined while it was leaving get the next connection.
   */
  #lose(lost: Lost, nowUs: number): void {
    const http2 = this.#http2;
    const places = this.#places.inUse().map((place) => ({
      place,
      isOpen: this.#places.state(place) === OPEN,
      isBusy: this.#places.waiting(place) !== null || http2?.isBusy(place) === true,
      hasBegun: http2?.isBusy(place) === true && http2.hasBegun(place),
    })).filter(({ isOpen }) => isOpen || !http2?.isReady);
    this.#forget();
    for (const { place } of places) this.#places.close(place);
    if (this.#places.count(CONNECTING) > 0) this.#dial();
    for (const { place, ...was } of places) this.#report(place, was, lost, nowUs);
  }

  #report(place: number, was: PlaceAtLoss, { by, reason }: Lost, nowUs: number): void {
    const { exchanges } = this.parts;
    const slot = this.#slotOf(place);
    if (!was.isOpen) {
      exchanges.onRefused(slot, by ?? "connect", reason ?? "closed before it was ready", nowUs);
    } else if (!was.isBusy || by === null) this.#disconnect(place, was.hasBegun, reason, nowUs);
    else exchanges.onFailed(slot, by, reason ?? by, nowUs);
  }

  /** The connection of an open place has ended. @param reason Null: the server closed it. */
  #disconnect(place: number, hasBegun: boolean, reason: string | null, nowUs: number): void {
    const { exchanges } = this.parts;
    const slot = this.#slotOf(place);
    if (!exchanges.onDisconnected(slot, nowUs)) return;
    const part = hasBegun ? "within the body" : "before the response";
    if (reason !== null) exchanges.onFailed(slot, "reset", reason, nowUs);
    else exchanges.onFailed(slot, "closed", `closed ${part}`, nowUs);
  }

  /** Redials for the places that still need a connection. */
  #replace(nowUs: number): void {
    this.#forget();
    this.#replacedUs = nowUs;
    this.#dial();
  }

  // Events of the streams.

  // hot
  onBegin(place: number): void {
    this.#places.firstByteUs[place] = this.#nowUs;
  }

  // hot
  onEndOfResponse(place: number): void {
    const places = this.#places;
    const http2 = this.#http2;
    if (http2 === null) return;
    this.#hasBrought = true;
    places.send(place, null);
    const { exchanges } = this.parts;
    const firstByteUs = places.firstByteUs[place];
    const response = http2.response(place);
    const isOpen = exchanges.onEnd(this.#slotOf(place), response, false, firstByteUs, this.#nowUs);
    http2.forget(place);
    if (isOpen) this.#ended[this.#endedCount++] = place;
  }

  onReset(place: number, reason: string): void {
    this.#fail(place, "reset", reason);
  }

  onMalformed(place: number, reason: string): void {
    this.#fail(place, "protocol", reason);
  }

  #fail(place: number, by: "reset" | "protocol", reason: string): void {
    this.#places.send(place, null);
    this.parts.exchanges.onFailed(this.#slotOf(place), by, reason, this.#nowUs);
  }

  /** A server that never accepts a request would otherwise make us redial for ever. */
  onTurnedAway(place: number): void {
    if (!this.#hasServed) return this.onReset(place, "GOAWAY before any response");
    this.#places.wait(place);
  }

  // hot: reports the effects of commands, and sends what they have queued.
  settle(nowUs: number): void {
    this.#nowUs = nowUs;
    if (nowUs >= this.#probedUntilUs) {
      this.#endProbe();
      this.#isSilent = true;
    }
    if (this.#places.count(JOINING) > 0) this.#join(nowUs);
    if (this.#places.count(CLOSED) === this.#places.length && this.isThere) return this.#hangUp();
    const http2 = this.#http2;
    if (http2 === null) return;
    if (this.#isLeaving && http2.active === 0) this.#moveOn(nowUs);
    else if (this.#places.hasWaiting && this.#isTaking) this.#beginWaiting(http2);
    this.#flush();
  }

  #join(nowUs: number): void {
    const places = this.#places;
    for (let place = places.one(JOINING); place >= 0; place = places.one(JOINING)) {
      places.enter(place, OPEN);
      this.parts.exchanges.onOpen(this.#slotOf(place), nowUs);
    }
  }

  #moveOn(nowUs: number): void {
    const { driver, index } = this.parts;
    this.#flush();
    driver.close(index);
    if (this.#hasServed || this.#isSilent) this.#replace(nowUs);
    else this.#lose({ by: null, reason: null }, nowUs);
  }

  #beginWaiting(http2: Http2Connection): void {
    while (http2.mayBegin) {
      const place = this.#places.longestWaiting();
      const request = place < 0 ? null : this.#places.waiting(place);
      if (request === null) return;
      this.#begin(http2, place, request);
    }
  }
}
