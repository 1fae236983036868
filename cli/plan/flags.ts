/** The operand and flags of `plateau plan`. */
import * as z from "zod";
import { margin } from "../../scenarios/claims/threshold.ts";
import type { CommandParts, ParsedValues } from "../command_line/command.ts";
import { planFlags, quietFlag } from "../flags/flags.ts";
import { outputFlags } from "../flags/output_flags.ts";
import { redisFlag } from "../flags/values.ts";

export const planParts = {
  experiment: {
    operand: "<EXPERIMENT>",
    about: "An experiment file, or a built-in experiment",
    schema: z.string({ error: "Cannot plan without an experiment: name its file" }),
  },
  out: {
    flags: "-o, --out <DIR>",
    about: "Folder of the results (default: results/NAME-plan/TIME)",
    schema: z.string().min(1).optional(),
  },
  margin: {
    flags: "--margin <PERCENT>",
    about: "Margin of equivalence of the comparisons that are planned",
    preset: "2%",
    schema: margin,
  },
  ...planFlags,
  ...redisFlag,
  json: outputFlags.json,
  ...quietFlag,
} satisfies CommandParts;

export type PlanValues = ParsedValues<typeof planParts>;
