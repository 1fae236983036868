/** Loads an experiment, applies the flags of `run` and `check` to it, and plans its runs. */
import { loadFor } from "../../scenarios/load/load.ts";
import { discardConflict, figuresConflict } from "../../scenarios/load/measured_part.ts";
import { type Problem, UserError } from "../../base/errors.ts";
import { thresholdConflicts } from "../../scenarios/claims/names.ts";
import type { Threshold } from "../../scenarios/claims/threshold.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import {
  type ExperimentFile,
  loadExperiment,
  type LoadOptions,
} from "../../scenarios/file/experiment_file.ts";
import { ONE_PROFILE } from "../../scenarios/plan/repetition.ts";
import type { LoadSpec } from "../../scenarios/load/load_shape.ts";
import { SECRET, secrets } from "../../base/secrets.ts";
import {
  type Cell,
  type Plan,
  planBlocks,
  planCells,
  type PlanOptions,
} from "../../scenarios/plan/plan.ts";
import type { Scenario } from "../../scenarios/request/scenario.ts";
import type { ParsedValues } from "../command_line/command.ts";
import { anySeed, type planFlags } from "../flags/flags.ts";
import { settings } from "../flags/values.ts";

/** The flags that change an experiment; a flag is undefined if it was not given. */
export type Changes = Omit<PlanArguments, "seed">;

/** The profile and observe flags are optional, because some commands that plan an experiment lack them. */
type PlanArguments =
  & Omit<ParsedValues<typeof planFlags>, "profile" | "observe">
  & Partial<Pick<ParsedValues<typeof planFlags>, "profile" | "observe">>;

export interface Planned extends ExperimentFile {
  readonly seed: number;
  readonly plan: Plan;
  /** Flags as results record them: without secrets. */
  readonly flags: Changes;
}

/** Problems of an experiment file. @param set The texts of --set; if they are wrong, the file isn't checked. */
export async function experimentProblems(file: unknown, set: unknown): Promise<readonly Problem[]> {
  const { data } = settings.safeParse(set);
  if (typeof file !== "string" || data === undefined) return [];
  try {
    await loadExperiment(file, data);
    return [];
  } catch (error) {
    if (error instanceof UserError) return error.problems;
    throw error;
  }
}

type PlanFileOptions = LoadOptions & Pick<PlanOptions, "neighbours">;

/** Throws a UserError with every problem of the file, and every flag that doesn't fit the experiment. */
export async function planFromFile(
  nameOrPath: string,
  { set, only, repeat, duration, profile, observe, seed: given }: PlanArguments,
  { neighbours, ...options }: PlanFileOptions = {},
): Promise<Planned> {
  const flags = { set, only, repeat, duration, profile, observe };
  const file = await loadExperiment(nameOrPath, flags.set, options);
  const experiment = changed(file.experiment, flags);
  const seed = given ?? experiment.seed ?? anySeed();
  return {
    ...file,
    notes: [...file.notes, ...replayNotes(experiment)],
    experiment,
    seed,
    flags: { ...flags, set: openly(set, file.experiment) },
    plan: planBlocks(experiment, {
      seed,
      only: flags.only,
      shown: (all) => secrets.data(all),
      neighbours,
    }),
  };
}

function replayNotes({ scenarios }: Experiment): string[] {
  return Object.values(scenarios).flatMap((scenario) =>
    "replay" in scenario ? [scenario.replay.note] : []
  );
}

/**
 * The values of --set for the results. A value that contains a secret is hidden completely, so that a resumed run asks
 * for it again.
 */
function openly(set: Changes["set"], { parameters = {} }: Experiment): Changes["set"] {
  return Object.fromEntries(
    Object.entries(set).map(([name, text]) => {
      // The parsed value is checked, too, because it may differ from the text, such as by YAML's
      // quotes.
      const written = [text, parameters[name]];
      const isOpen = written.every((each) =>
        typeof each !== "string" || secrets.text(each) === each
      );
      return [name, isOpen ? text : SECRET];
    }),
  );
}

/**
 * Applies flags to an experiment. Throws a UserError if a flag does not fit it. @param written The experiment as in the
 * file.
 */
export function changed(
  written: Experiment,
  { only, repeat, duration, profile, observe }: Changes,
): Experiment {
  const experiment = {
    ...written,
    repeat: repeat ?? written.repeat,
    ...profile && { profile: written.profile ?? ONE_PROFILE },
    ...observe && { observe: [...new Set([...written.observe ?? [], observe])] },
  };
  if (duration === undefined) return experiment;
  const names = new Set(planCells(experiment, only).map(({ scenario }) => scenario));
  checkPhases(experiment, [...names]);
  const { load, scenarios, ...rest } = experiment;
  const lastingAll = {
    ...rest,
    load: lasting(duration, load),
    scenarios: Object.fromEntries(
      Object.entries(scenarios).map(([name, { load, ...scenario }]) => [
        name,
        load === undefined ? scenario : { ...scenario, load: lasting(duration, load) },
      ]),
    ),
  };
  checkDiscard(lastingAll, [...names]);
  return lastingAll;
}

