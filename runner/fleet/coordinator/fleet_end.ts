/**
 * The outcome of a fleet's load: each agent's results, or, if an agent never sent them, what is known of its load.
 * Pure.
 */
import { TargetError } from "../../../base/errors.ts";
import { UNKNOWN_ACTIVITY } from "../../host/host_activity.ts";
import type { DriverName } from "../../load/engine/driver.ts";
import type { WorkerReport } from "../../load/worker/messages.ts";
import type { LoadedAgent } from "../../measure/loader.ts";
import { breachOf, type IntervalCounts } from "../../measure/totals.ts";
import type { FleetAgent, ReceivedPart } from "./agent_stream.ts";

export interface FleetReports {
  readonly driver: DriverName;
  readonly reports: WorkerReport[];
  readonly agents: LoadedAgent[];
}

interface AgentEnd {
  readonly reports: readonly WorkerReport[];
  readonly agent: LoadedAgent;
  /**
   * Lower bounds of latencies, if the agent was lost: for its requests that were in flight, and for those that were
   * dropped. The intervals received so far do not contain these bounds.
   */
  readonly lostParts: readonly ReceivedPart[];
  /** Counts of all the agent's intervals, including `lostParts`. */
  readonly counts: IntervalCounts;
}

/**
 * The outcome of one agent.
 * @param run `startAtMs`: start of the run by Redis's clock. `end`: see `AgentStream.abandon`.
 */
export function endOf(
  { member: { presence, assigned, shares }, stream, ready, lostWhy }: FleetAgent,
  run: {
    readonly startAtMs: number;
    readonly end: { readonly us: number; readonly index: number };
  },
): AgentEnd {
  const { whole } = stream;
  const common = {
    name: presence.name,
    host: presence.host,
    driver: ready?.driver ?? presence.driver,
    firstWorker: assigned.firstWorker,
    workers: assigned.own,
    clock: ready?.clock ?? presence.clock,
  };
  if (whole !== null) {
    const { reports, stage, startedAtMs } = whole;
    const agent = { ...common, stage, startedLateMs: startedAtMs - run.startAtMs, lost: null };
    return { reports, agent, lostParts: [], counts: stream.counts };
  }
  const { reports, parts, afterMs } = stream.abandon(shares, run.end);
  const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false };
  const lost = { afterMs, reason: lostWhy ?? "no reason reported" };
  const agent = { ...common, stage, startedLateMs: null, lost };
  return { reports, agent, lostParts: parts, counts: stream.counts };
}

/**
 * The reports of all agents. Throws a TargetError if an agent's counts do not add up, because they are already part of
 * the intervals and can't be removed.
 */
export function reportsOf(ended: readonly AgentEnd[]): FleetReports {
  const agents = ended.map(({ agent }) => agent);
  const breaches = ended.flatMap(({ agent, reports, counts }) => {
    const breach = breachOf(reports.map(({ totals }) => totals), counts);
    return breach === null ? [] : [`agent ${agent.name}: ${breach}`];
  });
  if (breaches.length > 0) {
    throw new TargetError("Cannot use inconsistent results from an agent", breaches);
  }
  return { driver: agents[0].driver, reports: ended.flatMap(({ reports }) => reports), agents };
}
