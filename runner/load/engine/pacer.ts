/**
 * A pacer says when the next exchange is due. It only calculates, and never looks at a clock. All times are
 * microseconds since the start of the load.
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
   * Stops, then visits in order the due time of each exchange before `endUs` that was never taken; there may be
   * millions, so they are not collected. A closed loop has none, because no schedule makes its exchanges due.
   */
  drop(endUs: number, visit: (dueUs: number) => void): void;
  /** Whether a schedule sets the due times (open loop), so that latency counts from them. */
  readonly intended: boolean;
}

/** Closed loop: an exchange is due whenever a connection is free, `left` times in total. */
export class ClosedPacer implements Pacer {
  readonly intended = false;

  /** @param left Number of exchanges; Infinity if the run ends by time. */
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
