/**
 * What the load generator says of itself in every measurement, and whether it can be believed. Times
 * are milliseconds, shares 0–1.
 */
import { z } from "zod";

const ms = z.number().min(0);
const share = z.number().min(0);
const times = z.strictObject({ p50: ms, p99: ms, max: ms });

/** From the best to the worst. */
export const TRUSTS = ["valid", "suspect", "invalid"] as const;
export type Trust = typeof TRUSTS[number];

const cpu = share.describe("CPU time of the worker's thread over elapsed: a share of one core");
const waiting = share.nullable().describe(
  "Share of the run in which the thread had work and no core to do it on; null where the system does not tell",
);

/** What a finding is about: short names for scripts. */
export const CAUSES = [
  "unanswered",
  "worker-ended",
  "throttled",
  "target-throttled",
  "low-priority",
  "neighbour",
  "steal",
  "ports",
  "open-files",
  "shared-cores",
  "requests-dropped",
  "generator-busy",
  "near-ceiling",
  "worker-paused",
  "worker-late",
  "sent-late",
  "connections",
  "floor",
  "coarse-clock",
  "too-short",
  "unsteady",
  "agent-lost",
  "agents-apart",
] as const;
export type Cause = typeof CAUSES[number];

export const hostActivity = z.strictObject({
  busy: share.nullable().describe(
    "Share of the cores on which Plateau may run that was in use, by anybody",
  ),
  cores: z.int().min(1).nullable().describe("How many cores that is"),
  steal: share.nullable().describe("Share of their time that the hypervisor gave to others"),
  throttled: ms.nullable().describe(
    "How long CPU limits held this program back: of its cgroup and of all above it",
  ),
  others: z.number().min(0).nullable().optional().describe(
    "Cores in use by neither generator nor target, of those on which either may run: 1 is one whole core; " +
      "null: unknown",
  ),
  busiest: z.array(z.strictObject({
    name: z.string(),
    pid: z.int().min(1),
    cores: z.number().min(0),
  })).optional().describe("Who that was: the processes that used most"),
}).describe("The machine during the run; null where the system does not tell");

export const targetUse = z.strictObject({
  processes: z.int().min(1),
  cores: z.int().min(1).nullable().describe("On how many cores they may run"),
  cpu: z.number().min(0).describe("Cores in use: 1 is one whole core"),
  waiting: z.number().min(0).describe(
    "How many of its threads stood in line for a core, ready to run, on average",
  ),
  nice: z.int().describe(
    "The highest nice value of its processes: 0 is normal, 19 the lowest priority",
  ),
  throttled: ms.nullable().describe(
    "How long CPU limits held it back: of its cgroup and of those above it that are not the generator's",
  ),
}).describe("What the target's processes got of this machine");

/** One worker's part of the evidence. */
const workerUse = z.strictObject({
  cpu,
  waiting,
  spinning: share.describe("Share of the run spent on looking whether something is due, idle"),
  lag: ms.describe("Of the requests, p99"),
  delay: ms.describe("Of what became ready or due, p99"),
});

const endedWorker = z.strictObject({
  worker: z.int().min(0).describe("Counted from 0"),
  knownUntil: ms.describe("Until when what it measured is known, since the start"),
});

export type EndedWorker = z.output<typeof endedWorker>;

export const endedWorkers = z.array(endedWorker).optional().describe(
  "Workers that something held, so that they did not end in time and were ended; absent: none",
);

export const generator = z.strictObject({
  workers: z.int().min(1),
  cpu: share.describe("CPU time of the busiest worker over elapsed: a share of one core"),
  waiting,
  lag: times.describe("Actual send minus due moment; zeros in a closed loop"),
  delay: times.describe(
    "How long what became ready or due at a random moment waited until its worker came to it",
  ),
  each: z.array(workerUse).describe("One a worker"),
  timer: ms.describe("Smallest step of the workers' clock"),
  hostActivity: hostActivity,
  target: targetUse.optional().describe(
    "Absent where the target's processes can't be seen: another machine, no permission, not Linux",
  ),
  peakThroughput: z.number().positive().nullable().describe(
    "Requests per second that one worker reached here against a server that does nothing; null: not calibrated",
  ),
  ended: endedWorkers,
  baselineLatency: ms.nullable().describe("Median latency of one connection to that server"),
  trust: z.enum(TRUSTS).describe(
    "Whether the figures are of the target: valid; suspect, the generator or the machine may have been " +
      "the limit; invalid, it was",
  ),
  reasons: z.array(z.string()).describe("Why it is not valid, and what to do; empty when it is"),
  causes: z.array(z.enum(CAUSES)).optional().describe(
    "What each of the reasons is about, in their order",
  ),
});

const measuredPeak = z.strictObject({
  perSec: z.number().positive().describe("Requests per second"),
  rounds: z.array(z.number().positive()).optional()
    .describe("Requests per second of each round, of which perSec is the mean"),
  by: z.string().describe("The program that measured it, and its load"),
});

/** Measured once, before the runs, where the experiment file has `ceilings`. */
export const peakThroughput = z.strictObject({
  generator: measuredPeak.nullable().optional()
    .describe("One load worker against a server that does nothing"),
  redis: measuredPeak.nullable().optional()
    .describe("redis-benchmark -t get against the run's Redis"),
}).describe("Absent: not requested; null: it could not be measured, and a note said why");

export type MeasuredPeak = z.output<typeof measuredPeak>;
export type PeakThroughput = z.output<typeof peakThroughput>;
export type Generator = z.output<typeof generator>;
export type WorkerUse = z.output<typeof workerUse>;
export type HostActivity = z.output<typeof hostActivity>;
export type TargetUse = z.output<typeof targetUse>;
