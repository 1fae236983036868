/** Whether a target is itself again after a load: single requests, one at a time, are about as fast as before. */
import type { Load } from "../../scenarios/load/load.ts";
import { measureLoad } from "../measure/measure.ts";
import type { Measurement } from "../result/result.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

const LOOK_MS = 200;
/** The time-out of a single request while the target recovers. */
const PATIENCE_MS = 1_000;
const SLOWER_TIMES = 3;
const SLOWER_MS = 5;

/** A machine that halts may let a look pass without a request. */
const MOST_LOOKS = 5;

/** Of one connection, for a moment in which at least one request was due. */
export async function lookAt(request: TrialRequest, hooks: TrialHooks): Promise<Measurement> {
  for (let looks = 1;; looks++) {
    const seen = await lookOnce(request, hooks);
    if (seen.requests.due > 0 || looks === MOST_LOOKS || hooks.signal.aborted) return seen;
  }
}

function lookOnce(request: TrialRequest, hooks: TrialHooks): Promise<Measurement> {
  const { keepAlive, http2, timeoutMs } = request.load;
  const load: Load = {
    kind: "closed",
    connections: 1,
    keepAlive,
    ...http2 && { http2 },
    timeoutMs: Math.min(timeoutMs, PATIENCE_MS),
    workers: 1,
    pipeline: 1,
    durationMs: LOOK_MS,
    requests: null,
  };
  return measureLoad({ ...request, load }, { ...hooks, onProgress: () => {} });
}

interface Recovery {
  /** Median service time before the search. */
  readonly restMs: number;
  /** Longest wait. */
  readonly recoverS: number;
  /** By any clock that doesn't go back. */
  readonly nowMs: () => number;
}

/**
 * Waits until the target responds as it did at rest.
 *
 * @returns Seconds; null when it did not, or on abort.
 */
export async function recover(
  request: TrialRequest,
  { restMs, recoverS, nowMs }: Recovery,
  hooks: TrialHooks,
): Promise<number | null> {
  const beganMs = nowMs();
  const limitMs = Math.max(SLOWER_TIMES * restMs, restMs + SLOWER_MS);
  while (!hooks.signal.aborted && nowMs() - beganMs < recoverS * 1_000) {
    const afterS = Math.round(nowMs() - beganMs) / 1_000;
    const { requests, service } = await lookAt(request, hooks);
    const isItself = requests.completed > 0 && requests.failed === 0 &&
      service.percentiles["50"] <= limitMs;
    if (isItself) return afterS;
  }
  return null;
}
