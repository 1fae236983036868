/** One request of a mix, flow or page in result files: its part of the whole run. */
import * as z from "zod";
import { censoredHistogram, latency } from "./distribution.ts";
import { messageFigures } from "./messages.ts";
import { ERRORS } from "./outcome.ts";

const count = z.int().min(0);

export const step = z.strictObject({
  name: z.string().describe("Name in the file or, without one, method and path"),
  requests: z.strictObject({
    due: count,
    completed: count,
    failed: count,
    unfinished: count,
    dropped: count,
  }),
  wrong: count.describe("Completed requests whose response broke an expectation"),
  status: z.record(z.string().regex(/^\d{3}$/), count)
    .describe("Completed requests by class of status: 200 for all of 2xx"),
  errors: z.partialRecord(z.enum(ERRORS), count).describe(
    "Failed requests by kind; sums to failed",
  ),
  rate: z.number().min(0).describe(
    "Requests completed by the deadline, divided by the elapsed time",
  ),
  seconds: z.array(count).describe("Requests completed by the deadline in each second of the run"),
  everyS: z.int().min(2).optional().describe(
    "Number of seconds that each entry of seconds covers, in a run of more than half an hour; absent: 1",
  ),
  latency: latency.describe("Latency of the step's requests, computed like that of the run"),
  histogram: z.string().describe("HdrHistogram V2, compressed, base64, microseconds"),
  censoredHistogram,
  ...messageFigures,
});

export type StepFigures = z.output<typeof step>;
