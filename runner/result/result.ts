/**
 * The result files, which `report/` and scripts read. Their shape is defined in this folder, and nowhere else. Times
 * are milliseconds, rates per second, sizes bytes, shares 0–1, unless a field says otherwise.
 */
import * as z from "zod";
import { ofIntervalTimes } from "../../base/figures/figure.ts";
import { OPTION_RESULTS } from "../../base/load_options.ts";
import { calls } from "./calls.ts";
import { runCapacity } from "./capacity.ts";
import { conclusion, verdicts } from "./conclusion.ts";
import { detectable, execution, invocation, missing } from "./invocation.ts";
import { agentPart, generator, part, peakThroughput, resourcePoint } from "./generator.ts";
import { counters } from "./runtime/counters.ts";
import {
  censoredHistogram,
  distribution,
  latency,
  lowerBounds,
  served,
  slowest,
  spread,
} from "./distribution.ts";
import { bottleneck } from "./findings.ts";
import { profile } from "./profile.ts";
import { messageFigures } from "./messages.ts";
import { machine } from "../../base/system/facts.ts";
import { published } from "../../scenarios/claims/published.ts";
import { claimInResults } from "../../scenarios/claims/claim.ts";
import { threshold } from "../../scenarios/claims/threshold.ts";
import { ERRORS } from "./outcome.ts";
import { slices } from "./slices.ts";
import { step } from "./step.ts";
import { hookUse } from "./hooks.ts";
import { rowUse } from "./row_use.ts";
import { tls } from "./tls.ts";
import { inRun } from "./in_run.ts";
import { warmup } from "./warmup.ts";

const count = z.int().min(0);
const ms = z.number().min(0);
const histogram = z.string();

const messageTimes = z.strictObject({
  p50: ms,
  p99: ms,
  histogram: z.string().describe("HdrHistogram V2, compressed, base64, microseconds"),
  censoredHistogram,
}).optional();

const timelinePoint = z.strictObject({
  endS: z.number().describe("End of the interval, seconds since the start of the run"),
  completed: count,
  failed: count,
  errors: z.partialRecord(z.enum(ERRORS), count).optional().describe(
    "Failed requests by kind; absent if none failed",
  ),
  wrong: count.optional().describe(
    "Completed requests whose response broke an expectation; absent if none did",
  ),
  bytes: count,
  p50: ms,
  p75: ms,
  p90: ms,
  p99: ms,
  max: ms,
  histogram: z.string().describe(
    "Latencies of requests that ended in the interval: HdrHistogram V2, compressed, base64, microseconds; empty for none. " +
      "The last interval also has the requests that ended after the deadline, and those that were never sent",
  ),
  censoredHistogram,
  messages: z.strictObject({
    received: count.describe(
      "Messages received; in the last interval, those received by the deadline",
    ),
    failed: count.optional().describe(
      "Messages that failed, if any; in the last interval also those that failed after the deadline",
    ),
    ...ofIntervalTimes(() => messageTimes),
  }).optional().describe(
    "Messages of streams and WebSockets in the interval, with their times; absent without either",
  ),
});

const anyLoad = {
  connections: z.int().min(1).describe(
    "Connections over all workers; in phases and stages, the most virtual users at a time",
  ),
  ...OPTION_RESULTS,
};

const openLoad = {
  ...anyLoad,
  arrivals: z.enum(["uniform", "poisson", "recorded"])
    .describe("recorded: at the times in a log"),
  seed: count.describe("Seed of the arrivals"),
};

const ramp = <Number extends z.ZodType>(number: Number, what: string) =>
  z.strictObject({
    durationS: z.number().positive().describe("Seconds"),
    from: number.describe(`${what} at the start of this part`),
    to: number.describe(`${what} at the end of this part`),
  });

export const load = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("closed").describe(
      "Each connection sends its next request when the last response is complete",
    ),
    ...anyLoad,
    pipeline: z.int().min(1),
    durationS: z.number().min(0).nullable()
      .describe("Requested duration in seconds; null if a number of requests ended it"),
    requests: count.nullable().describe(
      "Requested number of requests; null if a duration ended it",
    ),
    stages: z.array(ramp(count, "Connections")).min(1).optional()
      .describe("How the number of connections changes; absent: it stays the same"),
  }),
  z.strictObject({
    kind: z.literal("rate").describe("Requests arrive whether or not a connection is free"),
    ...openLoad,
    rate: z.number().positive().describe("Arrivals per second"),
    durationS: z.number().min(0).describe("Seconds"),
  }),
  z.strictObject({
    kind: z.literal("capacity").describe(
      "Trials at many rates, then a part at the capacity or a share of it",
    ),
    ...openLoad,
    within: z.array(z.string()).describe("The rules that must hold, as the experiment states them"),
    budgetS: z.number().min(0).describe("Longest search, seconds"),
    rate: z.number().positive().nullable().describe(
      "Arrivals per second in the last part: a share of the capacity or, if that is unknown, of the lowest rate tried",
    ),
    share: z.number().positive().optional()
      .describe("Share of the capacity in the last part; absent: 1"),
    durationS: z.number().min(0).describe("Duration of the last part, in seconds"),
  }),
  z.strictObject({
    kind: z.literal("phases").describe("Virtual users arrive at rates that change"),
    ...openLoad,
    phases: z.array(ramp(z.number().min(0), "Arrivals per second")),
    pool: z.enum(["own", "shared"]).describe(
      "Whether a connection serves one virtual user or many",
    ),
  }),
]);

