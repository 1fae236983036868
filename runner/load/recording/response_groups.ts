/**
 * Latencies of completed responses by what the responses say of themselves: their class of status, the instance
 * that served them, and whether a cache did. A 2xx response without such a header costs nothing here: its class
 * is what remains of all.
 */
import {
  CACHE_STATUSES,
  cacheStatusIn,
  instanceIn,
  MOST_INSTANCES,
} from "../../../base/http/framing_fields.ts";
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";

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
