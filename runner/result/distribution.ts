/** Latencies as result files have them: many in a few figures, and the slowest requests one by one. */
import * as z from "zod";

const count = z.int().min(0);
const ms = z.number().min(0);

const percentiles = z.strictObject({
  "50": ms,
  "75": ms,
  "90": ms,
  "95": ms,
  "99": ms,
  "99.9": ms,
  "99.99": ms,
});

/** A distribution of times, in milliseconds. All zero when `count` is 0. */
export const distribution = z.strictObject({
  count,
  min: ms,
  mean: ms,
  stdev: ms,
  max: ms,
  percentiles,
});

/** Of a figure that has a value each second. */
export const spread = z.strictObject({
  p1: z.number(),
  p2_5: z.number(),
  p50: z.number(),
  p97_5: z.number(),
  mean: z.number(),
  stdev: z.number(),
  min: z.number(),
});

export type Distribution = z.output<typeof distribution>;

// The slowest requests of a run.

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

/** Method and path, when each was due and sent, and how it ended. */
export const slowest = z.array(slowRequest)
  .describe("The requests with the highest latencies, slowest first; at most ten");

export type SlowRequest = z.output<typeof slowRequest>;
export type SlowOutcome = typeof SLOW_OUTCOMES[number];
