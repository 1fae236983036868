/** An experiment as the flags of `run` and `check` change it, and its plan. */
import type { Experiment } from "../scenarios/experiment.ts";
import { type ExperimentFile, loadExperiment } from "../scenarios/experiment_file.ts";
import { planExperiment, type PlannedRun } from "../scenarios/plan.ts";
import type { Values } from "./command.ts";
import type { planFlags } from "./flags.ts";

export interface Planned extends ExperimentFile {
  readonly seed: number;
  readonly runs: readonly PlannedRun[];
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
    load: duration === undefined ? load : { ...load, duration, requests: undefined },
  };
  const seed = asked ?? experiment.seed ?? anySeed();
  return { ...file, experiment, seed, runs: planExperiment(experiment, { seed, only }) };
}

function anySeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}
