/**
 * One connection of HTTP/2 and the lanes of a load that share it. It is dialed for the first lane that wants it, the
 * others join, and it closes with the last of them. Where the server leaves (GOAWAY), or takes fewer streams than
 * there are lanes, a request waits here while its clock runs: for the next connection, or for a stream to end.
 */
import { Http2Connection } from "../../../base/http/http2/connection.ts";
import type { Http2Request } from "../../../base/http/http2/request.ts";
import type { LaneEvents } from "../../../base/http/http2/streams.ts";
import type { Driver, EventHandler, RefusedBy } from "../engine/driver.ts";
import type { LaneOctets } from "./lane_octets.ts";

// States of a lane, as the load sees it.
const CLOSED = 0;
const CONNECTING = 1;
/** Its connection is there, and the load is about to be told so. */
const JOINING = 2;
const OPEN = 3;

interface SharedParts {
  /** Its place among the driver's connections, of which there are `places`. */
  readonly place: number;
  readonly places: number;
  readonly driver: Driver;
  readonly handler: EventHandler;
  readonly octets: LaneOctets;
}

interface Lost {
  /** What a lane is refused by that waits for the connection. */
  readonly by: RefusedBy;
  /** Null: the server closed the connection. */
  readonly reason: string | null;
}

export class SharedConnection implements LaneEvents {
  /** Null while there is none, or it is being dialed. */
  #http2: Http2Connection | null = null;
  #isDialing = false;
  /** Whether it has brought a response. */
  #hasBrought = false;
  /** Whether a request had its time without a word of the server on any: the next connection may do better. */
  #isSilent = false;
  /** When it was dialed in place of one that left, microseconds; −1: the load dialed it. */
  #replacedUs = -1;
  #nowUs = 0;
  #heardUs = 0;
  readonly #state: Uint8Array;
  /** Lanes in each state. */
  readonly #count = new Uint32Array(4);
  /** By lane: what waits for a stream. */
  readonly #held: (Http2Request | null)[];
  /** How many do. */
  #waiting = 0;
  /** By lane: what its stream is of. */
  readonly #sent: (Http2Request | null)[];
  readonly #sentUs: Float64Array;

  constructor(lanes: number, private readonly parts: SharedParts) {
    this.#state = new Uint8Array(lanes);
    this.#count[CLOSED] = lanes;
    this.#held = new Array(lanes).fill(null);
    this.#sent = new Array(lanes).fill(null);
    this.#sentUs = new Float64Array(lanes);
  }

  /** Whether a lane that connects now needs no dial of its own. */
  get isThere(): boolean {
    return this.#http2 !== null || this.#isDialing;
  }

