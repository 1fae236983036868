/**
 * What each agent did, and when agents that load one target together disagree, and why. They share the target, so what
 * one of them measures otherwise is of its network or of its machine. One sentence an agent at most.
 */
import { TRUSTS } from "../../../runner/result/generator.ts";
import type { AgentPart, Measurement } from "../../../runner/result/result.ts";
import { poolLatency } from "../../figures/pool.ts";
import { lowerMedian, mean, median, sum } from "../../writing/spread.ts";
import { formatCount, formatMs, formatNumber, formatShare } from "../../writing/units.ts";

/** Share of the others' figure by which an agent must differ. */
const DIFFERENT_RATIO = 0.25;
/** Smaller differences come from the power saving of a core. */
const DIFFERENT_MS = 0.1;
/**
 * A request on an open connection takes one round trip, as opening one does; with a new connection for
 * each request it takes two. So the network explains a difference of up to 2.5 times that of connecting.
 */
const EXPLAINED_RATIO = 0.4;
/**
 * No request is faster than a round trip, and opening a connection takes up to three (TCP, then TLS). A connection that
 * takes longer than this many medians was delayed by a busy machine, and says nothing about the network.
 */
const MOST_TRIPS = 4;
/** Share of the due requests that were completed, relative to the others' share. */
const COMPLETED_RATIO = 0.9;

export type LoadKind = Measurement["load"]["kind"];

/** A difference between an agent and the others. Differences of an agent with the same `because` mean the same. */
interface Difference {
  readonly because: "network" | "machine" | "share" | "pace";
  /** The statement without the agent's name: `measured a median latency of …`; without a full stop. */
  readonly text: string;
}

type Others = readonly AgentFigures[];

/** Disagreements of agents that were not lost; lost ones have findings of their own. */
export function disagreements(
  all: readonly AgentFigures[],
  kind: LoadKind,
): (Difference & { readonly name: string })[] {
  const present = all.filter(({ latencies }) => latencies > 0);
  return present.filter(({ lost }) => lost.length === 0).flatMap((agent) => {
    const others = present.filter((other) => other !== agent);
    const found = others.length === 0 ? null : differenceOf(agent, others, kind);
    return found === null ? [] : [{ name: agent.name, ...found }];
  });
}

function differenceOf(agent: AgentFigures, others: Others, kind: LoadKind): Difference | null {
  const latency = otherLatency(agent, others);
  if (kind === "closed") return latency ?? otherPace(agent, others);
  const share = shortfall(agent, others);
  if (latency === null || share === null) return latency ?? share;
  return { because: latency.because, text: `${share.text}, and ${latency.text}` };
}

function otherLatency(agent: AgentFigures, others: Others): Difference | null {
  const p50Ms = ({ p50Ms }: AgentFigures): number => p50Ms;
  const restMs = middleOf(others, p50Ms);
  if (!isOther(agent.p50Ms, restMs) || !isOther(agent.p50Ms, middleOf([agent, ...others], p50Ms))) {
    return null;
  }
  const { because, text } = explanation(agent, others, restMs);
  const figures = `${formatMs(agent.p50Ms)}, ${namesOf(others)} ${formatMs(restMs)}`;
  return { because, text: `measured a median latency of ${figures}${text}` };
}

function isOther(ms: number, restMs: number): boolean {
  return Math.abs(ms - restMs) > DIFFERENT_MS && !isLike(ms, restMs);
}

/** Whether the network explains it, judging by how long connections took to open. */
function explanation(agent: AgentFigures, others: Others, restMs: number): Difference {
  const known = others.filter(({ connectMs }) => connectMs !== null);
  if (
    agent.connectMs === null || known.length === 0 || agent.connectMs > MOST_TRIPS * agent.p50Ms
  ) {
    return { because: "machine", text: doubt(agent) };
  }
  const theirsMs = middleOf(known, ({ connectMs }) => connectMs ?? 0);
  const opened = `its fastest connection took ${formatMs(agent.connectMs)}, theirs ${
    formatMs(theirsMs)
  }`;
  const explained = (agent.connectMs - theirsMs) / (agent.p50Ms - restMs);
  if (explained < EXPLAINED_RATIO) {
    return { because: "machine", text: `; it is not the network (${opened})${doubt(agent)}` };
  }
  const text = `; ${opened}: the network between it and the target is the difference`;
  return { because: "network", text };
}

function doubt({ trust }: AgentFigures): string {
  return trust === "valid"
    ? ": look at what else runs on its machine"
    : `: its own figures are ${trust}, so its machine may be the difference`;
}

/** A finding if an agent completed less; in an open loop, every agent has the same work. */
function shortfall(agent: AgentFigures, others: Others): Difference | null {
  const completedBy = ({ parts }: AgentFigures): number | null =>
    shareOf("completed", parts.filter(({ lost }) => lost === null));
  const known = others.map(completedBy).filter((share) => share !== null);
  const share = completedBy(agent);
  if (share === null || known.length === 0) return null;
  const rest = lowerMedian(known);
  if (share >= COMPLETED_RATIO * rest) return null;
  const of = (end: keyof AgentPart["requests"]): number =>
    sum(agent.parts, ({ requests }) => requests[end]);
  const left = LEFT.flatMap(([end, what]) =>
    of(end) > 0 ? [`${formatCount(of(end))} ${what}`] : []
  );
  const text = `completed ${formatShare(share)} of the ${
    formatCount(of("due"))
  } requests that it was to send (${left.join(", ")}), ${namesOf(others)} ${formatShare(rest)}`;
  return { because: "share", text };
}

const LEFT = [
  ["dropped", "never sent"],
  ["failed", "failed"],
  ["unfinished", "unfinished"],
] as const;

