/** Waits with a time limit, or on a clock that a test may replace. */
import { setTimeout as sleep } from "node:timers/promises";

/** A clock, in milliseconds: the machine's, or a test's. */
export interface Time {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export const REAL_TIME: Time = {
  nowMs: () => performance.now(),
  sleep: (ms) => sleep(ms),
};

/**
 * Resolves to true if `promise` is fulfilled within `limitMs`, and to false if it takes longer; rejects if `promise`
 * rejects.
 */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
