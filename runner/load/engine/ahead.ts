/**
 * Users whose first request is made before they arrive, so that the time of its hook is not in their latency. A later
 * request of a user depends on the responses before it, and is made when it is due.
 */
import type { OpenPacer } from "./pacers.ts";

/** No request is made earlier: signatures have a time, and data is renewed. */
const EARLIEST_US = 10_000;
/** Nothing is made that could delay what is due. */
const LEAST_US = 100;
/** At a time. */
const MOST = 16;

export class Ahead {
  readonly #places: number[] = [];

  constructor(private readonly pacer: Pick<OpenPacer, "coming">) {}

  /** The place of the user who arrives next; −1 where none is prepared. */
  take(): number {
    return this.#places.shift() ?? -1;
  }

  add(place: number): void {
    this.#places.push(place);
  }

  /** Whether there is time to prepare another user now. @param dueUs When anything is due. */
  hasTime(nowUs: number, dueUs: number): boolean {
    return this.#places.length < MOST && nowUs >= this.#fromUs && dueUs - nowUs >= LEAST_US;
  }

  /** When to look next whether another user can be prepared. */
  wakeUs(nowUs: number): number {
    if (this.#places.length === MOST) return Infinity;
    return this.#fromUs > nowUs ? this.#fromUs : Infinity;
  }

  /** From when on the one after those that are prepared may be. */
  get #fromUs(): number {
    return this.pacer.coming(this.#places.length) - EARLIEST_US;
  }
}