  get #isLeaving(): boolean {
    return this.#isSilent || this.#http2?.isLeaving === true;
  }

  /** The load's: of all connections first those of lane 0, so that slots of one connection leave the same remainder. */
  #slotOf(lane: number): number {
    return this.parts.place + lane * this.parts.places;
  }

  #enter(lane: number, state: number): void {
    this.#count[this.#state[lane]]--;
    this.#count[state]++;
    this.#state[lane] = state;
  }

  // Commands of the load: what they bring about is said in `settle`.

  connect(lane: number): void {
    const isReady = this.#http2?.isReady === true && !this.#isLeaving;
    this.#enter(lane, isReady ? JOINING : CONNECTING);
    if (!this.isThere) this.#dial();
  }

  #dial(): void {
    this.#isDialing = true;
    this.parts.driver.connect(this.parts.place);
  }

  // hot: gives the octets that the request takes.
  send(lane: number, request: Http2Request, nowUs: number): number {
    this.#sentUs[lane] = nowUs;
    const http2 = this.#http2;
    if (http2 !== null && http2.mayBegin && !this.#isSilent) {
      this.#sent[lane] = request;
      return http2.begin(lane, request);
    }
    this.#hold(lane, request);
    return request.body.length;
  }

  #hold(lane: number, request: Http2Request | null): void {
    this.#waiting += Number(request !== null) - Number(this.#held[lane] !== null);
    this.#held[lane] = request;
  }

  close(lane: number): void {
    if (this.#state[lane] === CLOSED) return;
    const http2 = this.#http2;
    if (http2?.isBusy(lane)) {
      this.#isSilent ||= this.#heardUs <= this.#sentUs[lane];
      http2.cancel(lane);
    }
    this.#free(lane);
  }

  #free(lane: number): void {
    this.#enter(lane, CLOSED);
    this.#hold(lane, null);
    this.#sent[lane] = null;
    this.parts.octets.forget(this.#slotOf(lane));
  }

  /** Says good-bye where there is somebody to hear it. */
  #hangUp(): void {
    const { driver, place } = this.parts;
    if (this.#http2?.fault === null) this.#http2.leave();
    this.#flush();
    this.#forget();
    driver.close(place);
  }

  #forget(): void {
    this.#http2 = null;
    this.#isDialing = this.#isSilent = this.#hasBrought = false;
  }

  // hot
  #flush(): void {
    const out = this.#http2?.out;
    if (out && out.length > 0) this.parts.driver.send(this.parts.place, out.take());
  }

  // Events of the connection.

  onOpen(nowUs: number): void {
    this.#isDialing = false;
    this.#heardUs = nowUs;
    this.#http2 = new Http2Connection(this.#state.length, this);
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
    if (http2.fault !== null) return this.#break(http2.fault, nowUs);
    if (!wasReady && http2.isReady) this.#welcome(nowUs);
  }

  #welcome(nowUs: number): void {
    this.#state.forEach((state, lane) => state === CONNECTING && this.#enter(lane, JOINING));
    if (this.#replacedUs >= 0) this.parts.handler.onReplaced?.(nowUs - this.#replacedUs);
    this.#replacedUs = -1;
  }

  #break(fault: string, nowUs: number): void {
    this.#flush(); // which says why
    this.parts.driver.close(this.parts.place);
    this.#lose({ by: "protocol", reason: fault }, nowUs);
  }

  onRefused(by: RefusedBy, reason: string, nowUs: number): void {
    this.#lose({ by, reason }, nowUs);
  }

  /** Requests that wait stay where the server has said that it leaves. */
  onEnd(reason: string | null, nowUs: number): void {
    const isExpected = this.#isLeaving && this.#hasBrought;
    if (!isExpected) return this.#lose({ by: "connect", reason }, nowUs);
    const http2 = this.#http2;
    const busy = this.#lanes().filter((lane) => http2?.isBusy(lane));
    this.#replace(nowUs);
    for (const lane of busy) {
      this.#free(lane);
      this.parts.handler.onEnd(this.#slotOf(lane), reason, nowUs);
    }
  }

  #lanes(): number[] {
    return [...this.#state.keys()].filter((lane) => this.#state[lane] !== CLOSED);
  }

  /** The connection is gone, and with it what its lanes were at; those that came when it was leaving get the next. */
  #lose(lost: Lost, nowUs: number): void {
    const http2 = this.#http2;
    const lanes = this.#lanes().map((lane) => ({
      lane,
      isOpen: this.#state[lane] === OPEN,
      isBusy: this.#held[lane] !== null || http2?.isBusy(lane) === true,
    })).filter(({ isOpen }) => isOpen || !http2?.isReady);
    this.#forget();
    for (const { lane } of lanes) this.#free(lane);
    if (this.#lanes().length > 0) this.#dial();
    for (const { lane, ...was } of lanes) {
      this.#report(this.#slotOf(lane), was, lost, nowUs);
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

  onResponse(lane: number, octets: Uint8Array, from: number, to: number): void {
    this.parts.octets.add(this.#slotOf(lane), octets, from, to, this.#nowUs);
  }

  onEndOfResponse(lane: number): void {
    this.#hasBrought = true;
    this.#sent[lane] = null;
    this.parts.octets.end(this.#slotOf(lane), this.#nowUs);
  }

  onReset(lane: number, reason: string): void {
    this.#free(lane);
    this.parts.handler.onEnd(this.#slotOf(lane), reason, this.#nowUs);
  }

  onMalformed(lane: number, reason: string): void {
    this.#sent[lane] = null;
    this.parts.octets.forget(this.#slotOf(lane));
    this.parts.handler.onBroken(this.#slotOf(lane), reason, this.#nowUs);
  }

  /** A server that never takes any would have us dial for ever. */
  onTurnedAway(lane: number): void {
    if (!this.#hasBrought) return this.onReset(lane, "GOAWAY before any response");
    this.#hold(lane, this.#sent[lane]);
  }

  // hot: says what the commands have brought about, and sends what they have left.
  settle(nowUs: number): void {
    this.#nowUs = nowUs;
    if (this.#count[JOINING] > 0) this.#join(nowUs);
    if (this.#count[CLOSED] === this.#state.length && this.isThere) return this.#hangUp();
    const http2 = this.#http2;
    if (http2 === null) return;
    if (this.#isLeaving && http2.active === 0) this.#moveOn(nowUs);
    else if (this.#waiting > 0 && !this.#isSilent) this.#beginHeld(http2);
    this.#flush();
  }

  #join(nowUs: number): void {
    const state = this.#state;
    for (let lane = state.indexOf(JOINING); lane >= 0; lane = state.indexOf(JOINING)) {
      this.#enter(lane, OPEN);
      this.parts.handler.onOpen(this.#slotOf(lane), nowUs);
    }
  }

  #moveOn(nowUs: number): void {
    const { driver, place } = this.parts;
    this.#flush();
    driver.close(place);
    if (this.#hasBrought || this.#isSilent) this.#replace(nowUs);
    else this.#lose({ by: "connect", reason: null }, nowUs);
  }

  #beginHeld(http2: Http2Connection): void {
    const held = this.#held;
    for (let lane = 0; lane < held.length && http2.mayBegin; lane++) {
      const request = held[lane];
      if (request === null) continue;
      this.#hold(lane, null);
      this.#sent[lane] = request;
      http2.begin(lane, request);
    }
  }
}
