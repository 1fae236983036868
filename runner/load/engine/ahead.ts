/**
 * Users whose first request is made before they arrive, so that the time of its hook is not in their latency. A later
 * request of a user depends on the responses before it, and is made when it is due.
 */
import type { OpenPacer } from "./pacers.ts";

/** No request is made earlier: signatures have a time, and data is renewed. */
const EARLIEST_US = 10_000;
/** No user is prepared when something is due sooner than this: it would be sent late. */
const LEAST_US = 100;
/** Users who are prepared at a time. */
const MOST = 16;
/**
 * When no more users than these are left, others are prepared up to `MOST`, and not one by one: each look at the sockets
 * in between costs microseconds.
 */
const FEW = 4;
/** How long responses that come meanwhile may wait for hooks: quick ones are called for many users, slow ones for one. */
export const PASS_US = 20;

export class Ahead {
  readonly #places: number[] = [];
  #isFilling = true;

  constructor(private readonly pacer: Pick<OpenPacer, "coming">) {}

  /** The place of the user who arrives next; −1 where none is prepared. */
  take(): number {
    const place = this.#places.shift() ?? -1;
    if (this.#places.length <= FEW) this.#isFilling = true;
    return place;
  }

  add(place: number): void {
    this.#places.push(place);
    if (this.#places.length === MOST) this.#isFilling = false;
  }

  /** Whether there is time to prepare another user now. @param dueUs When anything is due. */
  hasTime(nowUs: number, dueUs: number): boolean {
    if (!this.#isFilling || dueUs - nowUs < LEAST_US) return false;
    if (nowUs >= this.#fromUs) return true;
    this.#isFilling = this.#places.length <= FEW;
    return false;
  }

  /** When to look next whether another user can be prepared. */
  wakeUs(nowUs: number): number {
    return this.#isFilling && this.#fromUs > nowUs ? this.#fromUs : Infinity;
  }

  /** Earliest moment at which the user after those that are prepared may be prepared. */
  get #fromUs(): number {
    return this.pacer.coming(this.#places.length) - EARLIEST_US;
  }
}