/**
 * The load with another duration. Loads with phases, stages or a capacity search are left unchanged; if a planned
 * scenario has such a load, `checkPhases` refuses `--duration`.
 */
function lasting(durationMs: number, load: LoadSpec): LoadSpec {
  if ("phases" in load || "stages" in load || "capacity" in load) return load;
  const duration = [durationMs];
  return "rate" in load ? { ...load, duration } : { ...load, duration, requests: undefined };
}

function checkPhases(experiment: Experiment, scenarios: readonly string[]): void {
  const replayed = scenarios.filter((name) => "replay" in experiment.scenarios[name]);
  if (replayed.length > 0) {
    throw new UserError([{
      place: "--duration",
      message: `Cannot set the duration of ${named(replayed)}: a replay lasts as long as its log`,
      fix: "leave out --duration, or choose other scenarios with --only",
    }]);
  }
  for (const [key, why] of Object.entries(WITHOUT_DURATION)) {
    const theirs = scenarios.filter((name) => key in loadFor(experiment, name));
    if (theirs.length === 0) continue;
    const isAll = theirs.length === scenarios.length;
    const whose = isAll ? "this experiment" : named(theirs);
    throw new UserError([{
      place: "--duration",
      message: `Cannot set one duration for ${whose}: the load ${why}`,
      fix:
        `leave out --duration, ${isAll ? "" : "choose other scenarios with --only, "}or change ` +
        "the file",
    }]);
  }
}

function named(scenarios: readonly string[]): string {
  return `scenario${scenarios.length === 1 ? "" : "s"} ${scenarios.join(", ")}`;
}

/**
 * Kinds of loads that have no single duration, by their key, each with a reason that completes the sentence "the load
 * …".
 */
const WITHOUT_DURATION = {
  capacity: "is a search for a capacity, with trials and a budget",
  phases: "has phases, each with a duration of its own",
  stages: "has stages, each with a duration of its own",
} as const;

function checkDiscard(experiment: Experiment, scenarios: readonly string[]): void {
  const { discard, figures, interval } = experiment;
  const conflicts = scenarios.flatMap((name) => {
    const load = loadFor(experiment, name);
    return discardConflict({ discard, load }) ?? figuresConflict({ figures, interval, load }) ?? [];
  });
  if (conflicts.length > 0) throw new UserError([{ place: "--duration", message: conflicts[0] }]);
}

/** Throws a UserError if the plan needs anything that agents on other machines can't do. */
export function refuseLocal(
  cells: readonly Cell[],
  { order, refresh }: Partial<Pick<Experiment, "order" | "refresh">> = {},
): void {
  if (refresh !== undefined) {
    const message =
      "Cannot refresh the data of users on other machines: refresh reaches only this machine";
    const fix = "leave --agents out, or let setup fetch data that need no refresh";
    throw new UserError([{ place: "--agents", message, fix }]);
  }
  if (order === "slices") {
    const message =
      "Cannot load in slices from other machines: both sides take turns by the clock of this machine";
    throw new UserError([{ place: "--agents", message, fix: "leave --agents or order out" }]);
  }
  for (const { scenario, request } of cells) {
    const message = whyLocal(scenario, request);
    if (message === null) continue;
    const fix = "leave --agents out, or choose other scenarios with --only";
    throw new UserError([{ place: "--agents", message, fix }]);
  }
}

function whyLocal(name: string, request: Scenario): string | null {
  if ("replay" in request) {
    return `Cannot replay a log from other machines: scenario ${name} is a replay`;
  }
  if (typeof request.follow !== "object") return null;
  return `Cannot follow redirects to other hosts from other machines: scenario ${name} names other hosts`;
}

/**
 * Joins the thresholds of the file and of the command line. Throws a UserError if a threshold of the command line names
 * a cell that the experiment does not have.
 */
export function withThresholds(
  experiment: Experiment,
  added: readonly Threshold[],
): Threshold[] {
  const problems = thresholdConflicts({ ...experiment, thresholds: added })
    .map(({ message }): Problem => ({ place: "--threshold", message }));
  if (problems.length > 0) throw new UserError(problems);
  return [...experiment.thresholds, ...added];
}
