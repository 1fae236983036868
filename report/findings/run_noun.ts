/** The noun for one load of a target. */
import type { Run } from "../../runner/result/result.ts";

/**
 * "run" if each load follows a start of its target, or is the only one: a reader can ask for more runs. "round" if two
 * servers that are already running take turns until there is a verdict: nobody chooses the number of rounds.
 */
export type RunNoun = "run" | "round";

export function nounOfRuns(runs: readonly Pick<Run, "slices" | "startUp">[]): RunNoun {
  const isRound = ({ slices, startUp }: Pick<Run, "slices" | "startUp">): boolean =>
    slices !== undefined && startUp === null;
  return runs.length > 0 && runs.every(isRound) ? "round" : "run";
}
