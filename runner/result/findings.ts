/**
 * Findings: reasons why a measurement may not show what the target can do. Each finding is data, so that scripts can
 * act on it: a code, a severity, the figures that were seen, and codes of advice. `report/findings` turns findings into
 * sentences. Times are milliseconds and shares 0–1, unless a key says otherwise.
 */
import * as z from "zod";
import { PROTOCOL_FAILURES } from "../../base/http/reason.ts";
import { ERRORS } from "./outcome.ts";
import { UNSETTLED_REASONS } from "../stats/steady_state/steady_state.ts";

/** suspect: the generator or the machine may have distorted the figures; invalid: it did. */
export const SEVERITIES = ["suspect", "invalid"] as const;
export type Severity = typeof SEVERITIES[number];

/** Codes of remedies. */
export const ADVICE = [
  "check-target",
  "check-responses",
  "check-agent",
  "check-late-agents",
  "see-agents",
  "more-workers",
  "more-generator-cores",
  "own-machine",
  "other-machine",
  "larger-machine",
  "separate-cores",
  "stop-other-programs",
  "raise-priority",
  "raise-cpu-limit",
  "repeat-run",
  "own-host",
  "reuse-connections",
  "raise-open-files",
  "more-connections",
  "lower-rate",
  "lower-speed",
  "fewer-arrivals",
  "fewer-connections",
  "longer-run",
  "inspect-timeline",
  "compare-differences",
  "heavier-requests",
  "nearer-redis",
] as const;
export type Advice = typeof ADVICE[number];

const count = z.int().min(0);
const ms = z.number().min(0);
const share = z.number().min(0);
const seconds = z.number().min(0);

const common = {
  severity: z.enum(SEVERITIES),
  advice: z.array(z.enum(ADVICE)).describe("Codes of remedies, best first"),
  agents: z.array(z.string()).min(1).optional().describe(
    "Agents that the finding is about; absent: the whole fleet",
  ),
};

type FindingShape<Code extends string, Shape extends z.core.$ZodLooseShape> = z.ZodObject<
  typeof common & { code: z.ZodLiteral<Code>; evidence: z.ZodObject<Shape, z.core.$strict> },
  z.core.$strict
>;

function finding<Code extends string, Shape extends z.core.$ZodLooseShape>(
  code: Code,
  evidence: Shape,
): FindingShape<Code, Shape> {
  return z.strictObject({ code: z.literal(code), evidence: z.strictObject(evidence), ...common });
}

const contention = {
  others: z.number().min(0).describe("Cores in use by other programs"),
  busiest: z.array(z.strictObject({
    name: z.string(),
    pid: z.int().min(1).optional().describe("Process ID; absent in older files"),
    cores: z.number().min(0),
  })).describe("Processes of other programs that used the most CPU time"),
};

const workerLoad = {
  cpu: share.describe("CPU time of the busiest worker, without idle spinning: a share of one core"),
  waiting: share.nullable().describe("Share of the run in which the worker waited for a core"),
};

const freezes = z.strictObject({
  count: z.int().min(1),
  longestS: seconds,
  shareRatio: share,
  periodS: seconds.nullable(),
});