/** One measurement of one URL: the shape of `bench --json`. */
export const measurement = z.strictObject({
  schema: z.literal("plateau.bench/2"),
  version: z.string().describe("Version of Plateau"),
  url: z.string(),
  driver: z.enum(["epoll", "tcp"]).describe("How the workers did their I/O"),
  driverNote: z.string().optional()
    .describe(
      "Notes about the driver: system calls that the kernel denied, with their substitutes, or streams that the server did not allow; absent: none",
    ),
  tls: tls.optional().describe("How connections were secured; absent without TLS"),
  hooks: hookUse.optional().describe("The workers' time that hooks took; absent without hooks"),
  rows: z.array(rowUse).min(1).optional().describe(
    "Tables of values, and how many of their rows were used; absent without tables",
  ),
  load,
  loadStartedAt: z.iso.datetime().optional()
    .describe("When the timeline begins; absent in older files"),
  elapsedS: z.number().min(0).describe("Seconds from start to deadline, or to an earlier end"),
  requests: z.strictObject({
    due: count,
    completed: count,
    failed: count,
    unfinished: count,
    dropped: count,
  }).describe("due = completed + failed + unfinished + dropped (never sent), always"),
  status: z.record(z.string().regex(/^\d{3}$/), count).describe("Completed responses by status"),
  ...served,
  steps: z.array(step).min(2).optional().describe(
    "Requests of a mix, flow or page by their names; absent for a single request",
  ),
  errors: z.partialRecord(z.enum(ERRORS), count).describe(
    "Failed requests by kind; sums to failed",
  ),
  reasons: z.record(z.string(), count).describe(
    "Failed requests by their exact reason, most frequent first",
  ),
  checks: z.strictObject({ passed: count, failed: count }).describe(
    "Expectations on completed responses",
  ),
  reconnects: count.describe("Dials beyond the first of each connection, including refused ones"),
  unsolicited: count.optional()
    .describe("Connections closed because bytes arrived on them without a request"),
  drain: z.strictObject({
    durationS: z.number().min(0).describe("Seconds waited for requests in flight"),
    completed: count,
    failed: count,
  }).optional().describe(
    "Requests that ended after the deadline, when nothing new was sent; requests and latency count them, rate and timeline do not",
  ),
  rate: z.number().min(0).describe(
    "Requests completed by the deadline, divided by the elapsed time",
  ),
  bytes: z.strictObject({ in: count, out: count, inPerSecond: z.number().min(0) }),
  latency,
  service: distribution.extend({ lowerBounds })
    .describe("Time from the actual send to the last byte, with lower bounds as in latency"),
  firstByte: distribution.describe("Time from the actual send to the first byte"),
  connect: distribution.describe("Time of name look-up and dial"),
  perSecond: z.strictObject({ requests: spread, bytes: spread }).describe(
    "How requests and bytes per second vary over the whole seconds of the run",
  ),
  timeline: z.strictObject({
    intervalS: z.number().positive().describe("Seconds"),
    points: z.array(timelinePoint),
  }),
  warmup: warmup.nullable().describe(
    "Warm-up and steady state; null for phases, whose load itself changes",
  ),
  inRun: inRun.optional().describe(
    "Figures with their confidence intervals in this run; absent for phases and stages, and in older files",
  ),
  grpc: calls.optional().describe("Calls of gRPC; absent if no request is one"),
  ...messageFigures,
  sessions: z.strictObject({
    created: count,
    completed: count,
    failed: count,
    unfinished: count,
    length: distribution.describe(
      "Time from the arrival of a virtual user to the end of its last step",
    ),
  }).nullable().describe("Virtual users of a flow or of phases; null: none"),
  generator,
  bottleneck: bottleneck.optional().describe(
    "What kept the target from serving more, with the observations; absent in older files",
  ),
  agents: z.array(agentPart).min(1).optional()
    .describe("Agents of a fleet; absent if a single program loaded the target"),
  slowest: slowest.optional(),
  histogram: z.string().describe(
    "Latency of the whole run: HdrHistogram V2, compressed, base64, microseconds",
  ),
  censoredHistogram,
  histograms: z.strictObject({
    service: histogram.optional(),
    firstByte: histogram.optional(),
    connect: histogram.optional(),
    sessionLength: histogram.optional(),
  }).optional().describe(
    "Histograms of the run's other times, each encoded like histogram; absent if it would be empty",
  ),
});

