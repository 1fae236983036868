/**
 * Users whose first request is made before they arrive, so that the time of its hook is not in their latency. A later
 * request of a user depends on the responses before it, and is made when it is due. They have no connection yet: a low
 * rate keeps few of them open, and users who each waited for one would be made one at a time.
 */
import type { Journey } from "./flow.ts";
import type { OpenPacer } from "./pacers.ts";
import type { Message } from "./protocol.ts";

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

/** A user who has not arrived. */
export interface ComingUser {
  /** Among this worker's. */
  readonly number: number;
  readonly journey: Journey;
  /** The first message; a text where the script has failed, and null where the user begins with a pause. */
  readonly message: Message | string | null;
}

export class Ahead {
  readonly #users: ComingUser[] = [];
  /** Numbers that no user has, the one that is taken next last: the lowest at first, then the latest that was free. */
  readonly #numbers: number[];
  #isFilling = true;

  /** @param most Users who may be there at a time, with those who are prepared. */
  constructor(private readonly pacer: Pick<OpenPacer, "coming">, most: number) {
    this.#numbers = Array.from({ length: most }, (_, at) => most - 1 - at);
  }

  /** The user who arrives next; null where none is prepared. */
  take(): ComingUser | null {
    const user = this.#users.shift() ?? null;
    if (this.#users.length <= FEW) this.#isFilling = true;
    return user;
  }

  add(user: ComingUser): void {
    this.#users.push(user);
    if (this.#users.length === MOST) this.#isFilling = false;
  }

  /** A number for a user: one is free for everybody who is there or may be prepared. */
  takeNumber(): number {
    const number = this.#numbers.pop();
    if (number === undefined) throw new Error("There are more users than allowed");
    return number;
  }

  giveBack(number: number): void {
    this.#numbers.push(number);
  }

  /** Whether there is time to prepare another user now. @param dueUs When the next thing is due. */
  hasTime(nowUs: number, dueUs: number): boolean {
    if (!this.#mayAdd || dueUs - nowUs < LEAST_US) return false;
    if (nowUs >= this.#fromUs) return true;
    this.#isFilling = this.#users.length <= FEW;
    return false;
  }

  /** When to check next whether another user can be prepared. */
  wakeUs(nowUs: number): number {
    return this.#mayAdd && this.#fromUs > nowUs ? this.#fromUs : Infinity;
  }

  get #mayAdd(): boolean {
    return this.#isFilling && this.#numbers.length > 0;
  }

  /** The earliest moment for preparing the user after those already prepared. */
  get #fromUs(): number {
    return this.pacer.coming(this.#users.length) - EARLIEST_US;
  }
}