/** Findings of the same severity are listed in this order: causes before their effects. */
export const trustFinding = z.discriminatedUnion("code", [
  finding("no-response", {
    due: count,
    errors: z.partialRecord(z.enum(ERRORS), count),
    protocol: z.partialRecord(z.enum(PROTOCOL_FAILURES), count).optional().describe(
      "Errors of the kind protocol, by the rule that the server broke",
    ),
    unfinished: count,
    dropped: count,
    timeout: ms,
  }),
  finding("nothing-sent", {
    elapsedS: seconds,
    delay: ms.describe(
      "The longest time for which a worker was held up, so that it could not attend to its requests",
    ),
  }),
  finding("aborted", {
    rule: z.string().describe("Rule of the load's abortOn"),
    beyond: count.describe(
      "Number of requests that broke the rule, including those that had not ended",
    ),
    ended: count.describe("Number of requests that had ended when the rule was broken"),
    waiting: count.optional().describe(
      "Number of requests that had not ended, but had waited for longer than the rule's limit; absent: none",
    ),
    afterS: seconds,
  }),
  finding("worker-ended", {
    ended: z.int().min(1),
    workers: z.int().min(1),
    knownUntil: ms.describe(
      "Time since the start of the run; the worker's results after that time are lost",
    ),
  }),
  finding("throttled", { throttled: ms, elapsedS: seconds }),
  finding("target-throttled", { throttled: ms, elapsedS: seconds }),
  finding("low-priority", {
    ...contention,
    waiting: share.describe("Share of the target's runnable time in which it waited for a core"),
    nice: z.int(),
  }),
  finding("neighbour", {
    ...contention,
    waiting: share.describe(
      "Share of the time in which the program named by waiter waited for a core",
    ),
    waiter: z.enum(["target", "generator"]),
  }),
  finding("steal", { steal: share }),
  finding("ports", { failed: count }),
  finding("open-files", { failed: count }),
  finding("shared-cores", { cores: z.int().min(1), busy: share, waiting: workerLoad.waiting }),
  finding("crowded-core", workerLoad),
  finding("generator-starved", workerLoad),
  finding("requests-dropped", { dropped: count, due: count }),
  finding("generator-busy", workerLoad),
  finding("near-peak-throughput", {
    rate: z.number().min(0).describe("Completed requests per second"),
    peakThroughput: z.number().positive().describe("Peak of all workers, requests per second"),
  }),
  finding("worker-paused", { delay: ms.describe("p99 of the delay") }),
  finding("worker-late", { delay: ms.describe("p99 of the delay") }),
  finding("sent-late", { lag: ms.describe("p99 of the lag") }),
  finding("connections", {
    connections: z.int().min(1),
    busy: z.number().min(0).describe("Average number of connections in use"),
    lag: ms.describe("p50 of the lag"),
  }),
  finding("near-baseline-latency", {
    baselineLatency: ms,
    latency: ms.describe("p50 of the latency"),
  }),
  finding("coarse-clock", { timer: ms }),
  finding("too-short", { elapsedS: seconds }),
  finding("unsteady", {
    unsettled: z.enum(UNSETTLED_REASONS).nullable(),
    driftRatio: z.number().optional(),
    cyclePeriodS: seconds.optional(),
    freezes: freezes.optional(),
  }),
  finding("agent-lost", {
    lastReportS: seconds.describe(
      "When the agent last reported, in seconds since the start; 0: it reported nothing",
    ),
    reason: z.string(),
    unsent: z.enum(["dropped", "unknown"]).describe(
      "dropped: the agent's later requests count as dropped; unknown: they are in no figure",
    ),
  }),
  finding("agents-apart", { apart: ms, interval: ms, first: z.string(), last: z.string() }),
  finding("clock-uncertain", { agent: z.string(), uncertainty: ms, interval: ms }),
  finding("findings-omitted", { omitted: z.int().min(1) }),
  finding("text", {
    text: z.string().describe("The finding's sentence in a result file of version 1"),
    cause: z.string().nullable().describe("Code of the finding in version 1"),
  }),
]);

export type TrustFinding = z.output<typeof trustFinding>;
export type FindingCode = TrustFinding["code"];
export type FindingOf<Code extends FindingCode> = Extract<TrustFinding, { code: Code }>;
/** Other programs on the cores of generator and target. */
export type Contention = Pick<FindingOf<"neighbour">["evidence"], "others" | "busiest">;

export const FINDING_CODES: readonly FindingCode[] = trustFinding.options.map(
  ({ shape }) => shape.code.value,
);

/** What kept a target from serving more. */
export const BOTTLENECKS = [
  "core",
  "cores",
  "kernel",
  "redis",
  "lock",
  "waiting",
  "storage",
  "names",
  "connection-cap",
  "connections",
  "cpu-limit",
  "open-files",
  "gc",
  "blocked-loop",
  "offered",
  "generator",
  "unknown",
] as const;

export const busiestThread = z.strictObject({
  name: z.string().describe("Name of the thread's process"),
  cpu: z.number().min(0).describe("CPU use of the thread: a share of a core"),
  processCpu: z.number().min(0).optional().describe(
    "Cores that all threads of the process used together; absent in older files",
  ),
  peers: z.strictObject({
    processes: z.int().min(1),
    leastCpu: z.number().min(0).describe(
      "Lowest CPU use among the busiest threads of these processes",
    ),
  }).optional().describe(
    "Other processes with the same command line, except those that started this one; absent: none",
  ),
}).describe("The target's busiest thread; absent if unknown");

