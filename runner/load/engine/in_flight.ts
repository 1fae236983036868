/**
 * The exchanges in flight on each slot, oldest first: a ring of `depth` entries a slot, in flat arrays,
 * so that the load loop allocates nothing.
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

  /** @param head Whether it is a HEAD, whose response has no body. */
  add(slot: number, request: number, head: boolean, dueUs: number, sentUs: number): void {
    const after = this.#oldest[slot] + this.#count[slot]++;
    const at = slot * this.depth + (after < this.depth ? after : after - this.depth);
    this.#request[at] = request;
    this.#head[at] = head ? 1 : 0;
    this.#dueUs[at] = dueUs;
    this.#sentUs[at] = sentUs;
  }

  /** Number of the oldest request, as the load numbers them. */
  request(slot: number): number {
    return this.#request[slot * this.depth + this.#oldest[slot]];
  }

  isHead(slot: number): boolean {
    return this.#head[slot * this.depth + this.#oldest[slot]] === 1;
  }

  /** Due moment of the oldest, microseconds. */
  dueUs(slot: number): number {
    return this.#dueUs[slot * this.depth + this.#oldest[slot]];
  }

  /** Moment at which the oldest was sent, microseconds. */
  sentUs(slot: number): number {
    return this.#sentUs[slot * this.depth + this.#oldest[slot]];
  }

  /** Visits all, slot by slot, oldest first; the current one, always its slot's oldest, may be dropped. */
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

  /** Forgets the oldest. */
  drop(slot: number): void {
    this.#oldest[slot] = this.#oldest[slot] + 1 === this.depth ? 0 : this.#oldest[slot] + 1;
    this.#count[slot]--;
  }
}
