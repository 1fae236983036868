/** HOW it is asked: the load, as written in the experiment file and as flags of `bench`. */
import { z } from "zod";
import { durationMs, parseDurationMs } from "./quantity.ts";

const positive = z.int().min(1);

export const connections = positive.max(100_000);
export const pipeline = positive.max(1_000);
export const requests = positive.max(1_000_000_000);
export const workers = positive.max(256);

/** As long as the histograms reach. */
export const timeout = between("1ms", "1h");
export const duration = between("1ms", "24h");
/** Step of the timelines. */
export const interval = between("10ms", "1m");

/** What a run lasts when nobody says how long, or how many requests. */
export const DEFAULT_DURATION_MS = 10_000;

/** Closed loop: each connection sends its next request when the last answer is in. */
export const loadSpec = z.strictObject({
  connections: factor(connections).default([50])
    .describe("Connections over all workers; a list makes a factor"),
  duration: duration.optional()
    .describe("How long each run loads its target (10s when no requests are given)"),
  requests: requests.optional()
    .describe("Ends each run after this many requests instead of a duration"),
  timeout: timeout.prefault("5s").describe("A request without a whole answer by then has failed"),
  pipeline: factor(pipeline).default([1])
    .describe("Requests in flight on each connection; a list makes a factor"),
  keepAlive: z.boolean().default(true).describe("false: a new connection for every request"),
  workers: workers.optional().describe("Worker isolates; chosen from the machine when absent"),
}).superRefine(({ duration, requests }, context) => {
  if (duration === undefined || requests === undefined) return;
  context.addIssue({
    code: "custom",
    path: ["requests"],
    message: "Cannot end a run by both duration and requests: leave one out",
  });
}, { when: ({ value }) => typeof value === "object" && value !== null });

export type Load = z.output<typeof loadSpec>;

/** One value, or a list of values, which makes a factor of the experiment. */
function factor<Value extends z.ZodType<number, number>>(
  value: Value,
): z.ZodType<number[], number | number[]> {
  return z.union([value, z.array(value).min(1)]).transform((given) =>
    Array.isArray(given) ? given : [given]
  );
}

/** A duration within limits, which are durations too. */
function between(least: string, most: string): typeof durationMs {
  const [leastMs, mostMs] = [least, most].map((limit) => parseDurationMs(limit) ?? NaN);
  return durationMs.refine((ms) => ms >= leastMs && ms <= mostMs, {
    error: `Cannot use this duration: it must be from ${least} to ${most}`,
  });
}
