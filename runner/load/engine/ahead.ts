/**
 * Users whose first request is made before they arrive, so that the time of its hook is not in their latency. A later
 * request of a user depends on the responses before it, and is made when it is due.
 */

/** No request is made earlier: signatures have a time, and data is renewed. */
const EARLIEST_US = 10_000;
/** Nothing is made that could delay what is due. */
const LEAST_US = 100;
/** At a time. */
const MOST = 16;

export class Ahead {
  readonly #places: number[] = [];
  #lastUs = -Infinity;
  #gapUs = 0;

  /** The place of the user who arrives next; −1 where none is prepared. */
  take(): number {
    return this.#places.shift() ?? -1;
  }

  add(place: number): void {
    this.#places.push(place);
  }

  /** A user has arrived who was due at `dueUs`. */
  arrived(dueUs: number): void {
    this.#gapUs = Math.max(0, dueUs - this.#lastUs);
    this.#lastUs = dueUs;
  }

  /** Whether there is time to prepare another user now. @param nextUs When the next user arrives. @param dueUs When anything is due. */
  hasTime(nowUs: number, nextUs: number, dueUs: number): boolean {
    return this.#places.length < MOST && nowUs >= this.#fromUs(nextUs) && dueUs - nowUs >= LEAST_US;
  }

  /** When to look next whether another user can be prepared. */
  wakeUs(nowUs: number, nextUs: number): number {
    const fromUs = this.#fromUs(nextUs);
    return this.#places.length < MOST && fromUs > nowUs ? fromUs : Infinity;
  }

  /** From when on the one after those that are prepared may be: as if users went on to arrive as far apart as the last two. */
  #fromUs(nextUs: number): number {
    return nextUs + this.#places.length * Math.min(this.#gapUs, nextUs) - EARLIEST_US;
  }
}
