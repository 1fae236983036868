/** One interval of a measurement's timeline, as result files have it. */
import { z } from "zod";
import { ERRORS } from "./outcome.ts";

const count = z.int().min(0);
const ms = z.number().min(0);

export const censoredHistogram = z.string().optional().describe(
  "The values of histogram that are lower bounds, in the same encoding; absent for none",
);

export const timelinePoint = z.strictObject({
  endS: z.number().describe("End of the interval, seconds since the start of the run"),
  completed: count,
  failed: count,
  errors: z.partialRecord(z.enum(ERRORS), count).optional().describe("Failed by kind, if any"),
  wrong: count.optional().describe("Completed against an expectation, if any"),
  bytes: count,
  p50: ms,
  p75: ms,
  p90: ms,
  p99: ms,
  max: ms,
  histogram: z.string().describe(
    "Latencies that ended in the interval: HdrHistogram V2, compressed, base64, microseconds; empty for none. " +
      "Those of the last interval hold what was waited for after the deadline, and what was never sent",
  ),
  censoredHistogram,
});
