/**
 * When a closed slot may dial again: at once after a connection that brought an answer, else after a
 * pause of 10 ms that doubles up to a second, so that a dead target costs neither of us much.
 */
const FIRST_PAUSE_US = 10_000;
const LONGEST_PAUSE_US = 1_000_000;
/** 10 ms doubled this often passes the longest pause. */
const MOST_DOUBLINGS = 7;

export class BackOff {
  readonly #dialAtUs: Float64Array;
  /** Connections in a row that brought no answer. */
  readonly #fruitless: Uint8Array;

  constructor(slots: number) {
    this.#dialAtUs = new Float64Array(slots).fill(-Infinity);
    this.#fruitless = new Uint8Array(slots);
  }

  // hot: an answer has come.
  reset(slot: number): void {
    this.#fruitless[slot] = 0;
  }

  mayDial(slot: number, nowUs: number): boolean {
    return nowUs >= this.#dialAtUs[slot];
  }

  /** A connection has ended; gives whether the next may be dialed at once. */
  ended(slot: number, nowUs: number): boolean {
    if (this.#fruitless[slot] > 0) this.pause(slot, nowUs);
    else this.#fruitless[slot] = 1; // until an answer comes
    return this.mayDial(slot, nowUs);
  }

  /** A dial has failed. */
  pause(slot: number, nowUs: number): void {
    const doublings = this.#fruitless[slot];
    this.#dialAtUs[slot] = nowUs + Math.min(FIRST_PAUSE_US * 2 ** doublings, LONGEST_PAUSE_US);
    this.#fruitless[slot] = Math.min(doublings + 1, MOST_DOUBLINGS);
  }
}
