/** The places of one connection: the state of each as the exchanges see it, and its current request. */
import type { Http2Request } from "../../../../base/http/http2/request.ts";
import { CLOSED } from "../../engine/connections.ts";
import { SlotQueue } from "../../engine/slot_queues.ts";

/** A state hidden from the exchanges: the connection is open, and they are about to be told. */
export const JOINING = 3;

export class StreamPlaces {
  /** When the current request was sent, or began to wait, microseconds. */
  readonly sentUs: Float64Array;
  /** When the first head of the response arrived, microseconds; meaningful once one has. */
  readonly firstByteUs: Float64Array;
  readonly #state: Uint8Array;
  /** Number of places in each state. */
  readonly #count = new Uint32Array(4);
  /** By place: the request of its stream. */
  readonly #sent: (Http2Request | null)[];
  /** By place: the request that waits for a stream. */
  readonly #waiting: (Http2Request | null)[];
  #waitingCount = 0;
  /** Places in the order in which their requests began to wait; for some, the request no longer waits. */
  readonly #queue: SlotQueue;

  constructor(readonly length: number) {
    this.sentUs = new Float64Array(length);
    this.firstByteUs = new Float64Array(length);
    this.#state = new Uint8Array(length);
    this.#count[CLOSED] = length;
    this.#sent = new Array(length).fill(null);
    this.#waiting = new Array(length).fill(null);
    this.#queue = new SlotQueue(length);
  }

  state(place: number): number {
    return this.#state[place];
  }

  /** Number of places in a state. */
  count(state: number): number {
    return this.#count[state];
  }

  /** Any place in this state; −1 if there is none. */
  one(state: number): number {
    return this.#state.indexOf(state);
  }

  enter(place: number, state: number): void {
    this.#count[this.#state[place]]--;
    this.#count[state]++;
    this.#state[place] = state;
  }

  /** Places that the exchanges have not closed. */
  inUse(): number[] {
    return [...this.#state.keys()].filter((place) => this.#state[place] !== CLOSED);
  }

  close(place: number): void {
    this.enter(place, CLOSED);
    this.send(place, null);
  }

  // hot: the place's stream now carries this request; null: it has no stream, and nothing waits.
  send(place: number, request: Http2Request | null): void {
    this.#sent[place] = request;
    if (this.#waitingCount === 0 || this.#waiting[place] === null) return;
    this.#waitingCount--;
    this.#waiting[place] = null;
  }

  /** The request, or the one whose sending was in vain, waits for a stream. */
  wait(place: number, request = this.#sent[place]): void {
    this.send(place, null);
    if (request === null) return;
    this.#waiting[place] = request;
    this.#waitingCount++;
    this.#queue.add(place);
  }

  /** The place whose request has waited longest, which is sent now; −1 if there is none. */
  longestWaiting(): number {
    for (let place = this.#queue.take(); place >= 0; place = this.#queue.take()) {
      if (this.#waiting[place] !== null) return place;
    }
    return -1;
  }

  get hasWaiting(): boolean {
    return this.#waitingCount > 0;
  }

  waiting(place: number): Http2Request | null {
    return this.#waiting[place];
  }
}
