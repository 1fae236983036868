/**
 * The places of all connections, each named by its slot: the state of each place as the exchanges see it, and its
 * current request. Arrays over all connections stay in the processor's caches, while the objects of many connections
 * would not.
 */
import type { Http2Request } from "../../../../base/http/http2/request.ts";
import { CLOSED } from "../../engine/connections.ts";
import { SlotQueue } from "../../engine/slot_queues.ts";

/** A state hidden from the exchanges: the connection is open, and the exchanges are about to be told. */
export const JOINING = 3;
/** Number of states. */
const STATES = 4;

export class StreamPlaces {
  /** By slot: when the current request was sent, or began to wait, microseconds. */
  readonly sentUs: Float64Array;
  /** By slot: when the first head of the response arrived, microseconds; meaningful once one has. */
  readonly firstByteUs: Float64Array;
  readonly #state: Uint8Array;
  /** By connection and state: number of its places in that state. */
  readonly #count: Uint32Array;
  /** By slot: the request of its stream. */
  readonly #sent: (Http2Request | null)[];
  /** By slot: the request that waits for a stream. */
  readonly #waiting: (Http2Request | null)[];
  /** By connection: number of waiting requests. */
  readonly #waitingCount: Uint32Array;
  /**
   * By connection: its places in the order in which their requests began to wait. A request may have stopped waiting
   * since then. Null if no request has ever waited.
   */
  readonly #queues: (SlotQueue | null)[];

  /** @param length Number of places of each connection. */
  constructor(private readonly connections: number, readonly length: number) {
    const slots = connections * length;
    this.sentUs = new Float64Array(slots);
    this.firstByteUs = new Float64Array(slots);
    this.#state = new Uint8Array(slots);
    this.#count = new Uint32Array(STATES * connections);
    for (let at = CLOSED; at < this.#count.length; at += STATES) this.#count[at] = length;
    this.#sent = new Array(slots).fill(null);
    this.#waiting = new Array(slots).fill(null);
    this.#waitingCount = new Uint32Array(connections);
    this.#queues = new Array(connections).fill(null);
  }

  state(slot: number): number {
    return this.#state[slot];
  }

  /** Number of the connection's places in a state. */
  count(connection: number, state: number): number {
    return this.#count[STATES * connection + state];
  }

  /** Any place of the connection in this state; −1 if there is none. */
  one(connection: number, state: number): number {
    const { connections } = this;
    for (let slot = connection; slot < this.#state.length; slot += connections) {
      if (this.#state[slot] === state) return slot;
    }
    return -1;
  }

  enter(slot: number, state: number): void {
    const first = STATES * (slot % this.connections);
    this.#count[first + this.#state[slot]]--;
    this.#count[first + state]++;
    this.#state[slot] = state;
  }

  /** Places of the connection that the exchanges have not closed. */
  inUse(connection: number): number[] {
    return Array.from({ length: this.length }, (_, place) => connection + place * this.connections)
      .filter((slot) => this.#state[slot] !== CLOSED);
  }

  close(slot: number): void {
    this.enter(slot, CLOSED);
    this.send(slot, null);
  }

  // hot: the slot's stream now carries this request; null: the slot has neither a stream nor a
  // waiting request.
  send(slot: number, request: Http2Request | null): void {
    this.#sent[slot] = request;
    if (this.#waiting[slot] === null) return;
    this.#waiting[slot] = null;
    this.#waitingCount[slot % this.connections]--;
  }

  /**
   * Makes a request wait for a stream.
   * @param request Absent: the request that was sent on the slot, but that the server has not processed.
   */
  wait(slot: number, request = this.#sent[slot]): void {
    this.send(slot, null);
    if (request === null) return;
    const connection = slot % this.connections;
    this.#waiting[slot] = request;
    this.#waitingCount[connection]++;
    const queue = this.#queues[connection] ??= new SlotQueue(this.length);
    queue.add(Math.floor(slot / this.connections));
  }

  /** Takes, of the connection's slots, the one whose request has waited longest; −1 if none waits. */
  longestWaiting(connection: number): number {
    const queue = this.#queues[connection];
    for (let place = queue?.take() ?? -1; place >= 0; place = queue?.take() ?? -1) {
      const slot = connection + place * this.connections;
      if (this.#waiting[slot] !== null) return slot;
    }
    return -1;
  }

  hasWaiting(connection: number): boolean {
    return this.#waitingCount[connection] > 0;
  }

  waiting(slot: number): Http2Request | null {
    return this.#waiting[slot];
  }
}
