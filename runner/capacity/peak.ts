/** What a target serves when it is never without requests: about where the trials begin. */
import type { Load } from "../../scenarios/load/load.ts";
import { measureLoad } from "../measure/measure.ts";
import { wrongResponsesOf } from "../result/outcome.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/** Without wrong responses, unless all are. In a closed loop, which also warms the target up. */
export async function closedPeak(
  request: TrialRequest,
  durationS: number,
  hooks: TrialHooks,
): Promise<number> {
  const { connections, keepAlive, http2, timeoutMs, workers } = request.load;
  const load: Load = {
    ...{ kind: "closed", connections, keepAlive, timeoutMs, workers, pipeline: 1 },
    ...http2 && { http2 },
    durationMs: durationS * 1_000,
    requests: null,
  };
  const measured = await measureLoad({ ...request, load }, hooks);
  const { rate, requests: { completed } } = measured;
  // Of all that completed, in the drain as well, which no rate counts.
  const rightRatio = 1 - wrongResponsesOf(measured) / Math.max(1, completed);
  return rightRatio > 0 ? rate * rightRatio : rate;
}
