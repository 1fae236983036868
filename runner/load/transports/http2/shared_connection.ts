/**
 * One connection of HTTP/2 and the places of a load that share it. It is dialed for the first place that wants it, the
 * others join, and it closes with the last of them. A stream that ends, however it does, leaves its place open for the
 * next. Where the server leaves (GOAWAY), or takes fewer streams than there are places, a request waits here while its
 * clock runs: for the next connection, or for a stream.
 */
import { Http2Connection } from "../../../../base/http/http2/connection.ts";
import type { Http2Request } from "../../../../base/http/http2/request.ts";
import type { StreamEvents } from "../../../../base/http/http2/live_streams.ts";
import { CLOSED, CONNECTING, OPEN } from "../../engine/connections.ts";
import type { EventHandler, RefusedBy, SocketDriver } from "../../engine/driver.ts";
import { JOINING, StreamPlaces } from "./places.ts";
import type { ResponseOctets } from "./response_octets.ts";

interface SharedParts {
  /** Its index among the driver's connections, of which there are `connections`. */
  readonly index: number;
  readonly connections: number;
  readonly driver: SocketDriver;
  readonly handler: EventHandler;
  readonly octets: ResponseOctets;
  /** Holds the connection while it waits for a word of its server: it is then settled at each tick. */
  readonly probing: Set<SharedConnection>;
}

interface Lost {
  /** What it was refused by; null for one that was there. */
  readonly by: RefusedBy | null;
  /** Null: the server closed the connection. */
  readonly reason: string | null;
}

/** A server that is there acknowledges a PING at once, unless it stands still. */
const LONGEST_PROBE_US = 1_000_000;

export class SharedConnection implements StreamEvents {
  /** Null while there is none, or it is being dialed. */
  #http2: Http2Connection | null = null;
  #isDialing = false;
  /** Streams at a time that the server took when a connection ended, where that was fewer than the places. */
  fewestStreams = Infinity;
  /** Whether it has brought a response. */
  #hasBrought = false;
  /** Until when the server has time to say a word, after a request had its own without any; Infinity: it need not. */
  #probedUntilUs = Infinity;
  /** Whether it said none: the next connection may do better. */
  #isSilent = false;
  /** When it was dialed in place of one that left, microseconds; −1: the load dialed it. */
  #replacedUs = -1;
  #nowUs = 0;
  #heardUs = 0;
  /** Whether what came is being read. What that makes the load send goes out after all of it, as it responds to none of that. */
  #isReading = false;
  readonly #places: StreamPlaces;

  constructor(places: number, private readonly parts: SharedParts) {
    this.#places = new StreamPlaces(places);
  }

  /** Whether a place that connects now needs no dial of its own. */
  get isThere(): boolean {
    return this.#http2 !== null || this.#isDialing;
  }

