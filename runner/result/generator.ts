/**
 * The load generator in every measurement: its CPU, lag and delay, what else the host did, whether the figures can be
 * trusted, and, if there were several generators, the part of each. Times are milliseconds, shares 0–1.
 */
import * as z from "zod";
import { busiestThread, SEVERITIES, trustFinding } from "./findings.ts";

const ms = z.number().min(0);
const share = z.number().min(0);
const times = z.strictObject({ p50: ms, p99: ms, max: ms });

/** Levels of trust, from the best to the worst. */
export const TRUSTS = ["valid", ...SEVERITIES] as const;
export type Trust = typeof TRUSTS[number];

const cpu = share.describe(
  "CPU time of the worker's thread divided by elapsed time: a share of one core",
);
const waiting = share.nullable().describe(
  "Share of the run in which the thread had work and no core to do it on; null if the system does not report it",
);

export const hostActivity = z.strictObject({
  busy: share.nullable().describe(
    "Use of the cores on which Plateau may run, as a share",
  ),
  cores: z.int().min(1).nullable().describe("Number of cores on which Plateau may run"),
  steal: share.nullable().describe(
    "Share of the time of the cores on which Plateau may run that the hypervisor gave to other machines",
  ),
  throttled: ms.nullable().describe(
    "How long Plateau was paused by the CPU limits of its cgroup and of the cgroups above",
  ),
  others: z.number().min(0).nullable().optional().describe(
    "How many cores other programs used, of the cores on which generator or target may run; null: unknown",
  ),
  busiest: z.array(z.strictObject({
    name: z.string(),
    pid: z.int().min(1),
    cores: z.number().min(0),
  })).optional().describe("The processes that used the most of the CPU time that others counts"),
}).describe("The machine during the run; null if the system does not report it");

const targetWaits = z.strictObject({
  looks: z.int().min(1).describe("Number of times that the target was observed, at random moments"),
  sleeping: z.number().min(0).describe(
    "Average number of the target's threads in uninterruptible sleep, such as threads that wait for storage",
  ),
  storageBytes: z.number().min(0).nullable().describe(
    "Bytes read from storage or written to it during the run; null: this user may not see them",
  ),
  lookups: z.number().min(0).nullable().describe(
    "Average number of the target's sockets connected to a name server (UDP, port 53); null: unknown",
  ),
  connections: z.strictObject({
    looks: z.int().min(1),
    leastQueued: z.int().min(0).describe(
      "Fewest connections that waited to be accepted, over all observations",
    ),
    queued: z.number().min(0).describe(
      "Average number of connections that waited to be accepted, over all observations",
    ),
    accepted: z.strictObject({ least: z.int().min(0), most: z.int().min(0) }).nullable().describe(
      "Fewest and most connections that were accepted and open; null: too many to count",
    ),
  }).nullable().describe("Connections to the target's port; null: unknown"),
}).describe(
  "What the target waited for without computing; absent in older files and if unknown",
);

export const targetUse = z.strictObject({
  processes: z.int().min(1),
  cores: z.int().min(1).nullable().describe("Number of cores on which the processes may run"),
  cpu: z.number().min(0).describe("Cores in use: 1 is one whole core"),
  waiting: z.number().min(0).describe(
    "Average number of the target's threads that were ready to run and waited for a core",
  ),
  busiestThread: busiestThread.optional(),
  waits: targetWaits.optional(),
  nice: z.int().describe(
    "The highest nice value of the target's processes: 0 is normal, 19 the lowest priority",
  ),
  throttled: ms.nullable().describe(
    "How long CPU limits paused the target: limits of its cgroup and of the cgroups above, unless they also limit the generator",
  ),
}).describe("CPU of this machine: what the target's processes used, and waited for");

/** One worker's part of the evidence. */
const workerUse = z.strictObject({
  cpu,
  waiting,
  spinning: share.describe(
    "Share of the run that the worker spent busy-waiting until something was due",
  ),
  lag: ms.describe("p99 of actual send minus due time"),
  delay: ms.describe("p99 of how long responses and due requests waited for the worker"),
});

const endedWorker = z.strictObject({
  worker: z.int().min(0).describe("Counted from 0"),
  knownUntil: ms.describe(
    "The worker's results are known up to this time since the start of the run",
  ),
});

export type EndedWorker = z.output<typeof endedWorker>;

export const endedWorkers = z.array(endedWorker).optional().describe(
  "Workers that did not end in time and were stopped; absent: none",
);

export const generator = z.strictObject({
  workers: z.int().min(1),
  cpu: share.describe(
    "CPU time of the busiest worker divided by elapsed time: a share of one core",
  ),
  waiting,
  lag: times.describe("Actual send minus due time; zeros in a closed loop"),
  delay: times.describe(
    "How long a response or a due request would wait for its worker, at a random moment of the run",
  ),
  each: z.array(workerUse).describe("One for each worker"),
  timer: ms.describe("Smallest step of the workers' clock"),
  hostActivity: hostActivity,
  target: targetUse.optional().describe(
    "CPU time that the target used and waited for; absent if its processes can't be seen, such as on another machine",
  ),
  peakThroughput: z.number().positive().nullable().describe(
    "Requests per second that one worker reached here against a server that does nothing; null: not calibrated",
  ),
  ended: endedWorkers,
  baselineLatency: ms.nullable().describe(
    "Median latency of one connection to a server that does nothing",
  ),
  trust: z.enum(TRUSTS).describe(
    "Whether the figures are those of the target. valid: they are; suspect: the generator or the machine may have " +
      "distorted them; invalid: the generator or the machine distorted them",
  ),
  findings: z.array(trustFinding).describe(
    "Findings against the run, the worst first; empty if it is valid",
  ),
});

