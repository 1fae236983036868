/**
 * One agent's part of a measurement by several. Times are milliseconds, unless
 * a field says otherwise. Counts, connections, workers and rates of all agents add up to the whole's.
 */
import * as z from "zod";
import { trustFinding } from "./findings.ts";
import { TRUSTS } from "./generator.ts";

const count = z.int().min(0);
const ms = z.number().min(0);

const clock = z.strictObject({
  offset: z.number().describe("Redis's clock minus the agent's"),
  uncertainty: ms.describe("By which the offset may be wrong, either way"),
});

export const agentPart = z.strictObject({
  name: z.string(),
  host: z.string().describe("Name of its machine"),
  driver: z.enum(["epoll", "tcp"]).describe("How its workers did their I/O"),
  workers: z.int().min(1),
  connections: count,
  requests: z.strictObject({
    due: count,
    completed: count,
    failed: count,
    unfinished: count,
    dropped: count,
  }).describe("due = completed + failed + unfinished + dropped, always"),
  rate: z.number().min(0).describe("Completed by the deadline / elapsed of the whole"),
  latency: z.strictObject({ count, p50: ms, p90: ms, p99: ms, max: ms })
    .describe("All zero when count is 0"),
  connect: z.strictObject({ count, min: ms, p50: ms })
    .describe(
      "Name look-up and dial: a round trip takes no longer than min; all zero when count is 0",
    ),
  cpu: z.number().min(0).describe("Of its busiest worker: a share of one core"),
  lag: ms.describe("Actual send minus due moment, p99; 0 in a closed loop"),
  delay: ms.describe("How long responses and due requests waited for their worker, p99"),
  trust: z.enum(TRUSTS),
  findings: z.array(trustFinding).describe(
    "Why it is not valid, the worst first; empty when it is",
  ),
  clock,
  late: z.number().nullable().describe(
    "Its own start minus the agreed one, by Redis's clock; null when it never reported",
  ),
  lost: z.strictObject({
    atS: z.number().min(0).describe(
      "When its last report came, seconds since the start of the run",
    ),
    reason: z.string(),
  }).nullable().describe("Null when it reported its end"),
  completed: z.array(count).describe("By interval of the timeline"),
});

export type AgentPart = z.output<typeof agentPart>;
