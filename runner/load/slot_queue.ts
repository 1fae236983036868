/**
 * Slots in the order in which they came, each at most once; adding one that waits already changes
 * nothing. Whoever takes one looks whether it is still what it was.
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

  /** The one that came first, or −1. */
  take(): number {
    if (this.#length === 0) return -1;
    const slot = this.#ring[this.#first];
    this.#first = (this.#first + 1) % this.#ring.length;
    this.#length--;
    this.#waits[slot] = 0;
    return slot;
  }
}
