/** Places without a visitor: with a connection that can be used again, and without. */
import { type Connections, OPEN } from "./connections.ts";
import { SlotQueue } from "./slot_queues.ts";

/** Places that may not dial yet are passed over, but not all of ten thousand for every arrival. */
const MOST_TRIES = 16;

export class Places {
  readonly #open: SlotQueue;
  readonly #empty: SlotQueue;

  /** @param isFree Whether nobody is on a slot. */
  constructor(
    slots: number,
    private readonly connections: Connections,
    private readonly isFree: (slot: number) => boolean,
  ) {
    this.#open = new SlotQueue(slots);
    this.#empty = new SlotQueue(slots);
    for (let slot = 0; slot < slots; slot++) this.#empty.add(slot);
  }

  add(slot: number): void {
    (this.connections.state(slot) === OPEN ? this.#open : this.#empty).add(slot);
  }

  /** For a new visitor; −1 when there is none. */
  take(nowUs: number): number {
    for (let slot = this.#open.take(); slot >= 0; slot = this.#open.take()) {
      if (this.isFree(slot) && this.connections.state(slot) === OPEN) return slot;
    }
    for (let tries = Math.min(this.#empty.length, MOST_TRIES); tries > 0; tries--) {
      const slot = this.#empty.take();
      if (this.connections.mayDial(slot, nowUs)) return slot;
      this.#empty.add(slot);
    }
    return -1;
  }
}
