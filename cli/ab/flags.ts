/** The operands and flags of `plateau ab`. */
import * as z from "zod";
import { margin } from "../../scenarios/claims/threshold.ts";
import type { CommandParts, ParsedValues } from "../command_line/command.ts";
import { planFlags, quietFlag, strictFlag, thresholdFlag } from "../flags/flags.ts";
import { outputFlags } from "../flags/output_flags.ts";
import { redisFlag } from "../flags/values.ts";

/** The default path of the experiment file. `plateau init` writes a new experiment to the same path. */
export const EXPERIMENT = "experiment.yaml";

export const abParts = {
  first: {
    operand: "[BASE..HEAD]",
    about:
      "Two commits; BASE.. compares BASE with the working tree (default: the commit where this branch left the " +
      "default branch, and the working tree)",
    schema: z.string().optional(),
  },
  second: {
    operand: "[EXPERIMENT]",
    about: `The experiment file in the repository (default: ${EXPERIMENT})`,
    schema: z.string().optional(),
  },
  out: {
    flags: "-o, --out <DIR>",
    about: "Folder of the results (default: results/NAME/TIME)",
    schema: z.string().min(1).optional(),
  },
  resume: {
    flags: "--resume",
    about:
      "Continues the interrupted plateau ab whose results are in --out; repeat its other flags",
    schema: z.boolean().default(false),
  },
  order: {
    flags: "--order <slices|blocks>",
    about:
      "slices: both commits run at the same time and are loaded alternately, for a fraction of a second each; blocks: one run " +
      "after the other (default: slices if the experiment can be measured in slices)",
    schema: z.enum(["slices", "blocks"]).optional(),
  },
  confirm: {
    flags: "--confirm <yes|no>",
    about:
      "With blocks: measures again the cells that may be worse, and judges them by all their runs",
    preset: "yes",
    schema: z.enum(["yes", "no"]).transform((text) => text === "yes"),
  },
  margin: {
    flags: "--margin <PERCENT>",
    about:
      "Margin of equivalence: results are equivalent if the interval of their ratio lies within it",
    preset: "2%",
    schema: margin,
  },
  ...planFlags,
  ...thresholdFlag,
  ...strictFlag,
  ...redisFlag,
  json: outputFlags.json,
  markdown: outputFlags.markdown,
  junit: outputFlags.junit,
  html: { ...outputFlags.html, about: "The comparison as a page, both commits side by side" },
  ...quietFlag,
} satisfies CommandParts;

export type AbValues = ParsedValues<typeof abParts>;
