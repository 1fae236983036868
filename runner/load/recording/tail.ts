/**
 * When the slowest requests of a worker were under way: many more than are named, as two numbers each. The
 * loop pays one comparison for a request that is not among them.
 */

/** Requests that are kept of a worker, and at most of a run. */
export const MOST_TAIL = 1_000;
/** Where a thousandth is fewer. */
const LEAST_TAIL = 10;
/** Share of all requests: those beyond p99.9. */
const TAIL_SHARE = 0.001;

/** Moments and latencies of the same requests, microseconds; in no order. */
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

/** A heap: no request in it is quicker than the one at half of its index. */
export class Tail {
  /** Whoever took no longer than this is not among them. */
  leastUs = -1;
  #count = 0;
  // By index, from 1 on.
  readonly #dueUs = new Float64Array(MOST_TAIL + 1);
  readonly #latencyUs = new Float64Array(MOST_TAIL + 1);

  /** A request that took no longer than the quickest of them is not kept. */
  add(dueUs: number, latencyUs: number): void {
    if (latencyUs <= this.leastUs) return;
    const at = this.#count < MOST_TAIL ? this.#above(latencyUs) : this.#below(latencyUs);
    this.#dueUs[at] = dueUs;
    this.#latencyUs[at] = latencyUs;
    if (this.#count === MOST_TAIL) this.leastUs = this.#latencyUs[1];
  }

  /** A place for it, one more than there were: its way up from the end is cleared. */
  #above(latencyUs: number): number {
    let at = ++this.#count;
    for (let next = at >> 1; next > 0 && this.#latencyUs[next] > latencyUs; next = at >> 1) {
      this.#dueUs[at] = this.#dueUs[next];
      this.#latencyUs[at] = this.#latencyUs[next];
      at = next;
    }
    return at;
  }

  /** A place for it, instead of the quickest: its way down from that one's is cleared. */
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
 * The slowest thousandth of a run, slowest first: at least ten and at most 1,000, where there are so many.
 * Exact, as none that is among them can be missing among its worker's.
 *
 * @param requests How many the run had.
 */
export function mergeTails(workers: readonly TailTimes[], requests: number): TailRequest[] {
  const most = Math.min(MOST_TAIL, Math.max(LEAST_TAIL, Math.ceil(TAIL_SHARE * requests)));
  return workers.flatMap(({ dueUs, latencyUs }) =>
    Array.from(dueUs, (due, i) => ({ dueS: due / 1e6, latency: latencyUs[i] / 1_000 }))
  ).sort((a, b) => b.latency - a.latency || a.dueS - b.dueS).slice(0, most);
}
