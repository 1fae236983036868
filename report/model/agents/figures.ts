/** What each agent did in the runs of one cell, or in a single measurement: one set of figures an agent. */
import { type Trust, TRUSTS } from "../../../runner/result/generator.ts";
import type { AgentPart, Measurement } from "../../../runner/result/result.ts";
import { lowerMedian, mean, median, sum } from "../numbers/spread.ts";

/** Of the runs in which it took part; rates are means, so that those of all add up, other figures medians. */
export interface AgentFigures {
  readonly name: string;
  readonly host: string;
  /** In which it took part, and how many there were. */
  readonly runs: number;
  readonly ofRuns: number;
  /** When it was last heard and why it was given up, one entry for each run in which it was lost. */
  readonly lost: readonly NonNullable<AgentPart["lost"]>[];
  readonly workers: number;
  readonly connections: number;
  /** Of the runs to whose end it was there, summed up. */
  readonly requests: AgentPart["requests"];
  readonly completed: number;
  /** Of what was due in all of its runs. */
  readonly droppedRatio: number;
  readonly ratePerSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Those of 50 and 99 that lower bounds could make larger. */
  readonly lowerBounds: readonly number[];
  /** Behind the percentiles. */
  readonly latencies: number;
  /** Of its fastest connection: a round trip takes no longer; null when none is known. */
  readonly connectMs: number | null;
  readonly cpuRatio: number;
  readonly lagMs: number;
  readonly uncertaintyMs: number;
  /** The worst. */
  readonly trust: Trust;
}

/** In the order in which they first come; none without a fleet. */
export function agentFigures(runs: readonly Pick<Measurement, "agents">[]): AgentFigures[] {
  const parts = runs.flatMap(({ agents = [] }) => agents);
  return [...Map.groupBy(parts, ({ name }) => name).values()].map((own) =>
    figuresOf(own, runs.length)
  );
}

function figuresOf(parts: readonly AgentPart[], ofRuns: number): AgentFigures {
  const middle = (of: (part: AgentPart) => number): number => median(parts.map(of));
  const connected = parts.filter(({ connect }) => connect.count > 0);
  const { name, host } = parts[parts.length - 1];
  return {
    ...{ name, host, runs: parts.length, ofRuns },
    lost: parts.flatMap(({ lost }) => lost ?? []),
    workers: middle(({ workers }) => workers),
    connections: middle(({ connections }) => connections),
    requests: requestsOf(parts.filter(({ lost }) => lost === null)),
    completed: mean(parts.map(({ requests }) => requests.completed)),
    droppedRatio: droppedRatio(parts),
    ratePerSec: mean(parts.map(({ rate }) => rate)),
    p50Ms: lowerMedian(parts.map(({ latency }) => latency.p50)),
    p99Ms: lowerMedian(parts.map(({ latency }) => latency.p99)),
    lowerBounds: [50, 99].filter((p) => parts.some((part) => isAmongBounds(part, p))),
    latencies: Math.min(...parts.map(({ latency }) => latency.count)),
    connectMs: connected.length === 0 ? null : median(connected.map(({ connect }) => connect.min)),
    cpuRatio: middle(({ cpu }) => cpu),
    lagMs: middle(({ lag }) => lag),
    uncertaintyMs: Math.max(...parts.map(({ clock }) => clock.uncertainty)),
    trust: TRUSTS.findLast((level) => parts.some(({ trust }) => trust === level)) ?? "valid",
  };
}

/** Latencies of requests that were not completed are lower bounds, and may turn out to be the longest of all. */
function isAmongBounds(
  { latency: { count }, requests: { completed } }: AgentPart,
  p: number,
): boolean {
  return count > completed && p / 100 * count > completed;
}

export function droppedRatio(parts: readonly Pick<AgentPart, "requests">[]): number {
  const due = sum(parts, ({ requests }) => requests.due);
  return due === 0 ? 0 : sum(parts, ({ requests }) => requests.dropped) / due;
}

function requestsOf(parts: readonly AgentPart[]): AgentPart["requests"] {
  return {
    due: sum(parts, ({ requests }) => requests.due),
    completed: sum(parts, ({ requests }) => requests.completed),
    failed: sum(parts, ({ requests }) => requests.failed),
    unfinished: sum(parts, ({ requests }) => requests.unfinished),
    dropped: sum(parts, ({ requests }) => requests.dropped),
  };
}
