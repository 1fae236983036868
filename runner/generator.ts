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

export const surroundings = z.strictObject({
  busy: share.nullable().describe(
    "Share of the cores on which Plateau may run that was in use, by anybody",
  ),
  cores: z.int().min(1).nullable().describe("How many cores that is"),
  steal: share.nullable().describe("Share of their time that the hypervisor gave to others"),
  throttled: ms.nullable().describe("How long a CPU limit (cgroup) held this program back"),
}).describe("The machine during the run; null where the system does not tell");

/** One worker's part of the evidence. */
const workerUse = z.strictObject({
  cpu,
  waiting,
  spinning: share.describe("Share of the run spent on looking whether something is due, idle"),
  lag: ms.describe("Of the requests, p99"),
  delay: ms.describe("Of what became ready or due, p99"),
});

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
  surroundings,
  ceiling: z.number().positive().nullable().describe(
    "Requests per second that one worker reached here against a server that does nothing; null: not calibrated",
  ),
  floor: ms.nullable().describe("Median latency of one connection to that server"),
  trust: z.enum(TRUSTS).describe(
    "Whether the figures are of the target: valid; suspect, the generator or the machine may have been " +
      "the limit; invalid, it was",
  ),
  reasons: z.array(z.string()).describe("Why it is not valid, and what to do; empty when it is"),
});

export type Generator = z.output<typeof generator>;
export type WorkerUse = z.output<typeof workerUse>;
export type Surroundings = z.output<typeof surroundings>;
