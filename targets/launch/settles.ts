/** Waiting: with a limit, or by a time that may be a test's. */
import { setTimeout as sleep } from "node:timers/promises";

/** Time that passes and can be waited for: this machine's, or a test's. Milliseconds. */
export interface Time {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export const REAL_TIME: Time = {
  nowMs: () => performance.now(),
  sleep: (ms) => sleep(ms),
};

/** True when `promise` is fulfilled within `limitMs`, false when it takes longer; rejects as it does. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
