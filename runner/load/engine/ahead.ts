/**
 * Virtual users whose first request is built before they arrive, so that the time of the script's hook does not count
 * in their latency. The later requests of a user depend on earlier responses, so each of those is built when it is due.
 * A prepared user has no connection yet: at a low rate few connections are open, and if each prepared user needed one,
 * users would be prepared one at a time.
 */
import type { Journey } from "./flow.ts";
import type { OpenPacer } from "./pacers.ts";
import type { Message } from "./protocol.ts";

/**
 * The longest time before its due time at which a request is built. It is short because the request may contain the
 * time, as signatures do, or data that is renewed meanwhile.
 */
const EARLIEST_US = 10_000;
/** No user is prepared if an exchange is due sooner than this, because that exchange would be sent late. */
const LEAST_US = 100;
/** The most users who are prepared at a time. */
const MOST = 16;
/**
 * When only this many prepared users are left, they are topped up to `MOST` in one go, because polling the sockets
 * after each one would cost microseconds.
 */
const FEW = 4;
/**
 * Once hooks have taken this long, the preparation of users pauses, because it delays responses that arrive meanwhile.
 * So it pauses after many quick hooks, or after one slow hook.
 */
export const PASS_US = 20;

/** A virtual user who has not arrived yet. */
export interface ComingUser {
  /** The user's number among this worker's users. */
  readonly number: number;
  readonly journey: Journey;
  /** The first message; a string says why the script has failed, and null means that the user begins with a pause. */
  readonly message: Message | string | null;
}

export class Ahead {
  readonly #users: ComingUser[] = [];
  /** Free user numbers, as a stack: at first the lowest is on top, later the one that was freed last. */
  readonly #numbers: number[];
  #isFilling = true;

  /** @param most The most users who may be present or prepared at a time. */
  constructor(private readonly pacer: Pick<OpenPacer, "coming">, most: number) {
    this.#numbers = Array.from({ length: most }, (_, at) => most - 1 - at);
  }

  /** Removes and returns the user who arrives next; null if no user is prepared. */
  take(): ComingUser | null {
    const user = this.#users.shift() ?? null;
    if (this.#users.length <= FEW) this.#isFilling = true;
    return user;
  }

  add(user: ComingUser): void {
    this.#users.push(user);
    if (this.#users.length === MOST) this.#isFilling = false;
  }

  /** A free number for a new user. There are enough for all users who may be present or prepared. */
  takeNumber(): number {
    const number = this.#numbers.pop();
    if (number === undefined) throw new Error("There are more virtual users than the load allows");
    return number;
  }

  giveBack(number: number): void {
    this.#numbers.push(number);
  }

  /** Whether there is time to prepare another user now. @param dueUs When the next exchange is due. */
  hasTime(nowUs: number, dueUs: number): boolean {
    if (!this.#mayAdd || dueUs - nowUs < LEAST_US) return false;
    if (nowUs >= this.#fromUs) return true;
    this.#isFilling = this.#users.length <= FEW;
    return false;
  }

  /** When to check next whether another user can be prepared; Infinity if that does not depend on time. */
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
