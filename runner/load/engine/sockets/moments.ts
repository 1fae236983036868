/**
 * When each slot has something to do next, and which slot is first: a binary heap in flat arrays that knows the
 * position of every slot.
 */

const NOWHERE = -1;

export class Moments {
  readonly #slots: Int32Array;
  readonly #us: Float64Array;
  /** By slot: its position in the heap, or `NOWHERE`. */
  readonly #places: Int32Array;
  #length = 0;

  constructor(slots: number) {
    this.#slots = new Int32Array(slots);
    this.#us = new Float64Array(slots);
    this.#places = new Int32Array(slots).fill(NOWHERE);
  }

  /** The earliest moment; Infinity if there is none. */
  get nextUs(): number {
    return this.#length === 0 ? Infinity : this.#us[0];
  }

  /** The slot with the earliest moment; the heap must not be empty. */
  get first(): number {
    return this.#slots[0];
  }

  // hot: runs for every message.
  /** @param us The slot's moment; Infinity for none. */
  set(slot: number, us: number): void {
    if (us === Infinity) return this.delete(slot);
    let at = this.#places[slot];
    if (at === NOWHERE) at = this.#length++;
    this.#settle(at, slot, us);
  }

  delete(slot: number): void {
    const at = this.#places[slot];
    if (at === NOWHERE) return;
    this.#places[slot] = NOWHERE;
    const last = --this.#length;
    if (at !== last) this.#settle(at, this.#slots[last], this.#us[last]);
  }

  /** Moves a slot from a free position in the heap up or down to its right position. */
  #settle(from: number, slot: number, us: number): void {
    let at = from;
    for (let up = (at - 1) >> 1; at > 0 && this.#us[up] > us; up = (at - 1) >> 1) {
      this.#put(at, this.#slots[up], this.#us[up]);
      at = up;
    }
    for (let child = 2 * at + 1; child < this.#length; child = 2 * at + 1) {
      if (child + 1 < this.#length && this.#us[child + 1] < this.#us[child]) child++;
      if (this.#us[child] >= us) break;
      this.#put(at, this.#slots[child], this.#us[child]);
      at = child;
    }
    this.#put(at, slot, us);
  }

  #put(at: number, slot: number, us: number): void {
    this.#slots[at] = slot;
    this.#us[at] = us;
    this.#places[slot] = at;
  }
}
