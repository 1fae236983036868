/** The slowest requests of a run: method and path, when each was due and sent, and how it ended. */
import * as z from "zod";

/** How a request ended that has a latency: other failures say nothing about it. */
export const SLOW_OUTCOMES = ["completed", "wrong", "timeout", "unfinished"] as const;

const seconds = z.number().min(0);

const slowRequest = z.strictObject({
  latency: z.number().min(0)
    .describe("Milliseconds since it was due; a lower bound after timeout and unfinished"),
  dueS: seconds.describe("Seconds since the start of the run; in a closed loop the send itself"),
  sentS: seconds.nullable().describe("Seconds since the start of the run; null: it never was"),
  request: z.string().nullable().describe("Method and path; null: it was never sent"),
  connection: z.int().min(0).describe("Number of the connection, over all workers"),
  outcome: z.enum(SLOW_OUTCOMES)
    .describe("wrong: completed, against an expectation; unfinished: in flight at the end"),
  status: z.int().nullable().describe("Null without a whole response"),
});

export const slowest = z.array(slowRequest)
  .describe("The requests with the highest latencies, slowest first; at most ten");

export type SlowRequest = z.output<typeof slowRequest>;
export type SlowOutcome = typeof SLOW_OUTCOMES[number];
