/**
 * How an experiment was invoked, how far it has come, and which cells were not measured. Result files keep this so that
 * the experiment can be resumed.
 */
import * as z from "zod";
import { stages } from "../../base/target/steps.ts";
import { runCapacity } from "./capacity.ts";

const names = z.array(z.string());

const repeat = z.union([
  z.int().min(1),
  z.strictObject({
    until: z.number().positive().nullable(),
    atMost: z.int().min(1).nullable(),
    budget: z.number().min(0).nullable(),
  }),
]);

const only = z.strictObject({ targets: names.optional(), scenarios: names.optional() });

export const flags = z.strictObject({
  set: z.record(z.string(), z.string()).describe(
    "Parameters that --set changed, with their values as they were written; [secret] for a withheld value",
  ),
  only: only.optional(),
  repeat: repeat.optional(),
  duration: z.number().min(0).optional().describe("Length of each run, milliseconds"),
  profile: z.literal(true).optional().describe(
    "Whether --profile asked for profile runs, even if the file asks for none",
  ),
  observe: z.enum(["runtime", "compiler"]).optional().describe(
    "What --observe asked to observe, instead of what the file says",
  ),
  threshold: names.optional().describe("Thresholds in addition to those in the file"),
  host: z.string().optional().describe("Address on which targets listen; 127.0.0.1 when absent"),
  agents: z.union([z.int().min(1), z.literal("all")]).optional().describe(
    "Number of agents that generate the load; absent: this machine generates it",
  ),
}).describe("How the command line changed the experiment file");

export type Flags = z.output<typeof flags>;

const ab = z.strictObject({
  range: z.string().describe(
    "Both commits, BASE..HEAD; BASE.. if the new side is a working tree with changes",
  ),
  file: z.string().describe("The experiment file, relative to the root of the repository"),
  only: only.optional().describe(
    "Value of --only, with the names that targets have in the file, not those of the two commits' copies",
  ),
  margin: z.number().min(0).describe("Margin within which both commits count as equal, as a share"),
  order: z.enum(["slices", "blocks"]).optional().describe(
    "Whether both commits took turns in slices or in blocks of runs; absent in older files, which used blocks",
  ),
  confirm: z.boolean().describe(
    "Whether cells in which the new side is worse are measured a second time",
  ),
  threshold: names,
});

export type AbInvocation = z.output<typeof ab>;

/** Absent in files written before `run --resume` existed. */
export const invocation = {
  file: z.strictObject({
    name: z.string().describe("File, such as caching.yaml; a copy of it lies beside the results"),
    folder: z.string().nullable().describe(
      "Folder to which the file's paths are relative, as a path from the results; null: the experiment is built in",
    ),
    withheld: z.literal(true).optional().describe(
      "Whether the file held secrets. The copy and the key source leave them out, so resuming needs the original file",
    ),
  }).optional(),
  flags: flags.optional(),
  ab: ab.optional().describe(
    "How plateau ab was called; its targets are the file's targets at two commits",
  ),
};

const stopping = z.strictObject({
  repetitions: z.int().min(1).describe("Repetitions of every cell that could be measured"),
  halfWidth: z.number().min(0).nullable().describe(
    "Half the width of the widest 95 % interval of rate and p50, as a share of the figure; null if an interval is missing",
  ),
  target: z.number().positive().nullable().describe(
    "The requested halfWidth; null if none was requested",
  ),
  reason: z.enum(["precision", "decided", "budget", "limit", "fixed"]).describe(
    "precision: halfWidth reached the target; decided: the comparison has its verdict; budget: another repetition would have exceeded the time budget; " +
      "limit: no more repetitions were allowed; fixed: the experiment fixes their number",
  ),
});

export type Stopping = z.output<typeof stopping>;

const targetCommand = z.strictObject({
  target: z.string(),
  stage: z.enum(stages),
  command: z.string().describe("Program and arguments, at most 200 characters"),
  times: z.int().min(1).describe("How often the command ran"),
  failed: z.int().min(0).describe("How often the command failed, or took too long"),
  reason: z.string().optional().describe("Reason of the last failure"),
  total: z.number().min(0).describe("Total time of the command in milliseconds"),
  longest: z.number().min(0).describe(
    "Duration of the longest single run of the command in milliseconds",
  ),
});

/** One of the commands around a target's runs; all of its executions are counted together. */
export type TargetCommand = z.output<typeof targetCommand>;

/** How far the experiment has come. */
export const execution = {
  commands: z.array(targetCommand).optional().describe(
    "Commands of targets (setup, before, after, teardown) that ran, in the order of their first run; absent for none. " +
      "Their output is in commands.log",
  ),
  startedAt: z.iso.datetime(),
  resumed: z.array(z.iso.datetime()).optional().describe(
    "Times at which the experiment was resumed",
  ),
  finishedAt: z.iso.datetime().nullable(),
  spent: z.number().min(0).optional().describe(
    "Milliseconds from the first run to the last, without the time between an interruption and its resumption",
  ),
  state: z.enum(["running", "done", "interrupted"]),
  planned: z.int().min(0).describe(
    "Number of planned runs; if repetitions are added as needed, the number planned so far",
  ),
  stopping: stopping.optional().describe(
    "Why there were no more repetitions; absent before their end",
  ),
};

/** A planned cell or run that was not measured. */
export const missing = z.strictObject({
  target: z.string(),
  scenario: z.string(),
  parameters: z.record(z.string(), z.json()),
  repetition: z.int().min(1).nullable().describe("null: every repetition"),
  kind: z.enum(["skipped", "failed", "interrupted"]).describe(
    "interrupted: only the run's search for a capacity is kept; a resumed experiment makes the run again",
  ),
  reason: z.string().describe("Message of the error, or of the missing prerequisite"),
  evidence: z.array(z.string()).describe("Last lines of the target's output, if any"),
  capacity: runCapacity.optional().describe(
    "The run's search for a capacity, if any: its result and its trials",
  ),
});

/** What comparisons of an experiment can detect on a machine, as `plateau plan` determined. */
export const detectable = z.strictObject({
  measuredAt: z.string().describe("When `plateau plan` measured the machine (ISO 8601)"),
  blocks: z.int().min(1).describe("Number of blocks that `plateau plan` measured"),
  sentence: z.string().describe(
    "Sentence about the smallest change that can be detected, by the number of runs",
  ),
});

export type Detectable = z.output<typeof detectable>;