/**
 * A finding about another pace: in a closed loop, a connection sends as fast as it gets responses, so more than the
 * median may be slow.
 */
function otherPace(agent: AgentFigures, others: Others): Difference | null {
  // If the median differs, so does the pace; and a lost agent stopped sending.
  const peers = others.filter(({ p50Ms, lost }) => isLike(agent.p50Ms, p50Ms) && lost.length === 0);
  if (peers.length === 0) return null;
  const rest = middleOf(peers, paceOf);
  const paces = [rest, middleOf([agent, ...peers], paceOf)];
  if (paces.some((pace) => isLike(paceOf(agent), pace))) return null;
  const p99Ms = middleOf(peers, ({ p99Ms }) => p99Ms);
  const text = `completed ${formatNumber(paceOf(agent))} requests/s per connection, ${
    namesOf(peers)
  } ${formatNumber(rest)}, at a similar median latency; its p99 is ${
    formatMs(agent.p99Ms)
  }, theirs ${formatMs(p99Ms)}`;
  return { because: "pace", text };
}

function isLike(figure: number, other: number): boolean {
  return Math.abs(figure - other) <= DIFFERENT_RATIO * other;
}

function paceOf({ ratePerSec, connections }: AgentFigures): number {
  return ratePerSec / Math.max(1, connections);
}

function namesOf(others: Others): string {
  return others.length === 1 ? `agent ${others[0].name}` : "the others";
}

/** The lower median: of two differing halves, only one is then reported, not each against the other. */
function middleOf(agents: Others, of: (agent: AgentFigures) => number): number {
  return lowerMedian(agents.map(of));
}

// What each agent did in the runs of a cell, or in a single measurement, as one set of figures for each agent.

/**
 * Figures over the runs in which the agent took part: the rate is a mean, so that all agents' rates add up; other
 * figures are medians.
 */
export interface AgentFigures {
  readonly name: string;
  readonly host: string;
  /** The agent's part in each run in which it took part. */
  readonly parts: readonly LoadedPart[];
  readonly ofRuns: number;
  /** When the agent's last report came and why it was given up, one entry for each run in which it was lost. */
  readonly lost: readonly NonNullable<AgentPart["lost"]>[];
  readonly connections: number;
  readonly ratePerSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly latencies: number;
  /** Connect time of the fastest connection, which bounds a round trip; null if unknown. */
  readonly connectMs: number | null;
  /** The worst trust over all runs. */
  readonly trust: AgentPart["trust"];
}

/** What an agent did in one run, or what all of them did. */
export interface LoadedPart extends
  Pick<
    AgentPart,
    "name" | "host" | "lost" | "workers" | "connections" | "rate" | "cpu" | "lag" | "trust"
  > {
  readonly requests: Readonly<AgentPart["requests"]>;
  readonly connect: { readonly count: number; readonly min: number };
  readonly latency: { readonly count: number; readonly p50: number; readonly p99: number };
  readonly uncertaintyMs: number | null;
  readonly isAtLeast: (percentile: number) => boolean;
}

/** In the order of their first appearance; none without a fleet. */
export function agentFigures(runs: readonly Pick<Measurement, "agents">[]): AgentFigures[] {
  const parts = runs.flatMap(({ agents = [] }) => agents).map((part): LoadedPart => ({
    ...part,
    uncertaintyMs: part.clock.uncertainty,
    // Latencies of uncompleted requests are lower bounds, whose true values may be the longest of all.
    isAtLeast: (p) =>
      part.latency.count > part.requests.completed &&
      p / 100 * part.latency.count > part.requests.completed,
  }));
  return [...Map.groupBy(parts, ({ name }) => name).values()].map((own) =>
    figuresOf(own, runs.length)
  );
}

export function wholeFigures(runs: readonly Measurement[]): AgentFigures {
  return figuresOf(
    runs.map((run): LoadedPart => ({
      ...{ name: "all", host: "all", lost: null, uncertaintyMs: null },
      ...{ workers: run.generator.workers, connections: run.load.connections },
      ...{ requests: run.requests, rate: run.rate, connect: run.connect },
      latency: {
        count: run.latency.count,
        p50: run.latency.percentiles["50"],
        p99: run.latency.percentiles["99"],
      },
      ...{ cpu: run.generator.cpu, lag: run.generator.lag.p99, trust: run.generator.trust },
      isAtLeast: (p) => poolLatency([run]).isAtLeast(p),
    })),
    runs.length,
  );
}

function figuresOf(parts: readonly LoadedPart[], ofRuns: number): AgentFigures {
  const connected = parts.filter(({ connect }) => connect.count > 0);
  const { name, host } = parts[parts.length - 1];
  return {
    ...{ name, host, parts, ofRuns },
    lost: parts.flatMap(({ lost }) => lost ?? []),
    connections: median(parts.map(({ connections }) => connections)),
    ratePerSec: mean(parts.map(({ rate }) => rate)),
    p50Ms: lowerMedian(parts.map(({ latency }) => latency.p50)),
    p99Ms: lowerMedian(parts.map(({ latency }) => latency.p99)),
    latencies: Math.min(...parts.map(({ latency }) => latency.count)),
    connectMs: connected.length === 0 ? null : median(connected.map(({ connect }) => connect.min)),
    trust: TRUSTS.findLast((level) => parts.some(({ trust }) => trust === level)) ?? "valid",
  };
}

/** Share of the due requests with this outcome; null if none were due. */
export function shareOf(
  end: keyof AgentPart["requests"],
  parts: readonly LoadedPart[],
): number | null {
  const due = sum(parts, ({ requests }) => requests.due);
  return due === 0 ? null : sum(parts, ({ requests }) => requests[end]) / due;
}
