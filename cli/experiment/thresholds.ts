/** The thresholds of an experiment's file, and those of the command line. */
import { type Problem, UserError } from "../../base/errors.ts";
import { thresholdConflicts } from "../../scenarios/claims/names.ts";
import type { Threshold } from "../../scenarios/claims/threshold.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";

/** Throws a UserError where one that was added names a cell that the experiment does not have. */
export function withThresholds(
  experiment: Experiment,
  added: readonly Threshold[],
): Threshold[] {
  const problems = thresholdConflicts({ ...experiment, thresholds: added })
    .map(({ message }): Problem => ({ place: "--threshold", message }));
  if (problems.length > 0) throw new UserError(problems);
  return [...experiment.thresholds, ...added];
}