export const bottleneck = z.strictObject({
  kind: z.enum(BOTTLENECKS).describe(
    "core: one thread of the target fills a core; cores: the target uses all its cores; kernel: the " +
      "target fills a core or all its cores, mostly with the kernel's work for it; redis: Redis executes commands all the time; lock: nothing is busy, and " +
      "requests are served one at a time; waiting: nothing is busy, and requests wait; storage: nothing is busy, and " +
      "requests wait for reads and writes of storage, such as fsync; names: nothing is busy, and requests wait for name look-ups (DNS); connection-cap: nothing is " +
      "busy, and the target leaves connections unaccepted, or closes them; connections: the target works most of the time that it has a request, but has too few connections; " +
      "cpu-limit: a CPU limit paused the target; open-files: a process of the target had as many files open as its limit allows; gc: the target's " +
      "garbage collection took much of its time, or the slowest requests " +
      "waited for it; blocked-loop: long computations held the target's event loop, and the slowest requests waited for " +
      "them; offered: the target served the whole open loop, so the offered rate was the limit; generator: the load generator was the limit; unknown: " +
      "the observations do not decide",
  ),
  thread: busiestThread.optional(),
  cpu: z.number().min(0).optional().describe("Cores that the target used"),
  cores: z.int().min(1).optional().describe("Number of cores on which the target may run"),
  limitCores: z.number().positive().optional().describe(
    "Number of cores that the target's CPU limit allows",
  ),
  machineBusy: share.optional().describe("Use of all cores of the machine, as a share"),
  kernelShare: share.optional().describe("Share of the target's CPU time spent in the kernel"),
  throttledShare: share.optional().describe(
    "Share of the run in which CPU limits paused the target",
  ),
  waitingShare: share.optional().describe(
    "If kind is unknown because other programs hid the target's limit: share of the target's runnable time in which " +
      "it waited for cores that those programs used",
  ),
  redisBusy: share.optional().describe("Share of the run in which Redis executed commands"),
  redisCpu: z.number().min(0).optional().describe("Cores that Redis used"),
  cpuPerRequest: ms.optional(),
  service: ms.optional().describe("Mean service time"),
  connections: z.int().min(1).optional(),
  files: z.int().min(0).optional().describe(
    "Most files that the target had open at a time; absent if it had several processes",
  ),
  filesLeft: z.int().optional().describe(
    "Fewest files that any process of the target could still open",
  ),
  atOnce: z.number().min(0).optional().describe(
    "Number of requests that were served at a time while the others waited in line; absent if none waited",
  ),
  underWay: z.number().min(0).optional().describe(
    "Average number of requests under way, by Little's law; absent if the kind does not depend on it",
  ),
  sleeping: z.number().min(0).optional().describe(
    "If kind is storage: average number of the target's threads in uninterruptible sleep",
  ),
  lookups: z.number().min(0).optional().describe(
    "If kind is names: average number of the target's sockets connected to a name server",
  ),
  taken: z.int().min(0).optional().describe(
    "If kind is connection-cap: the most connections that were accepted and open; absent if unknown",
  ),
  collectionShare: share.optional().describe(
    "Share of the target's CPU time spent in garbage collections",
  ),
  stoppedShare: share.optional().describe(
    "Share of the run for which garbage collections stopped the target's process that they stopped longest",
  ),
  pauses: z.strictObject({
    ms: ms.describe("Median length of the long pauses"),
    share: share.describe("Share of the run that the long pauses took"),
    requests: count.describe(
      "Number of slow requests: the slowest thousandth of the run's requests, at least ten",
    ),
    overlapping: count.describe("Number of slow requests that overlap a pause"),
    expected: z.number().min(0).describe(
      "Number of slow requests that would overlap a pause by chance",
    ),
  }).optional().describe("Pauses for which requests waited: collections, or blocked event loops"),
});

export type Bottleneck = z.output<typeof bottleneck>;

/**
 * Findings about the target and its load. In a search for the capacity, these findings don't make a trial doubtful,
 * because they are what the trial measures.
 */
export const TARGET_FINDINGS: readonly FindingCode[] = [
  "connections",
  "unsteady",
  "no-response",
  "near-baseline-latency",
  "target-throttled",
  "too-short",
];
