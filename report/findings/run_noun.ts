/** The noun for one load of a target. */
import type { Run } from "../../runner/result/result.ts";

/**
 * Runs follow a start of the target or stand for themselves, and a reader may add some. Of two servers that run already, and take
 * turns until there is a verdict, nobody asks for a number: these are rounds.
 */
export type RunNoun = "run" | "round";

export function nounOfRuns(runs: readonly Pick<Run, "slices" | "startUp">[]): RunNoun {
  const isRound = ({ slices, startUp }: Pick<Run, "slices" | "startUp">): boolean =>
    slices !== undefined && startUp === null;
  return runs.length > 0 && runs.every(isRound) ? "round" : "run";
}
