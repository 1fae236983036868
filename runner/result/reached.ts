/** How the repetitions of an experiment ended, in the result file. */
import { z } from "zod";

export const reached = z.strictObject({
  repetitions: z.int().min(1).describe("Of every cell that could be measured"),
  halfWidth: z.number().min(0).nullable().describe(
    "Half of the widest 95 % interval of rate and p50 over its value, a share; null without any interval",
  ),
  target: z.number().positive().nullable().describe(
    "What halfWidth was to reach; null where it did not decide",
  ),
  reason: z.enum(["narrow", "budget", "most", "asked"]).describe(
    "narrow: the target was reached; budget: the next would have passed it; most: no more were allowed; asked: a fixed number",
  ),
});

export type Reached = z.output<typeof reached>;
