/**
 * Users whose first request is made before they arrive, so that the time of its hook is not in their latency. A later
 * request of a user depends on the responses before it, and is made when it is due.
 */
import type { OpenPacer } from "./pacers.ts";

/** No request is made earlier than this before it is due: signatures contain a time, and data is renewed. */
const EARLIEST_US = 10_000;
/** No user is prepared if something is due sooner than this, since it would be sent late. */
const LEAST_US = 100;
/** The most users who are prepared at a time. */
const MOST = 16;
/**
 * When only this many prepared users are left, more are prepared at once, up to `MOST`: polling the sockets after each
 * one would cost microseconds.
 */
const FEW = 4;
/**
 * How long responses that arrive meanwhile may wait: quick hooks are called for many users in this time, slow ones for
 * one.
 */
export const PASS_US = 20;

export class Ahead {
  readonly #places: number[] = [];
  #isFilling = true;

  constructor(private readonly pacer: Pick<OpenPacer, "coming">) {}

  /** The place of the user who arrives next; −1 if none is prepared. */
  take(): number {
    const place = this.#places.shift() ?? -1;
    if (this.#places.length <= FEW) this.#isFilling = true;
    return place;
  }

  add(place: number): void {
    this.#places.push(place);
    if (this.#places.length === MOST) this.#isFilling = false;
  }

  /** Whether there is time to prepare another user now. @param dueUs When the next thing is due. */
  hasTime(nowUs: number, dueUs: number): boolean {
    if (!this.#isFilling || dueUs - nowUs < LEAST_US) return false;
    if (nowUs >= this.#fromUs) return true;
    this.#isFilling = this.#places.length <= FEW;
    return false;
  }

  /** When to check next whether another user can be prepared. */
  wakeUs(nowUs: number): number {
    return this.#isFilling && this.#fromUs > nowUs ? this.#fromUs : Infinity;
  }

  /** The earliest moment for preparing the user after those already prepared. */
  get #fromUs(): number {
    return this.pacer.coming(this.#places.length) - EARLIEST_US;
  }
}
