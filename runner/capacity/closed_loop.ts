/**
 * The measurements of a search for a capacity that use a closed loop: the peak throughput, near which trials begin, and
 * the checks of whether the target has recovered.
 */
import { optionsOf } from "../../base/load_options.ts";
import type { Load } from "../../scenarios/load/load.ts";
import { measureLoad } from "../measure/measure.ts";
import type { Measurement } from "../result/result.ts";
import { wrongResponsesOf } from "../result/outcome.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/**
 * Peak throughput of a target in a closed loop, counting only correct responses unless all are wrong. The loop also
 * warms the target up.
 */
export async function closedPeak(
  request: TrialRequest,
  durationS: number,
  hooks: TrialHooks,
): Promise<number> {
  const { connections, workers } = request.load;
  const load: Load = {
    ...{ kind: "closed", connections, workers, pipeline: 1 },
    ...optionsOf(request.load),
    durationMs: durationS * 1_000,
    requests: null,
  };
  const measured = await measureLoad({ ...request, load }, hooks);
  const { rate, requests: { completed } } = measured;
  // Correct responses as a share of all completed ones. Both counts include responses that came
  // after the deadline, which `rate` leaves out.
  const rightRatio = 1 - wrongResponsesOf(measured) / Math.max(1, completed);
  return rightRatio > 0 ? rate * rightRatio : rate;
}

// Recovery: the target has recovered once single requests, sent one after another, are about as
// fast as before the search.

const LOOK_MS = 200;
/** Time-out of a single request while the target recovers. */
const PATIENCE_MS = 1_000;
const SLOWER_TIMES = 3;
const SLOWER_MS = 5;

/** The most attempts at one measurement, because an attempt may end without any request if the machine is halted. */
const MOST_LOOKS = 5;

/**
 * Measures the target on one connection for `LOOK_MS`. Repeats this up to `MOST_LOOKS` times, until at least one
 * request was due.
 */
export async function lookAt(request: TrialRequest, hooks: TrialHooks): Promise<Measurement> {
  for (let looks = 1;; looks++) {
    const seen = await lookOnce(request, hooks);
    if (seen.requests.due > 0 || looks === MOST_LOOKS || hooks.signal.aborted) return seen;
  }
}

function lookOnce(request: TrialRequest, hooks: TrialHooks): Promise<Measurement> {
  const load: Load = {
    kind: "closed",
    connections: 1,
    ...optionsOf(request.load),
    timeout: Math.min(request.load.timeout, PATIENCE_MS),
    workers: 1,
    pipeline: 1,
    durationMs: LOOK_MS,
    requests: null,
  };
  return measureLoad({ ...request, load }, { ...hooks, onProgress: () => {} });
}

interface Recovery {
  /** Median service time before the search, ms. */
  readonly restMs: number;
  /** Longest wait for the target to recover, seconds. */
  readonly recoverS: number;
  /** Reads any monotonic clock. */
  readonly nowMs: () => number;
}

/**
 * Waits until the target responds about as fast as before the search.
 * @returns Seconds that this took; null if the target did not recover, or on abort.
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
