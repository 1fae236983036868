/** Totals that a worker counts over its whole load, in addition to the figures of each interval. */
import {
  CACHE_STATUSES,
  cacheStatusIn,
  instanceIn,
  MOST_INSTANCES,
} from "../../../base/http/framing_fields.ts";
import { type ErrorKind, ERRORS } from "../../result/outcome.ts";
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { MessageTotals } from "./messages.ts";
import type { SlowExchange } from "./slowest.ts";
import type { SocketTotals } from "./socket_messages.ts";
import type { TailTimes } from "./tail.ts";
import type { SliceTotals } from "./slices.ts";
import type { StepTotals } from "./steps.ts";

/** One worker's totals for the whole run. Moments are in microseconds since the start of the run. */
export interface WorkerTotals {
  readonly due: number;
  readonly completed: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
  /** Number of latencies that are only lower bounds, because the request timed out, was unfinished or was dropped. */
  readonly censored: number;
  /**
   * Requests that ended after the deadline; if two loads take turns, also those that ended outside the measured parts
   * of this load's turns. All zero if there were none.
   */
  readonly drain: Drain;
  readonly checksPassed: number;
  readonly checksFailed: number;
  readonly reconnects: number;
  /** Connections closed because bytes arrived on them while no request was out. */
  readonly unsolicited: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Completed responses, indexed by status code. */
  readonly status: Float64Array;
  /** Failed requests, in the order of ERRORS. */
  readonly errors: Float64Array;
  readonly reasons: ReadonlyMap<string, number>;
  readonly service: SparseHistogram;
  /** The values of `service` that are lower bounds. */
  readonly serviceCensored: SparseHistogram;
  readonly firstByte: SparseHistogram;
  readonly connect: SparseHistogram;
  /** Time from when a request was due until it was sent; empty in a closed loop. */
  readonly lag: SparseHistogram;
  /** Shortest latency of a completed request, not counting lower bounds; Infinity when none completed. */
  readonly fastestUs: number;
  /** The slowest requests, including lower bounds; slowest first. */
  readonly slowest: readonly SlowExchange[];
  /** Due times and latencies of many more slow requests than in `slowest`; empty until the load has ended. */
  readonly tail: TailTimes;
  /** End of the last exchange. */
  readonly lastUs: number;
  /**
   * Latencies of completed responses, grouped by status class, instance and cache status; a response may be in several
   * groups.
   */
  readonly groups: ReadonlyMap<ResponseGroup, SparseHistogram>;
  /** Empty if the load has a single step, whose figures are those of the whole load. */
  readonly steps: readonly StepTotals[];
  /** Absent until the load has ended, and for a load that does not take turns with another. */
  readonly slices?: SliceTotals;
  /** Totals for each step whose responses are streams; absent if there is no such step. */
  readonly messages?: readonly MessageTotals[];
  /** Completed gRPC calls by status; the last number counts calls without a status. Absent if there are no calls. */
  readonly calls?: Float64Array;
  /** Totals for each step that opens WebSockets; absent if there is no such step. */
  readonly sockets?: readonly SocketTotals[];
}

/**
 * Requests that ended after the deadline, while nothing new was sent; if two loads take turns, the counts of completed
 * requests and bytes also include those outside the measured parts of the load's turns.
 */
export interface Drain {
  /** Time from the deadline until the last request ended. */
  readonly us: number;
  readonly completed: number;
  readonly failed: number;
  readonly bytesIn: number;
}

/** When the deadline was, and the counts at that moment. */
export type Sealed = { readonly atUs: number } & Omit<Drain, "us">;

const NO_DRAIN: Drain = { us: 0, completed: 0, failed: 0, bytesIn: 0 };

/** @param sealed Null before the deadline. @param outside Requests that ended between the measured parts of slices. */
export function drainSince(
  sealed: Sealed | null,
  { lastUs, completed, failed, bytesIn }: Omit<Drain, "us"> & { readonly lastUs: number },
  outside: Pick<Drain, "completed" | "bytesIn"> = NO_DRAIN,
): Drain {
  if (sealed === null) return { ...NO_DRAIN, ...outside };
  return {
    us: Math.max(0, lastUs - sealed.atUs),
    completed: outside.completed + completed - sealed.completed,
    failed: failed - sealed.failed,
    bytesIn: outside.bytesIn + bytesIn - sealed.bytesIn,
  };
}

