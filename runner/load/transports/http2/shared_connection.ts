/**
 * One connection of HTTP/2 and the places of a load that share it. It is dialed for the first place that wants it, the
 * others join, and it closes with the last of them. Where the server leaves (GOAWAY), or takes fewer streams than it
 * said at first, a request waits here while its clock runs: for the next connection, or for a stream to end.
 */
import { Http2Connection } from "../../../../base/http/http2/connection.ts";
import type { Http2Request } from "../../../../base/http/http2/request.ts";
import type { StreamEvents } from "../../../../base/http/http2/live_streams.ts";
import { CLOSED, CONNECTING, OPEN } from "../../engine/connections.ts";
import type { Driver, EventHandler, RefusedBy } from "../../engine/driver.ts";
import { JOINING, StreamPlaces } from "./places.ts";
import type { ResponseOctets } from "./response_octets.ts";

interface SharedParts {
  /** Its index among the driver's connections, of which there are `connections`. */
  readonly index: number;
  readonly connections: number;
  readonly driver: Driver;
  readonly handler: EventHandler;
  readonly octets: ResponseOctets;
}

interface Lost {
  /** What a place is refused by that waits for the connection. */
  readonly by: RefusedBy;
  /** Null: the server closed the connection. */
  readonly reason: string | null;
}

export class SharedConnection implements StreamEvents {
  /** Null while there is none, or it is being dialed. */
  #http2: Http2Connection | null = null;
  #isDialing = false;
  /** Whether it has brought a response. */
  #hasBrought = false;
  /** Whether a request had its time without a word of the server on any: the next connection may do better. */
  #isSilent = false;
  /** When it was dialed in index of one that left, microseconds; −1: the load dialed it. */
  #replacedUs = -1;
  #nowUs = 0;
  #heardUs = 0;
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

  // hot: gives the octets that the request takes.
  send(place: number, request: Http2Request, nowUs: number): number {
    this.#places.sentUs[place] = nowUs;
    const http2 = this.#http2;
    if (http2 !== null && http2.mayBegin && !this.#isSilent) {
      this.#places.send(place, request);
      return http2.begin(place, request);
    }
    this.#places.wait(place, request);
    return request.body.length;
  }

  close(place: number): void {
    if (this.#places.state(place) === CLOSED) return;
    const http2 = this.#http2;
    if (http2?.isBusy(place)) {
      this.#isSilent ||= this.#heardUs <= this.#places.sentUs[place];
      http2.cancel(place);
    }
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
    this.#http2 = null;
    this.#isDialing = this.#isSilent = this.#hasBrought = false;
    this.#replacedUs = -1;
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
    const wasReady = http2.isReady;
    http2.read(bytes, length);
    this.parts.octets.flush(nowUs);
    if (this.#http2 !== http2) return; // the load has closed it
    if (http2.error !== null) return this.#break(http2.error, nowUs);
    if (!wasReady && http2.isReady) this.#welcome(nowUs);
  }

  #welcome(nowUs: number): void {
    const places = this.#places;
    for (let place = places.one(CONNECTING); place >= 0; place = places.one(CONNECTING)) {
      places.enter(place, JOINING);
    }
    const { recorder } = this.parts.handler;
    if (this.#replacedUs >= 0 && recorder !== undefined) {
      recorder.reconnects++;
      recorder.connected(nowUs - this.#replacedUs);
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

  /** Requests that wait stay where the server has said that it leaves. */
  onEnd(reason: string | null, nowUs: number): void {
    const isExpected = this.#isLeaving && this.#hasBrought;
    if (!isExpected) return this.#lose({ by: "connect", reason }, nowUs);
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
    if (!isOpen) handler.onRefused(slot, by, reason ?? "closed before it was ready", nowUs);
    else if (!isBusy) handler.onEnd(slot, null, nowUs);
    else if (by === "protocol") handler.onBroken(slot, reason ?? by, nowUs);
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
    this.#free(place);
    this.parts.handler.onEnd(this.#slotOf(place), reason, this.#nowUs);
  }

  onMalformed(place: number, reason: string): void {
    this.#places.send(place, null);
    this.parts.octets.forget(this.#slotOf(place));
    this.parts.handler.onBroken(this.#slotOf(place), reason, this.#nowUs);
  }

  /** A server that never takes any would have us dial for ever. */
  onTurnedAway(place: number): void {
    if (!this.#hasBrought) return this.onReset(place, "GOAWAY before any response");
    this.parts.octets.forget(this.#slotOf(place));
    this.#places.wait(place);
  }

  // hot: says what the commands have brought about, and sends what they have left.
  settle(nowUs: number): void {
    this.#nowUs = nowUs;
    if (this.#places.count(JOINING) > 0) this.#join(nowUs);
    if (this.#places.count(CLOSED) === this.#places.length && this.isThere) return this.#hangUp();
    const http2 = this.#http2;
    if (http2 === null) return;
    if (this.#isLeaving && http2.active === 0) this.#moveOn(nowUs);
    else if (this.#places.hasWaiting && !this.#isSilent) this.#beginWaiting(http2);
    this.#flush();
  }

  #join(nowUs: number): void {
    const places = this.#places;
    const most = this.#http2?.mostStreams ?? Infinity;
    for (let place = places.one(JOINING); place >= 0; place = places.one(JOINING)) {
      if (places.count(OPEN) >= most) this.#turnDown(place, most, nowUs);
      else {
        places.enter(place, OPEN);
        this.parts.handler.onOpen(this.#slotOf(place), nowUs);
      }
    }
  }

  /** A request that waited for another's stream would measure the load itself. */
  #turnDown(place: number, most: number, nowUs: number): void {
    this.#free(place);
    const reason = `the server takes ${most} streams at a time on a connection`;
    this.parts.handler.onRefused(this.#slotOf(place), "protocol", reason, nowUs);
  }

  #moveOn(nowUs: number): void {
    const { driver, index } = this.parts;
    this.#flush();
    driver.close(index);
    if (this.#hasBrought || this.#isSilent) this.#replace(nowUs);
    else this.#lose({ by: "connect", reason: null }, nowUs);
  }

  #beginWaiting(http2: Http2Connection): void {
    for (let place = 0; place < this.#places.length && http2.mayBegin; place++) {
      const request = this.#places.waiting(place);
      if (request === null) continue;
      this.#places.send(place, request);
      http2.begin(place, request);
    }
  }
}
