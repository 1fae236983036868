/**
 * The exchanges in flight on each slot, oldest first: a ring of `depth` entries per slot, in flat arrays, so that the
 * load loop allocates nothing.
 */
export class InFlight {
  readonly #count: Uint16Array;
  /** Index of the oldest exchange in the slot's ring. */
  readonly #oldest: Uint16Array;
  readonly #request: Uint32Array;
  readonly #head: Uint8Array;
  readonly #dueUs: Float64Array;
  readonly #sentUs: Float64Array;

  constructor(slots: number, private readonly depth: number) {
    this.#count = new Uint16Array(slots);
    this.#oldest = new Uint16Array(slots);
    this.#request = new Uint32Array(slots * depth);
    this.#head = new Uint8Array(slots * depth);
    this.#dueUs = new Float64Array(slots * depth);
    this.#sentUs = new Float64Array(slots * depth);
  }

  count(slot: number): number {
    return this.#count[slot];
  }

  /** @param head Whether the request is a HEAD, whose response has no body. */
  add(slot: number, request: number, head: boolean, dueUs: number, sentUs: number): void {
    const after = this.#oldest[slot] + this.#count[slot]++;
    const at = slot * this.depth + (after < this.depth ? after : after - this.depth);
    this.#request[at] = request;
    this.#head[at] = head ? 1 : 0;
    this.#dueUs[at] = dueUs;
    this.#sentUs[at] = sentUs;
  }

  /** Number that the workload gave to the slot's oldest request. */
  request(slot: number): number {
    return this.#request[slot * this.depth + this.#oldest[slot]];
  }

  isHead(slot: number): boolean {
    return this.#head[slot * this.depth + this.#oldest[slot]] === 1;
  }

  /** When the oldest exchange was due, microseconds. */
  dueUs(slot: number): number {
    return this.#dueUs[slot * this.depth + this.#oldest[slot]];
  }

  /** When the oldest exchange was sent, microseconds. */
  sentUs(slot: number): number {
    return this.#sentUs[slot * this.depth + this.#oldest[slot]];
  }

  /** Visits all exchanges, slot by slot, oldest first. The visitor may drop all, each when it is visited, or none. */
  forEach(
    visit: (slot: number, request: number, dueUs: number, sentUs: number) => void,
  ): void {
    for (let slot = 0; slot < this.#count.length; slot++) {
      const first = this.#oldest[slot];
      const count = this.#count[slot];
      for (let i = 0; i < count; i++) {
        const at = slot * this.depth + (first + i) % this.depth;
        visit(slot, this.#request[at], this.#dueUs[at], this.#sentUs[at]);
      }
    }
  }

  drop(slot: number): void {
    this.#oldest[slot] = this.#oldest[slot] + 1 === this.depth ? 0 : this.#oldest[slot] + 1;
    this.#count[slot]--;
  }
}