export const run = measurement.extend({
  target: z.string(),
  scenario: z.string(),
  repetition: z.int().min(1),
  order: z.int().min(1).describe("Position of the run in the order in which runs are made"),
  parameters: z.record(z.string(), z.json()).describe("The factors' values in this run"),
  startUp: ms.nullable().describe(
    "Time from the start of the target until its ready check passed; null if the target was not started by Plateau",
  ),
  runtime: z.string().nullable().describe(
    "Gateways, runtimes and frameworks that run the target, with their versions, separated by commas; null: unknown",
  ),
  startedAt: z.iso.datetime(),
  teardownFailed: z.string().optional().describe(
    "Why teardown of the script failed after the run; absent if it did not fail",
  ),
  capacity: runCapacity.optional().describe(
    "The search for a capacity, if that is the run's load; all other figures are about the run's last part, at the rate that the search found",
  ),
  slices: slices.optional().describe(
    "Slices of the run, if the load alternated between this target and another; the run's figures are over these slices",
  ),
  resources: z.array(resourcePoint).describe(
    "CPU and memory of the target; empty when Plateau did not start it",
  ),
  counters: counters.optional().describe(
    "Reports of the target's runtimes; absent: not requested, or nothing was reported",
  ),
  parts: z.array(part).optional().describe(
    "CPU and memory of each part of a composite target, and of Redis; absent for a target that is one process tree",
  ),
});

export const commit = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{40,64}$/),
  dirty: z.boolean().describe("Whether files that git tracks differ from the commit"),
});

export const results = z.strictObject({
  schema: z.literal("plateau.results/2"),
  version: z.string(),
  experiment: z.looseObject({
    name: z.string(),
    title: z.string().optional(),
    thresholds: z.array(threshold).optional(),
    claims: z.array(claimInResults).optional(),
    published: z.union([published, z.array(published)]).optional(),
    compare: z.union([
      z.looseObject({ factor: z.string().optional(), figure: z.string().optional() }),
      z.literal("none"),
    ]).optional(),
    base: z.union([z.string(), z.number()]).optional(),
  })
    .describe("The experiment, with defaults filled in"),
  source: z.string().describe("The experiment file, word for word except for secrets"),
  ...invocation,
  seed: count,
  machine,
  commit: commit.nullable().describe(
    "Commit of the experiment's folder; null: git knows of no commit",
  ),
  settings: z.string().regex(/^[0-9a-f]{64}$/)
    .describe("SHA-256 of experiment as JSON with sorted keys and without spaces"),
  redis: z.string().nullable().describe(
    "Which Redis was used: given, found or private; null for none",
  ),
  peakThroughput: peakThroughput.optional(),
  detectable: detectable.optional()
    .describe(
      "The smallest change that `plateau plan` found detectable on this machine before the experiment; absent if `plateau plan` was not run",
    ),
  ...execution,
  runs: z.array(run),
  missing: z.array(missing),
  profiles: z.array(profile).optional().describe(
    "Profile runs, made after the measured ones; no figure counts them; absent for none",
  ),
  conclusion: conclusion.optional().describe(
    "The conclusion of the report; absent before the end, and computed again from the runs when the file is read",
  ),
  verdicts: verdicts.optional().describe(
    "Verdicts of the claims, in order; absent before the end, and judged again from the runs when the file is read",
  ),
});

export type { TargetProfile } from "./profile.ts";
export type { AgentPart } from "./generator.ts";
export type { Distribution } from "./distribution.ts";
export type Measurement = z.output<typeof measurement>;
export type Run = z.output<typeof run>;
export type Missing = z.output<typeof missing>;
export type Commit = z.output<typeof commit>;
export type Results = z.output<typeof results>;
export type { Published } from "../../scenarios/claims/published.ts";
export type { Threshold } from "../../scenarios/claims/threshold.ts";
export type {
  Claim,
  ClaimSide,
  Compare,
  Correlation,
  FigureSide,
  Ratios,
  Relation,
  WarmupClaim,
  Within,
} from "../../scenarios/claims/claim.ts";
export type Part = z.output<typeof part>;
