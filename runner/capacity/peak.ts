/** What a target completes when it is never without requests: about where the trials begin. */
import type { Load } from "../../scenarios/load/load.ts";
import { measureLoad } from "../measure/measure.ts";
import type { TrialHooks, TrialRequest } from "./trial.ts";

/** In a closed loop, which also warms the target up. */
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
  return (await measureLoad({ ...request, load }, hooks)).rate;
}