export interface Failure {
  readonly kind: ErrorKind;
  /** The reason in words, for people. */
  readonly reason: string;
}

/**
 * Number of distinct reasons kept. It is limited so that a server that fails in ever new ways can't exhaust the memory.
 */
export const MAX_REASONS = 100;

/** Failed requests by kind and by exact reason. */
export class Failures {
  /** Numbers in the order of ERRORS. */
  readonly errors = new Float64Array(ERRORS.length);
  readonly reasons = new Map<string, number>();

  add({ kind, reason }: Failure): void {
    this.errors[ERRORS.indexOf(kind)]++;
    const known = this.reasons.size < MAX_REASONS || this.reasons.has(reason)
      ? reason
      : "other reasons";
    this.reasons.set(known, (this.reasons.get(known) ?? 0) + 1);
  }
}

/** Sessions of virtual users; created − completed − failed is the number still present at the end. */
export interface SessionTotals {
  readonly created: number;
  readonly completed: number;
  readonly failed: number;
  /** Time from the user's arrival to the end of the last step. */
  readonly length: SparseHistogram;
  /**
   * Number of places that had any session; a place is taken by one virtual user after another. `mostOfPlace`: the
   * largest number of sessions at one place.
   */
  readonly places: number;
  readonly mostOfPlace: number;
}

export class SessionRecorder {
  #created = 0;
  #completed = 0;
  #failed = 0;
  readonly #length = new Histogram();
  readonly #ofPlace: number[] = [];
  #places = 0;
  #mostOfPlace = 0;

  begin(place: number): void {
    this.#created++;
    const sessions = (this.#ofPlace[place] ?? 0) + 1;
    this.#ofPlace[place] = sessions;
    if (sessions === 1) this.#places++;
    if (sessions > this.#mostOfPlace) this.#mostOfPlace = sessions;
  }

  end(completed: boolean, lengthUs: number): void {
    if (completed) this.#completed++;
    else this.#failed++;
    this.#length.record(lengthUs);
  }

  totals(): SessionTotals {
    return {
      created: this.#created,
      completed: this.#completed,
      failed: this.#failed,
      length: this.#length.toSparse(),
      places: this.#places,
      mostOfPlace: this.#mostOfPlace,
    };
  }
}

// Latencies of completed responses, grouped by what each response says about itself: its status
// class, the instance that served it, and its cache status. A 2xx response without an instance or
// cache status costs nothing here, because the latencies of 2xx are computed later: those of all
// responses minus those of the other classes.

/** Name of a group: `5xx`, `instance 3`, `cache hit`. */
export type ResponseGroup =
  | `${number}xx`
  | `instance ${number}`
  | `cache ${typeof CACHE_STATUSES[number]}`;

/** Largest number of groups: status classes, instances and cache statuses. */
export const MOST_GROUPS = 8 + MOST_INSTANCES + CACHE_STATUSES.length;

export function isResponseGroup(text: string): text is ResponseGroup {
  return /^(?:[13-9]xx|instance [1-9]\d{0,2}|cache (?:hit|miss|stale))$/.test(text);
}

export class ResponseGroups {
  readonly #classes: Histogram[] = [];
  readonly #instances: Histogram[] = [];
  readonly #caches = new Map<typeof CACHE_STATUSES[number], Histogram>();

  /** @param served The same as `FramingFields.served`. */
  add(status: number, served: number, latencyUs: number): void {
    if (status > 299 || status < 200) {
      (this.#classes[Math.floor(status / 100)] ??= new Histogram()).record(latencyUs);
    }
    const instance = instanceIn(served);
    if (instance > 0) (this.#instances[instance] ??= new Histogram()).record(latencyUs);
    const cache = cacheStatusIn(served);
    if (cache !== null) this.#cacheOf(cache).record(latencyUs);
  }

  #cacheOf(status: typeof CACHE_STATUSES[number]): Histogram {
    const known = this.#caches.get(status) ?? new Histogram();
    this.#caches.set(status, known);
    return known;
  }

  toSparse(): Map<ResponseGroup, SparseHistogram> {
    const groups = new Map<ResponseGroup, SparseHistogram>();
    this.#classes.forEach((times, first) => {
      groups.set(`${first}xx`, times.toSparse());
    });
    this.#instances.forEach((times, number) => groups.set(`instance ${number}`, times.toSparse()));
    for (const [status, times] of this.#caches) groups.set(`cache ${status}`, times.toSparse());
    return groups;
  }
}
