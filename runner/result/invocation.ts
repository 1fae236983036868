/** How an experiment was asked for, and how its carrying out went: what a result file keeps to do it again. */
import { z } from "zod";
import { reached } from "./reached.ts";

const names = z.array(z.string());

const repeat = z.union([
  z.int().min(1),
  z.strictObject({
    until: z.number().positive().nullable(),
    atMost: z.int().min(1).nullable(),
    budget: z.number().min(0).nullable(),
  }),
]);

export const flags = z.strictObject({
  set: z.record(z.string(), z.string()).describe(
    "Parameters of the file, as they were written; [secret] for what must not be shown",
  ),
  only: z.strictObject({ targets: names.optional(), scenarios: names.optional() }).optional(),
  repeat: repeat.optional(),
  duration: z.number().min(0).optional().describe("Of each run, milliseconds"),
  threshold: names.optional().describe("Thresholds besides those in the file"),
  host: z.string().optional().describe("Where targets listen; 127.0.0.1 when absent"),
  agents: z.union([z.int().min(1), z.literal("all")]).optional().describe(
    "Those that load; the machine itself when absent",
  ),
}).describe("What the command line changed of the experiment file");

/** Absent in files from before there was `run --resume`. */
export const asked = {
  file: z.strictObject({
    name: z.string().describe("Such as caching.yaml; a copy of it lies beside the results"),
    folder: z.string().nullable().describe(
      "Where its relative paths start, seen from the results; null: it is built in",
    ),
    withheld: z.literal(true).optional().describe(
      "The file held secrets, which its copy and source do not: going on needs the file itself",
    ),
  }).optional(),
  flags: flags.optional(),
};

export const course = {
  startedAt: z.iso.datetime(),
  resumed: z.array(z.iso.datetime()).optional().describe("When it was gone on with"),
  finishedAt: z.iso.datetime().nullable(),
  spent: z.number().min(0).optional().describe(
    "Milliseconds from the first run to the last, without the time between an end and a resumption",
  ),
  state: z.enum(["running", "done", "interrupted"]),
  planned: z.int().min(0).describe("Runs that the plan holds; where it grows, so far"),
  stopping: reached.optional().describe("How the repetitions ended; absent until they did"),
};

export type Flags = z.output<typeof flags>;
