/** What of the plan was not measured, in the result file. */
import { z } from "zod";

/** A cell or run without a measurement, and why. */
export const missing = z.strictObject({
  target: z.string(),
  scenario: z.string(),
  parameters: z.record(z.string(), z.json()),
  repetition: z.int().min(1).nullable().describe("null: every repetition"),
  kind: z.enum(["skipped", "failed"]),
  reason: z.string(),
  evidence: z.array(z.string()).describe("Last lines of the target, if any"),
});
