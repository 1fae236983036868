/**
 * A worker's exchanges with the highest latencies. Keeping them costs the loop one comparison per exchange; their
 * entries are allocated before the run.
 */
import type { SlowOutcome, SlowRequest } from "../../result/distribution.ts";
import { Tail } from "./tail.ts";

/** Number of slowest requests of a run that are kept with all their details. */
export const SLOWEST = 10;

/** An exchange as its worker saw it; moments in microseconds since the start of the run. */
export interface SlowExchange {
  readonly latencyUs: number;
  readonly dueUs: number;
  /** Meaningless for a request that was never sent. */
  readonly sentUs: number;
  readonly doneUs: number;
  readonly slot: number;
  readonly outcome: SlowOutcome;
  /** Status of the response; 0 without a complete one. */
  readonly status: number;
  /** Method and path; null for a request that was never sent. */
  readonly request: string | null;
}

type SlowEntry = { -readonly [Key in keyof SlowExchange]: SlowExchange[Key] } & {
  /** Ordinal of the exchange among the worker's completed ones. */
  ordinal: number;
};

/** Method and path of the exchange that is ending on a slot, or null if it was never sent. */
type RequestAt = (slot: number) => string | null;

export class Slowest {
  /** When the slowest requests were in flight. Covers many more requests than are kept here. */
  readonly tail = new Tail();
  #leastUs = -1;
  #count = 0;
  /** Slowest first; equal ones in the order of time. */
  readonly #places: SlowEntry[] = Array.from({ length: SLOWEST }, empty);
  #requestAt: RequestAt = () => null;
  /** The entry that was added last. */
  #last: SlowEntry | null = null;

  /**
   * Sets how requests are labelled. `requestAt` is called only for exchanges that are kept, before the slot forgets
   * them.
   */
  labelBy(requestAt: RequestAt): void {
    this.#requestAt = requestAt;
  }

  /** @param ordinal The number of a completed exchange; 0 for others. */
  add(
    slot: number,
    end: { readonly outcome: SlowOutcome; readonly status: number; readonly ordinal: number },
    dueUs: number,
    sentUs: number,
    doneUs: number,
  ): void {
    const latencyUs = doneUs - dueUs;
    this.tail.add(dueUs, latencyUs);
    if (latencyUs <= this.#leastUs) return;
    const place = this.#insert(latencyUs);
    place.latencyUs = latencyUs;
    place.dueUs = dueUs;
    place.sentUs = sentUs;
    place.doneUs = doneUs;
    place.slot = slot;
    place.outcome = end.outcome;
    place.status = end.status;
    place.ordinal = end.ordinal;
    place.request = this.#requestAt(slot);
    this.#last = place;
    if (this.#count === SLOWEST) this.#leastUs = this.#places[SLOWEST - 1].latencyUs;
  }

  /** Inserts an entry behind those that are as slow or slower; the last entry is recycled for it. */
  #insert(latencyUs: number): SlowEntry {
    const places = this.#places;
    if (this.#count < SLOWEST) this.#count++;
    let at = this.#count - 1;
    const place = places[at];
    for (; at > 0 && places[at - 1].latencyUs < latencyUs; at--) places[at] = places[at - 1];
    places[at] = place;
    return place;
  }

  /** Called when the response of the latest completed exchange, number `ordinal`, was wrong. */
  wasWrong(ordinal: number): void {
    if (this.#last?.ordinal === ordinal) this.#last.outcome = "wrong";
  }

  /** The slowest exchanges, slowest first. */
  get exchanges(): SlowExchange[] {
    return this.#places.slice(0, this.#count).map(({ ordinal: _, ...exchange }) => exchange);
  }
}

function empty(): SlowEntry {
  return {
    latencyUs: -1,
    dueUs: 0,
    sentUs: 0,
    doneUs: 0,
    slot: 0,
    outcome: "completed",
    status: 0,
    request: null,
    ordinal: 0,
  };
}

/**
 * The slowest exchanges of all workers. The result is exact, because each of them is also among the slowest of its own
 * worker.
 * @param connections Number of connections of each worker.
 */
export function mergeSlowest(
  workers: readonly (readonly SlowExchange[])[],
  connections: readonly number[],
): SlowRequest[] {
  const first = connections.map((_, worker) =>
    connections.slice(0, worker).reduce((sum, count) => sum + count, 0)
  );
  return workers.flatMap((exchanges, worker) =>
    exchanges.map((exchange) => ({
      exchange,
      connection: first[worker] + exchange.slot % connections[worker],
    }))
  )
    .sort(({ exchange: a }, { exchange: b }) => b.latencyUs - a.latencyUs || a.doneUs - b.doneUs)
    .slice(0, SLOWEST)
    .map(({ exchange, connection }) => ({
      // Whole microseconds, as in the distribution.
      latency: Math.round(exchange.latencyUs) / 1_000,
      dueS: Math.round(exchange.dueUs) / 1e6,
      sentS: exchange.request === null ? null : Math.round(exchange.sentUs) / 1e6,
      request: exchange.request,
      connection,
      outcome: exchange.outcome,
      status: exchange.status === 0 ? null : exchange.status,
    }));
}
