/**
 * A pacer says when the next exchange is due. It calculates, and never looks at a clock. Moments: µs since the start.
 */
export interface Pacer {
  /** Takes the next exchange if it may start by `nowUs`, and returns its due time; otherwise −1. */
  take(nowUs: number): number;
  /** When `take` will return the next exchange; Infinity if there are no more. */
  readonly nextUs: number;
  /** How many exchanges are left; Infinity while unknown, 0 after the last. */
  readonly left: number;
  /** Makes no more exchanges due from now on. */
  stop(): void;
  /**
   * Stops, and visits in order the due time of each exchange before `endUs` that was never taken: there may be
   * millions. A closed loop has none, because no schedule makes its exchanges due.
   */
  drop(endUs: number, visit: (dueUs: number) => void): void;
  /** Whether due times are intended (open loop), so that latency counts from them. */
  readonly intended: boolean;
}

/** Closed loop: an exchange is due whenever a connection is free, `left` times in total. */
export class ClosedPacer implements Pacer {
  readonly intended = false;

  /** @param left Number of exchanges; Infinity for as long as the run lasts. */
  constructor(public left: number) {}

  take(nowUs: number): number {
    if (this.left <= 0) return -1;
    this.left--;
    return Math.max(0, nowUs); // a negative time would mean that no exchange is due
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
