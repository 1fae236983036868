/** Waiting for Redis with a limit: what is asked of one that is away or cut off may never be answered. */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, TargetError } from "../../../base/errors.ts";
import { ANSWER_MS, OUT_OF_TOUCH_MS } from "./names.ts";

const RETRY_MS = 100;

/** Rejects when the answer takes longer, or when the signal aborts; one that comes later is nobody's. */
export async function answerWithin<Answer>(
  asked: Promise<Answer>,
  limitMs: number = ANSWER_MS,
  signal?: AbortSignal,
): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new Error("Redis does not answer"));
  const timer = setTimeout(giveUp, limitMs);
  signal?.addEventListener("abort", giveUp);
  try {
    return await Promise.race([asked, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

/**
 * Asks again and again until Redis answers. Throws the signal's reason when it aborts, and a TargetError
 * when Redis stays away for so long.
 */
export async function answerOf<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  limitMs = OUT_OF_TOUCH_MS,
): Promise<Answer> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await answerWithin(ask(), Math.max(0, endMs - performance.now()), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() + RETRY_MS >= endMs) throw outOfTouch(limitMs, error);
    }
    await sleep(RETRY_MS);
  }
}

function outOfTouch(limitMs: number, error: unknown): TargetError {
  const why = `its Redis could not be used for ${limitMs / 1_000} s: ${messageOf(error)}`;
  return new TargetError(`Cannot load from the fleet: ${why}`);
}