  get #isLeaving(): boolean {
    return this.#isSilent || this.#http2?.isLeaving === true;
  }

  /** Whether requests may be sent that are given to it. */
  get #isTaking(): boolean {
    return !this.#isSilent && this.#probedUntilUs === Infinity && !this.#isReading;
  }

  /** Whether the next connection may be expected to do more than this one, which leaves. */
  get #hasServed(): boolean {
    return this.#hasBrought || this.#http2?.hasTaken === true;
  }

  /** The load's: of all connections first those of place 0, so that slots of one connection leave the same remainder. */
  #slotOf(place: number): number {
    return this.parts.index + place * this.parts.connections;
  }

  // Commands of the load: what they bring about is said in `settle`.

  connect(place: number): void {
    const isReady = this.#http2?.isReady === true && !this.#isLeaving;
    this.#places.enter(place, isReady ? JOINING : CONNECTING);
    if (!this.isThere) this.#dial();
  }

  #dial(): void {
    this.#isDialing = true;
    this.parts.driver.connect(this.parts.index);
  }

  // hot: begins a stream, or waits behind those that wait already.
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
    this.parts.handler.recorder.bytesOut += http2.begin(place, request);
  }

  /** Ends what the place is at; gives whether it may take the next, on this connection or on the one that replaces it. */
  cancel(place: number, nowUs: number): boolean {
    const http2 = this.#http2;
    if (this.#places.state(place) !== OPEN || http2 === null) return false;
    if (http2.isBusy(place)) {
      http2.cancel(place);
      this.#probe(http2, this.#places.sentUs[place], nowUs);
    }
    this.#rest(place);
    return http2.isReady && !this.#isSilent && (!http2.isLeaving || this.#hasServed);
  }

  /** Asks whether the server is there, where it has said nothing since a request was sent that had its time. */
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

  /** The place is at nothing. */
  #rest(place: number): void {
    this.#places.send(place, null);
    this.parts.octets.forget(this.#slotOf(place));
  }

  close(place: number): void {
    if (this.#places.state(place) === CLOSED) return;
    if (this.#http2?.isBusy(place)) this.#http2.cancel(place);
    this.#free(place);
  }

  #free(place: number): void {
    this.#places.close(place);
    this.parts.octets.forget(this.#slotOf(place));
  }

  /** Says good-bye where there is somebody to hear it. */
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
    this.#http2 = null;
    this.#isDialing = this.#isSilent = this.#hasBrought = false;
    this.#replacedUs = -1;
    this.#endProbe();
  }

  // hot
  #flush(): void {
    const out = this.#http2?.out;
    if (out && out.length > 0) this.parts.driver.send(this.parts.index, out.take());
  }

  // Events of the connection.

  onOpen(nowUs: number): void {
    this.#isDialing = false;
    this.#heardUs = nowUs;
    this.#http2 = new Http2Connection(this.#places.length, this);
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
    this.parts.octets.flush(nowUs);
    this.#isReading = false;
    if (this.#http2 !== http2) return; // the load has closed it
    if (http2.error !== null) return this.#break(http2.error, nowUs);
    if (!wasReady && http2.isReady) this.#welcome(nowUs);
  }

  #welcome(nowUs: number): void {
    const places = this.#places;
    for (let place = places.one(CONNECTING); place >= 0; place = places.one(CONNECTING)) {
      places.enter(place, JOINING);
    }
    if (this.#replacedUs >= 0) {
      this.parts.handler.onReplaced(this.#slotOf(0), nowUs - this.#replacedUs);
    }
    this.#replacedUs = -1;
  }

  #break(error: string, nowUs: number): void {
    this.#flush(); // which says why
    this.parts.driver.close(this.parts.index);
    this.#lose({ by: "protocol", reason: error }, nowUs);
  }

  onRefused(by: RefusedBy, reason: string, nowUs: number): void {
    this.#lose({ by, reason }, nowUs);
  }

  /** What was sent has failed; requests that wait go by the next connection, where this one has served any. */
  onEnd(reason: string | null, nowUs: number): void {
    const isNeeded = this.#isLeaving || this.#places.hasWaiting;
    if (!isNeeded || !this.#hasServed) return this.#lose({ by: null, reason }, nowUs);
    const http2 = this.#http2;
    const busy = this.#places.inUse().filter((place) => http2?.isBusy(place));
    this.#replace(nowUs);
    for (const place of busy) {
      this.#free(place);
      this.parts.handler.onEnd(this.#slotOf(place), reason, nowUs);
    }
  }

  /** The connection is gone, and with it what its places were at; those that came when it was leaving get the next. */
  #lose(lost: Lost, nowUs: number): void {
    const http2 = this.#http2;
    const places = this.#places.inUse().map((place) => ({
      place,
      isOpen: this.#places.state(place) === OPEN,
      isBusy: this.#places.waiting(place) !== null || http2?.isBusy(place) === true,
    })).filter(({ isOpen }) => isOpen || !http2?.isReady);
    this.#forget();
    for (const { place } of places) this.#free(place);
    if (this.#places.count(CONNECTING) > 0) this.#dial();
    for (const { place, ...was } of places) {
      this.#report(this.#slotOf(place), was, lost, nowUs);
    }
  }

  #report(
    slot: number,
    { isOpen, isBusy }: { readonly isOpen: boolean; readonly isBusy: boolean },
    { by, reason }: Lost,
    nowUs: number,
  ): void {
    const { handler } = this.parts;
    if (!isOpen) {
      handler.onRefused(slot, by ?? "connect", reason ?? "closed before it was ready", nowUs);
    } else if (!isBusy) handler.onEnd(slot, null, nowUs);
    else if (by !== null) handler.onFailed(slot, by, reason ?? by, nowUs);
    else handler.onEnd(slot, reason, nowUs);
  }

  /** Dials again for whoever is there. */
  #replace(nowUs: number): void {
    this.#forget();
    this.#replacedUs = nowUs;
    this.#dial();
  }

  // Events of the streams.

  onResponse(place: number, octets: Uint8Array, from: number, to: number): void {
    this.parts.octets.expect(this.#slotOf(place), to - from, this.#nowUs);
    if (this.#http2?.isBusy(place)) this.parts.octets.add(octets, from, to);
  }

  onEndOfResponse(place: number): void {
    this.#hasBrought = true;
    this.#places.send(place, null);
    this.parts.octets.end(this.#slotOf(place), this.#nowUs);
  }

  onReset(place: number, reason: string): void {
    this.#fail(place, "reset", reason);
  }

  onMalformed(place: number, reason: string): void {
    this.#fail(place, "protocol", reason);
  }

  #fail(place: number, by: "reset" | "protocol", reason: string): void {
    this.#rest(place);
    this.parts.handler.onFailed(this.#slotOf(place), by, reason, this.#nowUs);
  }

  /** A server that never takes any would have us dial for ever. */
  onTurnedAway(place: number): void {
    if (!this.#hasServed) return this.onReset(place, "GOAWAY before any response");
    this.parts.octets.forget(this.#slotOf(place));
    this.#places.wait(place);
  }

  // hot: says what the commands have brought about, and sends what they have left.
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
      this.parts.handler.onOpen(this.#slotOf(place), nowUs);
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
