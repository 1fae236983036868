/** Latencies in result files: as a few figures for many requests, and one by one for the slowest. */
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

/** Distribution of a figure with a value for each second. */
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

export const censoredHistogram = z.string().optional()
  .describe(
    "The values in histogram that are lower bounds, encoded like histogram; absent for none",
  );

export const lowerBounds = z.array(z.string()).optional().describe(
  'Figures that the lower bounds could make larger, such as ["99", "99.9", "mean"]; absent for none',
);

/** Timed-out, unfinished and dropped requests are included, with the time that they had taken as a lower bound. */
export const latency = distribution.extend({
  clock: z.enum(["intended", "sent"])
    .describe(
      "intended: from the moment the request was due (open loop); sent: from the send (closed loop)",
    ),
  censored: count.describe("The number of values that are lower bounds"),
  fastest: ms.describe(
    "Shortest latency of a completed request, without lower bounds; 0 if none completed",
  ),
  lowerBounds,
});

// The slowest requests of a run.

/**
 * Outcomes of the requests that are listed as slow. Other failures are left out, because their time says nothing about
 * latency.
 */
export const SLOW_OUTCOMES = ["completed", "wrong", "timeout", "unfinished"] as const;

const seconds = z.number().min(0);

const slowRequest = z.strictObject({
  latency: z.number().min(0)
    .describe(
      "Milliseconds since the request was due; a lower bound if it timed out or was unfinished",
    ),
  dueS: seconds.describe(
    "When the request was due, in seconds since the start of the run; in a closed loop, when it was sent",
  ),
  sentS: seconds.nullable().describe(
    "When the request was sent, in seconds since the start of the run; null: never",
  ),
  request: z.string().nullable().describe("Method and path; null: the request was never sent"),
  connection: z.int().min(0).describe("Number of the connection, counted over all workers"),
  outcome: z.enum(SLOW_OUTCOMES)
    .describe(
      "wrong: completed, but the response broke an expectation; unfinished: in flight at the end",
    ),
  status: z.int().nullable().describe("Status of the response; null if no whole response arrived"),
});

/** Each request's method and path, when it was due and sent, and how it ended. */
export const slowest = z.array(slowRequest)
  .describe("The requests with the highest latencies, slowest first; at most ten");

export type SlowRequest = z.output<typeof slowRequest>;
export type SlowOutcome = typeof SLOW_OUTCOMES[number];

// Completed responses of the whole run, grouped by status class, instance and cache status; lower
// bounds are left out.

export const STATUS_CLASSES = [
  ...["1xx", "2xx", "3xx", "4xx", "5xx"] as const,
  ...["6xx", "7xx", "8xx", "9xx"] as const, // HTTP has none of these, but servers may send them
] as const;
export const CACHE_USES = ["hit", "miss", "stale"] as const;

const group = z.strictObject({
  latency: distribution.describe(
    "Latency of these responses, counted from the same moment as the run's; count is the number of responses",
  ),
  histogram: z.string().describe("HdrHistogram V2, compressed, base64, microseconds"),
});

export const served = {
  statusLatency: z.partialRecord(z.enum(STATUS_CLASSES), group).optional().describe(
    "Completed responses by class of status, 1xx for WebSockets; absent if every request got a response of 2xx, or every one a WebSocket",
  ),
  instances: z.array(group.extend({ instance: z.int().min(1) })).min(1).optional().describe(
    "Responses by the instance that served them, from the header x-instance; absent without that header",
  ),
  cache: z.partialRecord(z.enum(CACHE_USES), group).optional().describe(
    "Responses by the header x-cache; absent without that header",
  ),
};

export type ServedGroup = z.output<typeof group>;
export type StatusClass = typeof STATUS_CLASSES[number];
