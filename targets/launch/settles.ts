/** Waiting with a limit, or by a clock that a test may replace. */
import { setTimeout as sleep } from "node:timers/promises";

/** A clock that can be read and waited for: this machine's, or a test's. In milliseconds. */
export interface Time {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export const REAL_TIME: Time = {
  nowMs: () => performance.now(),
  sleep: (ms) => sleep(ms),
};

/** True if `promise` is fulfilled within `limitMs`, false if it takes longer; rejects if the promise does. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
