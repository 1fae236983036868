/**
 * Records when a worker's slowest requests were due, and their latencies. This covers many more requests than
 * `slowest.ts` keeps, but has only these two numbers for each. A request that is not kept costs the loop only one
 * comparison.
 */

/** The most requests kept for a worker, and for a whole run. */
export const MOST_TAIL = 1_000;
/** Smallest number of requests kept for a run, even if a thousandth of its requests is fewer. */
const LEAST_TAIL = 10;
/** Share of a run's requests that is kept: those beyond p99.9. */
const TAIL_SHARE = 0.001;

/**
 * When requests were due, and their latencies, in microseconds. Equal indexes mean the same request; the order is
 * arbitrary.
 */
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

/** A min-heap of requests by latency. The parent of the request at index i is at ⌊i / 2⌋. */
export class Tail {
  /** Latency of the fastest request kept, which a new request must exceed to be kept; −1 until the heap is full. */
  leastUs = -1;
  #count = 0;
  // By heap index, from 1.
  readonly #dueUs = new Float64Array(MOST_TAIL + 1);
  readonly #latencyUs = new Float64Array(MOST_TAIL + 1);

  /**
   * Keeps the request if the heap has room, or if it is slower than the fastest request kept, which it then replaces.
   */
  add(dueUs: number, latencyUs: number): void {
    if (latencyUs <= this.leastUs) return;
    const at = this.#count < MOST_TAIL ? this.#above(latencyUs) : this.#below(latencyUs);
    this.#dueUs[at] = dueUs;
    this.#latencyUs[at] = latencyUs;
    if (this.#count === MOST_TAIL) this.leastUs = this.#latencyUs[1];
  }

  /** Adds an empty node at the end of the heap, moves it up to where the latency belongs, and returns its index. */
  #above(latencyUs: number): number {
    let at = ++this.#count;
    for (let next = at >> 1; next > 0 && this.#latencyUs[next] > latencyUs; next = at >> 1) {
      this.#dueUs[at] = this.#dueUs[next];
      this.#latencyUs[at] = this.#latencyUs[next];
      at = next;
    }
    return at;
  }

  /** Empties the node of the fastest request, moves it down to where the latency belongs, and returns its index. */
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
 * The slowest thousandth of a run's requests, slowest first: at least 10 requests, if the run has so many, and at most
 * 1,000. The result is exact, because each worker keeps enough of its slowest requests.
 * @param requests The number of requests in the run.
 */
export function mergeTails(workers: readonly TailTimes[], requests: number): TailRequest[] {
  const most = Math.min(MOST_TAIL, Math.max(LEAST_TAIL, Math.ceil(TAIL_SHARE * requests)));
  return workers.flatMap(({ dueUs, latencyUs }) =>
    Array.from(dueUs, (due, i) => ({ dueS: due / 1e6, latency: latencyUs[i] / 1_000 }))
  ).sort((a, b) => b.latency - a.latency || a.dueS - b.dueS).slice(0, most);
}
