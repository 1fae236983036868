/**
 * The exchanges in flight on each slot, oldest first: a ring of `depth` places a slot, in flat arrays,
 * so that the load loop allocates nothing.
 */
export class InFlight {
  readonly #count: Uint16Array;
  /** Place of the oldest in the slot's ring. */
  readonly #oldest: Uint16Array;
  readonly #request: Uint32Array;
  readonly #dueUs: Float64Array;
  readonly #sentUs: Float64Array;

  constructor(slots: number, private readonly depth: number) {
    this.#count = new Uint16Array(slots);
    this.#oldest = new Uint16Array(slots);
    this.#request = new Uint32Array(slots * depth);
    this.#dueUs = new Float64Array(slots * depth);
    this.#sentUs = new Float64Array(slots * depth);
  }

  count(slot: number): number {
    return this.#count[slot];
  }

  add(slot: number, request: number, dueUs: number, sentUs: number): void {
    const after = this.#oldest[slot] + this.#count[slot]++;
    const place = slot * this.depth + (after < this.depth ? after : after - this.depth);
    this.#request[place] = request;
    this.#dueUs[place] = dueUs;
    this.#sentUs[place] = sentUs;
  }

  /** As `request`; −1 when none is in flight. */
  oldest(slot: number): number {
    return this.#count[slot] === 0 ? -1 : this.request(slot);
  }

  /** Which request the oldest is, as an index into the script's. */
  request(slot: number): number {
    return this.#request[slot * this.depth + this.#oldest[slot]];
  }

  /** Due moment of the oldest, microseconds. */
  dueUs(slot: number): number {
    return this.#dueUs[slot * this.depth + this.#oldest[slot]];
  }

  /** Moment at which the oldest was sent, microseconds. */
  sentUs(slot: number): number {
    return this.#sentUs[slot * this.depth + this.#oldest[slot]];
  }

  /** Visits all, slot by slot, oldest first; the one at hand, always its slot's oldest, may be dropped. */
  forEach(visit: (slot: number, dueUs: number, sentUs: number) => void): void {
    for (let slot = 0; slot < this.#count.length; slot++) {
      const first = this.#oldest[slot];
      const count = this.#count[slot];
      for (let i = 0; i < count; i++) {
        const place = slot * this.depth + (first + i) % this.depth;
        visit(slot, this.#dueUs[place], this.#sentUs[place]);
      }
    }
  }

  /** Forgets the oldest. */
  drop(slot: number): void {
    this.#oldest[slot] = this.#oldest[slot] + 1 === this.depth ? 0 : this.#oldest[slot] + 1;
    this.#count[slot]--;
  }
}
