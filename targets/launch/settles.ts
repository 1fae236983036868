/** Waiting with a limit. */

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
