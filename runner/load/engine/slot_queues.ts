/** Queues of slots: one that is first come, first served, and one ordered by the time at which each slot continues. */

/**
 * Slots in the order of arrival, each at most once; adding a waiting slot again changes nothing. The state of a slot
 * may have changed by the time it is taken.
 */
export class SlotQueue {
  readonly #ring: Int32Array;
  readonly #waits: Uint8Array;
  #first = 0;
  #length = 0;

  constructor(slots: number) {
    this.#ring = new Int32Array(slots);
    this.#waits = new Uint8Array(slots);
  }

  get length(): number {
    return this.#length;
  }

  add(slot: number): void {
    if (this.#waits[slot] === 1) return;
    this.#waits[slot] = 1;
    this.#ring[(this.#first + this.#length++) % this.#ring.length] = slot;
  }

  /** Removes and returns the slot that came first; −1 if the queue is empty. */
  take(): number {
    if (this.#length === 0) return -1;
    const slot = this.#ring[this.#first];
    this.#first = (this.#first + 1) % this.#ring.length;
    this.#length--;
    this.#waits[slot] = 0;
    return slot;
  }
}

/** Slots of thinking users, ordered by the time at which they continue: a binary heap in flat arrays. */
export class WakeQueue {
  readonly #slots: Int32Array;
  readonly #wakeUs: Float64Array;
  #length = 0;

  /** @param slots Number of slots, each in the queue at most once. */
  constructor(slots: number) {
    this.#slots = new Int32Array(slots);
    this.#wakeUs = new Float64Array(slots);
  }

  /** When the first waiting slot continues; Infinity if none waits. */
  get nextUs(): number {
    return this.#length === 0 ? Infinity : this.#wakeUs[0];
  }

  add(slot: number, wakeUs: number): void {
    let at = this.#length++;
    while (at > 0 && this.#wakeUs[(at - 1) >> 1] > wakeUs) {
      this.#move((at - 1) >> 1, at);
      at = (at - 1) >> 1;
    }
    this.#slots[at] = slot;
    this.#wakeUs[at] = wakeUs;
  }

  /** The slot that continues first; the queue must not be empty. */
  take(): number {
    const slot = this.#slots[0];
    const last = --this.#length;
    const wakeUs = this.#wakeUs[last];
    let at = 0;
    for (let child = 1; child < last; child = 2 * at + 1) {
      if (child + 1 < last && this.#wakeUs[child + 1] < this.#wakeUs[child]) child++;
      if (this.#wakeUs[child] >= wakeUs) break;
      this.#move(child, at);
      at = child;
    }
    this.#move(last, at);
    return slot;
  }

  #move(from: number, to: number): void {
    this.#slots[to] = this.#slots[from];
    this.#wakeUs[to] = this.#wakeUs[from];
  }
}