const measuredPeak = z.strictObject({
  perSec: z.number().positive().describe("Requests per second"),
  rounds: z.array(z.number().positive()).optional()
    .describe("Requests per second of each round; perSec is the mean of the rounds"),
  by: z.string().describe("The program that measured the peak, and the load that it made"),
});

/** Peak throughputs, measured once before the runs if the experiment file asks for it. */
export const peakThroughput = z.strictObject({
  generator: measuredPeak.nullable().optional()
    .describe("Peak of one load worker against a server that does nothing"),
  redis: measuredPeak.nullable().optional()
    .describe("Peak of redis-benchmark -t get against the run's Redis"),
}).describe(
  "Peak throughputs. Absent: not requested; null: the peak could not be measured, and a note said why",
);

export type MeasuredPeak = z.output<typeof measuredPeak>;
export type PeakThroughput = z.output<typeof peakThroughput>;
export type Generator = z.output<typeof generator>;
export type WorkerUse = z.output<typeof workerUse>;
export type HostActivity = z.output<typeof hostActivity>;
export type TargetUse = z.output<typeof targetUse>;

// CPU and memory of processes during a run.

const count = z.int().min(0);

/** CPU and memory of one process tree at one moment; rates are over the interval that ends then. */
export const resourcePoint = z.strictObject({
  endS: z.number().describe("Seconds since the start of the load"),
  cpu: z.number().min(0).describe("Cores in use: 1 is one whole core"),
  peakCpu: z.number().min(0).optional().describe(
    "Highest value of the intervals that were merged into this one, as in a long run; absent: none were merged",
  ),
  memory: count.describe("Resident memory, bytes"),
  // These fields are absent in older files, and if the system does not report them.
  user: z.number().min(0).optional().describe("Cores in use by the program's own code"),
  system: z.number().min(0).optional().describe(
    "Cores in use by the kernel on the program's behalf",
  ),
  processes: count.optional(),
  threads: count.optional(),
  files: count.optional().describe("Open files, sockets and pipes"),
  filesLeft: z.int().optional().describe(
    "Number of files that the process closest to its limit could still open",
  ),
  switches: z.strictObject({ voluntary: z.number().min(0), involuntary: z.number().min(0) })
    .optional().describe(
      "Context switches per second: voluntary, when a thread waited, and involuntary, when it was preempted",
    ),
});

/** CPU and memory of one process tree of a composite target, or of Redis. */
export const part = z.strictObject({
  role: z.enum(["gateway", "upstream", "redis"]).describe(
    "gateway: receives the requests and forwards them to the upstreams; redis: the run's Redis, which is not in resources",
  ),
  name: z.string().describe("nginx, balancer, proxy, redis, or the target behind the gateway"),
  points: z.array(resourcePoint),
  keyspace: z.strictObject({ hits: count, misses: count }).optional().describe(
    "For Redis: look-ups during the load that found a key, and those that did not; absent if unknown",
  ),
  busy: share.optional().describe(
    "For Redis: share of the load in which it executed commands, by its own INFO; absent if unknown",
  ),
});

// One agent's part of a measurement made by several agents. The counts, connections, workers and
// rates of all agents add up to those of the whole measurement.

const clock = z.strictObject({
  offset: z.number().describe("Redis's clock minus the agent's clock"),
  uncertainty: ms.describe("Largest possible error of the offset, in either direction"),
});

export const agentPart = z.strictObject({
  name: z.string(),
  host: z.string().describe("Name of the agent's machine"),
  driver: z.enum(["epoll", "tcp"]).describe("How the agent's workers did their I/O"),
  workers: z.int().min(1),
  connections: count,
  requests: z.strictObject({
    due: count,
    completed: count,
    failed: count,
    unfinished: count,
    dropped: count,
  }).describe("due = completed + failed + unfinished + dropped, always"),
  rate: z.number().min(0).describe(
    "Requests completed by the deadline, divided by the elapsed time of the whole run",
  ),
  latency: z.strictObject({ count, p50: ms, p90: ms, p99: ms, max: ms })
    .describe("Latency of the agent's requests; all zero when count is 0"),
  connect: z.strictObject({ count, min: ms, p50: ms })
    .describe(
      "Time to look up the target's name and connect; a round trip between agent and target takes min at most. All 0 if count is 0",
    ),
  cpu: z.number().min(0).describe("CPU use of the agent's busiest worker: a share of one core"),
  lag: ms.describe("p99 of actual send minus due time; 0 in a closed loop"),
  delay: ms.describe("p99 of how long responses and due requests waited for their worker"),
  trust: z.enum(TRUSTS),
  findings: z.array(trustFinding).describe(
    "Findings against the run, the worst first; empty if it is valid",
  ),
  clock,
  late: z.number().nullable().describe(
    "The agent's own start minus the agreed start, by Redis's clock; null when the agent never reported",
  ),
  lost: z.strictObject({
    atS: z.number().min(0).describe(
      "When the agent's last report arrived, in seconds since the start of the run",
    ),
    reason: z.string(),
  }).nullable().describe("When and why the agent was lost; null if it reported its end"),
  completed: z.array(count).describe("Completed requests in each interval of the timeline"),
});

export type AgentPart = z.output<typeof agentPart>;
