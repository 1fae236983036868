/** What cannot be exceeded here, in the result file: measured once, before the runs, as `ceilings` asks. */
import { z } from "zod";

const ceiling = z.strictObject({
  perSec: z.number().positive().describe("Requests per second"),
  rounds: z.array(z.number().positive()).optional()
    .describe("Requests per second of each round, of which perSec is the mean"),
  by: z.string().describe("What measured it, and how"),
});

export const ceilings = z.strictObject({
  generator: ceiling.nullable().optional()
    .describe("One load worker against a server that does nothing"),
  redis: ceiling.nullable().optional().describe("redis-benchmark -t get against the run's Redis"),
}).describe("Absent: it was not asked for; null: it could not be measured, and a note said why");

export type Ceiling = z.output<typeof ceiling>;
export type Ceilings = z.output<typeof ceilings>;
