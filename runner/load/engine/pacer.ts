/**
 * When the next exchange is due: a pacer calculates, and never looks at a clock. Moments: µs since the start.
 */
export interface Pacer {
  /** The due moment of the next exchange if it may start by `nowUs`, otherwise −1. One that is given is used up. */
  take(nowUs: number): number;
  /** When `take` will give the next one; Infinity when it never will. */
  readonly nextUs: number;
  /** How many exchanges it will still give, as far as that is known: else Infinity, 0 after the last. */
  readonly left: number;
  /** From now on it makes no exchange due. */
  stop(): void;
  /**
   * Stops, and visits the due moment of each exchange before `endUs` that was not given, in order: there may be
   * millions. None in a closed loop, where nothing is due but by the loop itself.
   */
  drop(endUs: number, visit: (dueUs: number) => void): void;
  /** Whether due moments are somebody's intention (open loop), so that latency counts from them. */
  readonly intended: boolean;
}

/** Closed loop: an exchange is due whenever somebody is free to carry it out, `limit` times in all. */
export class ClosedPacer implements Pacer {
  readonly intended = false;

  /** @param left Exchanges to give; Infinity for as long as the run lasts. */
  constructor(public left: number) {}

  take(nowUs: number): number {
    if (this.left <= 0) return -1;
    this.left--;
    return Math.max(0, nowUs); // below zero would say that there is none
  }

  stop(): void {
    this.left = 0;
  }

  drop(): void {
    this.stop();
  }

  get nextUs(): number {
    return this.left > 0 ? 0 : Infinity;
  }
}
