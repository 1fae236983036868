/**
 * When the slowest requests of a worker were in flight: many more requests than `slowest.ts` keeps, with only two
 * numbers each. All other requests cost the loop one comparison.
 */

/** The most requests kept for a worker, and for a whole run. */
export const MOST_TAIL = 1_000;
/** The least number kept, even if a thousandth of all requests is fewer. */
const LEAST_TAIL = 10;
/** Share of all requests: those beyond p99.9. */
const TAIL_SHARE = 0.001;

/** Moments and latencies of the same requests, microseconds; in no particular order. */
export interface TailTimes {
  readonly dueUs: Float64Array;
  readonly latencyUs: Float64Array;
}

export const NO_TAIL: TailTimes = {
  dueUs: new Float64Array(0),
  latencyUs: new Float64Array(0),
};

/** A request of a run: when it was due, seconds since the start, and its latency, milliseconds. */
export interface TailRequest {
  readonly dueS: number;
  readonly latency: number;
}

/** A heap: no request in it is faster than its parent, at half its index. */
export class Tail {
  /** Once all places are taken: the latency of the fastest request kept, which a new request must exceed. */
  leastUs = -1;
  #count = 0;
  // By heap index, from 1.
  readonly #dueUs = new Float64Array(MOST_TAIL + 1);
  readonly #latencyUs = new Float64Array(MOST_TAIL + 1);

  /** Keeps a request, unless it was no slower than the fastest that is kept. */
  add(dueUs: number, latencyUs: number): void {
    if (latencyUs <= this.leastUs) return;
    const at = this.#count < MOST_TAIL ? this.#above(latencyUs) : this.#below(latencyUs);
    this.#dueUs[at] = dueUs;
    this.#latencyUs[at] = latencyUs;
    if (this.#count === MOST_TAIL) this.leastUs = this.#latencyUs[1];
  }

  /** Makes a place for a request at the end of the heap, and moves it up. */
  #above(latencyUs: number): number {
    let at = ++this.#count;
    for (let next = at >> 1; next > 0 && this.#latencyUs[next] > latencyUs; next = at >> 1) {
      this.#dueUs[at] = this.#dueUs[next];
      this.#latencyUs[at] = this.#latencyUs[next];
      at = next;
    }
    return at;
  }

  /** Makes a place for a request, in place of the fastest, and moves it down. */
  #below(latencyUs: number): number {
    let at = 1;
    for (let next = 2; next <= MOST_TAIL; next = 2 * at) {
      if (next < MOST_TAIL && this.#latencyUs[next + 1] < this.#latencyUs[next]) next++;
      if (this.#latencyUs[next] >= latencyUs) break;
      this.#dueUs[at] = this.#dueUs[next];
      this.#latencyUs[at] = this.#latencyUs[next];
      at = next;
    }
    return at;
  }

  get times(): TailTimes {
    const end = this.#count + 1;
    return { dueUs: this.#dueUs.slice(1, end), latencyUs: this.#latencyUs.slice(1, end) };
  }
}

/**
 * The slowest thousandth of a run, slowest first: at least ten requests and at most 1,000, if there are so many. Exact,
 * because each worker keeps enough of its slowest ones.
 * @param requests The number of requests in the run.
 */
export function mergeTails(workers: readonly TailTimes[], requests: number): TailRequest[] {
  const most = Math.min(MOST_TAIL, Math.max(LEAST_TAIL, Math.ceil(TAIL_SHARE * requests)));
  return workers.flatMap(({ dueUs, latencyUs }) =>
    Array.from(dueUs, (due, i) => ({ dueS: due / 1e6, latency: latencyUs[i] / 1_000 }))
  ).sort((a, b) => b.latency - a.latency || a.dueS - b.dueS).slice(0, most);
}
