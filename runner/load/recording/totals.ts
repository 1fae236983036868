/** What a worker counts of its load beside the intervals. */
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

/** Totals of the whole run. Moments are microseconds since its start. */
export interface WorkerTotals {
  readonly due: number;
  readonly completed: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
  /** Latencies that are lower bounds: timed out, unfinished or dropped. */
  readonly censored: number;
  /** What of all this ended after the deadline, or between slices; zeros where nothing was waited for. */
  readonly drain: Drain;
  readonly checksPassed: number;
  readonly checksFailed: number;
  readonly reconnects: number;
  /** Connections closed because bytes came on them while no request was out. */
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
  /** Actual send minus due moment; empty in a closed loop. */
  readonly lag: SparseHistogram;
  /** Shortest latency of a completed request, without lower bounds; Infinity when none completed. */
  readonly fastestUs: number;
  /** Highest latencies, lower bounds among them; slowest first. */
  readonly slowest: readonly SlowExchange[];
  /** None before the end. */
  readonly tail: TailTimes;
  /** End of the last exchange. */
  readonly lastUs: number;
  /** Latencies of completed responses by what they say of themselves; a response may be in several. */
  readonly groups: ReadonlyMap<ResponseGroup, SparseHistogram>;
  /** None where the load has one step, which is the whole. */
  readonly steps: readonly StepTotals[];
  /** Absent before the end, and where no other load has turns. */
  readonly slices?: SliceTotals;
  /** One for each step whose responses are streams; absent where none is. */
  readonly messages?: readonly MessageTotals[];
  /** Completed calls of gRPC by their status, then those without one. Absent if there are none. */
  readonly calls?: Float64Array;
  /** One for each step that opens WebSockets; absent where none does. */
  readonly sockets?: readonly SocketTotals[];
}

/** What ended after the deadline, while nothing new was sent. */
export interface Drain {
  /** Time from the deadline to the last end. */
  readonly us: number;
  readonly completed: number;
  readonly failed: number;
  readonly bytesIn: number;
}

/** What had ended at the deadline, and when that was. */
export type Sealed = { readonly atUs: number } & Omit<Drain, "us">;

const NO_DRAIN: Drain = { us: 0, completed: 0, failed: 0, bytesIn: 0 };

/**
 * @param sealed Null before the deadline.
 * @param outside What ended between the measured parts of slices.
 */
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

/** How a request ended in an error. */
export interface Failure {
  readonly kind: ErrorKind;
  /** In words, for people. */
  readonly reason: string;
}

/** So that a server that breaks in ever new ways can't fill the memory. */
export const MAX_REASONS = 100;

/** Failed requests by their kind and by their exact reason. */
export class Failures {
  /** In the order of ERRORS. */
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

/** Sessions of virtual users; created − completed − failed are still there at the end. */
export interface SessionTotals {
  readonly created: number;
  readonly completed: number;
  readonly failed: number;
  /** From the arrival to the end of the last step. */
  readonly length: SparseHistogram;
  /** Places that any user has had, and the sessions of the place that had most. */
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

// Latencies of completed responses by what the responses say of themselves: their class of status, the instance
// that served them, and whether a cache did. A 2xx response without such a header costs nothing here: its class is
// what remains of all.

/** `5xx`, `instance 3`, `cache hit`. */
export type ResponseGroup =
  | `${number}xx`
  | `instance ${number}`
  | `cache ${typeof CACHE_STATUSES[number]}`;

/** Classes of status, instances, and words of caches. */
export const MOST_GROUPS = 7 + MOST_INSTANCES + CACHE_STATUSES.length;

export function isResponseGroup(text: string): text is ResponseGroup {
  return /^(?:[3-9]xx|instance [1-9]\d{0,2}|cache (?:hit|miss|stale))$/.test(text);
}

export class ResponseGroups {
  readonly #classes: Histogram[] = [];
  readonly #instances: Histogram[] = [];
  readonly #caches = new Map<typeof CACHE_STATUSES[number], Histogram>();

  /** @param served As the reader of the response has it. */
  add(status: number, served: number, latencyUs: number): void {
    if (status > 299) {
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
