/** What a target serves when it is never without requests: about where the trials begin. */
import type { Load } from "../../scenarios/load/load.ts";
import { measureLoad } from "../measure/measure.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/** Without wrong responses, unless all are. In a closed loop, which also warms the target up. */
export async function closedPeak(
  request: TrialRequest,
  durationS: number,
  hooks: TrialHooks,
): Promise<number> {
  const { connections, keepAlive, timeoutMs, workers } = request.load;
  const load: Load = {
    ...{ kind: "closed", connections, keepAlive, timeoutMs, workers, pipeline: 1 },
    durationMs: durationS * 1_000,
    requests: null,
  };
  const { rate, requests, checks } = await measureLoad({ ...request, load }, hooks);
  // Of all that completed, in the drain as well, which no rate counts.
  const wrongRatio = checks.failed / Math.max(1, requests.completed);
  return rate * Math.max(0, 1 - wrongRatio) || rate;
}
