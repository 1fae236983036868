/** The noun for one load of a target. */
import type { Run } from "../../runner/result/result.ts";

/**
 * "run" where each load follows a start of its target, or stands for itself: a reader may ask for more of them. "round"
 * where two servers that run already take turns until there is a verdict: nobody asks for a number of these.
 */
export type RunNoun = "run" | "round";

export function nounOfRuns(runs: readonly Pick<Run, "slices" | "startUp">[]): RunNoun {
  const isRound = ({ slices, startUp }: Pick<Run, "slices" | "startUp">): boolean =>
    slices !== undefined && startUp === null;
  return runs.length > 0 && runs.every(isRound) ? "round" : "run";
}
