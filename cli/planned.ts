/** An experiment as the flags of `run` and `check` change it, and its plan. */
import { discardMisfit } from "../scenarios/discard.ts";
import { type Problem, UserError } from "../scenarios/errors.ts";
import type { Experiment } from "../scenarios/experiment.ts";
import { type ExperimentFile, loadExperiment } from "../scenarios/experiment_file.ts";
import type { Load } from "../scenarios/load.ts";
import { type Plan, planBlocks } from "../scenarios/plan.ts";
import type { Values } from "./command.ts";
import { anySeed, type planFlags } from "./flags.ts";

export interface Planned extends ExperimentFile {
  readonly seed: number;
  readonly plan: Plan;
}

/** Throws a UserError with everything that is wrong with the file. */
export async function planFromFile(
  nameOrPath: string,
  { only, repeat, duration, seed: asked }: Values<typeof planFlags>,
): Promise<Planned> {
  const file = await loadExperiment(nameOrPath);
  const { load, ...rest } = file.experiment;
  const experiment: Experiment = {
    ...rest,
    repeat: repeat ?? rest.repeat,
    load: duration === undefined ? load : lasting(duration, load),
  };
  const misfit = discardMisfit(experiment);
  if (misfit !== null) throw new UserError([{ place: "--duration", message: misfit }]);
  const seed = asked ?? experiment.seed ?? anySeed();
  return { ...file, experiment, seed, plan: planBlocks(experiment, { seed, only }) };
}

function lasting(durationMs: number, load: Load): Load {
  if ("phases" in load) throw new UserError([PHASES_LAST]);
  const duration = [durationMs];
  return "rate" in load ? { ...load, duration } : { ...load, duration, requests: undefined };
}

const PHASES_LAST: Problem = {
  place: "--duration",
  message: "Cannot set one duration for this experiment: its load has phases, each with its own",
  fix: "leave it out, or change the file",
};
