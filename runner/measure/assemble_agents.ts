/** Computes each agent's part of the `Measurement` from the reports of the agent's workers. */
import type { AgentPart } from "../result/generator.ts";
import { clockOf, estimateOf } from "./bounded_times.ts";
import type { WorkerReport } from "../load/worker/messages.ts";
import type { LoadedAgent } from "./loader.ts";
import type { Measurement } from "../result/result.ts";
import { messageFigures } from "./messages.ts";
import type { Timeline } from "./timeline.ts";
import { completedInTime, reasonsOf, requestsOf, serviceOf, timesOf } from "./totals.ts";
import { evidenceOf, type GeneratorEvidence } from "../trust/evidence.ts";
import { judgeAgent } from "../trust/fleet_trust.ts";
import type { TrustJudgement } from "../trust/judging.ts";

/** The figures of the whole run that the agents' parts need. */
type WholeRun = Pick<Measurement, "load" | "elapsedS" | "warmup">;

interface FleetContext {
  readonly agents: readonly LoadedAgent[];
  readonly timeline: Timeline;
  /** Connections of each worker of the fleet. */
  readonly connections: readonly number[];
}

/** @param reports Reports of each worker of the fleet. */
export function assembleAgents(
  whole: WholeRun,
  reports: readonly WorkerReport[],
  context: FleetContext,
): AgentPart[] {
  return context.agents.map((agent) =>
    agentPartOf(whole, ownOf(agent, reports), { ...context, agent })
  );
}

function ownOf<T>({ firstWorker, workers }: LoadedAgent, all: readonly T[]): readonly T[] {
  return all.slice(firstWorker, firstWorker + workers);
}

function agentPartOf(
  whole: WholeRun,
  reports: readonly WorkerReport[],
  { agent, timeline, connections }: FleetContext & { readonly agent: LoadedAgent },
): AgentPart {
  const { name, host, driver, workers, clock, startedLateMs, lost } = agent;
  const own = ownOf(agent, connections).reduce((sum, count) => sum + count, 0);
  const totals = reports.map((report) => report.totals);
  const requests = requestsOf(totals);
  const latency = timeline.latency(agent);
  const connect = timesOf(totals, "connect");
  const elapsedUs = Math.max(...reports.map((report) => report.elapsedUs));
  const evidence = evidenceOf(reports, elapsedUs, agent.stage);
  const estimate = estimateOf(clockOf(whole.load));
  const at = (percentile: number): number => estimate(latency, percentile) / 1_000;
  return {
    ...{ name, host, driver, workers, connections: own, requests },
    rate: whole.elapsedS > 0 ? completedInTime(totals) / whole.elapsedS : 0,
    latency: {
      count: latency.all.count,
      ...{ p50: at(50), p90: at(90), p99: at(99), max: latency.all.maxUs / 1_000 },
    },
    connect: { count: connect.count, min: connect.min, p50: connect.percentiles["50"] },
    cpu: evidence.cpu,
    lag: evidence.lag.p99,
    delay: evidence.delay.p99,
    ...judgement(whole, reports, { agent, evidence, connections: own }),
    clock: { offset: clock.offsetMs, uncertainty: clock.uncertaintyMs },
    late: startedLateMs,
    lost: lost === null ? null : { atS: lost.afterMs / 1_000, reason: lost.reason },
    completed: timeline.completed(agent),
  };
}

interface AgentOfRun {
  readonly agent: LoadedAgent;
  readonly evidence: GeneratorEvidence;
  readonly connections: number;
}

/** Judges an agent by its own rate over its own time, compared with what its own workers can do. */
function judgement(
  { load, warmup }: WholeRun,
  reports: readonly WorkerReport[],
  { agent, evidence, connections }: AgentOfRun,
): TrustJudgement {
  const totals = reports.map((report) => report.totals);
  const elapsedS = Math.max(...reports.map(({ elapsedUs }) => elapsedUs)) / 1e6;
  const requests = requestsOf(totals);
  const run = {
    ...{ driver: agent.driver, load: { ...load, connections }, elapsedS, requests },
    rate: elapsedS > 0 ? completedInTime(totals) / elapsedS : 0,
    reasons: reasonsOf(totals),
    service: serviceOf(totals),
    connect: timesOf(totals, "connect"),
    ...messageFigures(totals, { elapsedS, clock: clockOf(load) }),
    warmup,
  };
  return judgeAgent({ evidence, run, sharesMachine: agent.stage.sharesMachine }, agent.lost);
}
