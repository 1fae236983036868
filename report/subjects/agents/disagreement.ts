/**
 * When agents that load one target together disagree, and why. They share the target, so what one of them
 * measures otherwise is of its network or of its machine. One sentence an agent at most. Pure.
 */
import type { AgentPart, Measurement } from "../../../runner/result/result.ts";
import { formatCount, formatMs, formatNumber, formatShare } from "../../writing/units.ts";
import { type Trust, TRUSTS } from "../../../runner/result/generator.ts";
import { lowerMedian, mean, median, sum } from "../../writing/spread.ts";

/** Of the others' figure. */
const DIFFERENT_RATIO = 0.25;
/** Less is what a core's power saving makes. */
const DIFFERENT_MS = 0.1;
/**
 * A request on an open connection takes one round trip, as opening one does; with a new connection for
 * each request it takes two. So the network explains a difference of up to 2.5 times that of connecting.
 */
const EXPLAINED_RATIO = 0.4;
/**
 * No request is faster than a round trip, and opening takes up to three (TCP, then TLS). What takes longer
 * than so many medians was kept waiting by a busy machine, and says nothing of the network.
 */
const MOST_TRIPS = 4;
/** Of the requests due, against the others' share. */
const COMPLETED_RATIO = 0.9;

export type LoadKind = Measurement["load"]["kind"];

interface ComparedAgents {
  readonly agent: AgentFigures;
  readonly others: readonly AgentFigures[];
}

export interface Disagreement {
  readonly name: string;
  /** What its figures differ by: disagreements of one agent that have this in common say the same. */
  readonly because: "network" | "machine" | "share" | "pace";
  /** Without its name: `measured a median latency of …`; no full stop. */
  readonly text: string;
}

type UnnamedDisagreement = Omit<Disagreement, "name">;

/** Null where it does as the others do. */
type Clause = (compared: ComparedAgents) => UnnamedDisagreement | null;

/** Of agents that were not lost: the others have findings of their own. */
export function disagreements(all: readonly AgentFigures[], kind: LoadKind): Disagreement[] {
  const present = all.filter(({ latencies }) => latencies > 0);
  return present.filter(({ lost }) => lost.length === 0).flatMap((agent) => {
    const others = present.filter((other) => other !== agent);
    const said = others.length === 0 ? null : whatOf({ agent, others }, kind);
    return said === null ? [] : [{ name: agent.name, ...said }];
  });
}

function whatOf(compared: ComparedAgents, kind: LoadKind): UnnamedDisagreement | null {
  const latency = otherLatency(compared);
  if (kind === "closed") return latency ?? otherPace(compared);
  const share = shortfall(compared);
  if (latency === null || share === null) return latency ?? share;
  return { because: latency.because, text: `${share.text}, and ${latency.text}` };
}

const otherLatency: Clause = ({ agent, others }) => {
  const p50Ms = ({ p50Ms }: AgentFigures): number => p50Ms;
  const restMs = middleOf(others, p50Ms);
  if (!isOther(agent.p50Ms, restMs) || !isOther(agent.p50Ms, middleOf([agent, ...others], p50Ms))) {
    return null;
  }
  const { because, text } = explanation({ agent, others }, restMs);
  const figures = `${formatMs(agent.p50Ms)}, ${namesOf(others)} ${formatMs(restMs)}`;
  return { because, text: `measured a median latency of ${figures}${text}` };
};

function isOther(ms: number, restMs: number): boolean {
  return Math.abs(ms - restMs) > DIFFERENT_MS && !isLike(ms, restMs);
}

/** Whether it is the network, by how long connections took to open. */
function explanation({ agent, others }: ComparedAgents, restMs: number): UnnamedDisagreement {
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

/** In an open loop every agent has the same to do. */
const shortfall: Clause = ({ agent, others }) => {
  const { due, completed, failed, unfinished, dropped } = agent.requests;
  const known = others.filter(({ requests }) => requests.due > 0);
  if (due === 0 || known.length === 0) return null;
  const rest = middleOf(known, shareOf);
  if (shareOf(agent) >= COMPLETED_RATIO * rest) return null;
  const left = [
    ...(dropped > 0 ? [`${formatCount(dropped)} were never sent`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(unfinished > 0 ? [`${formatCount(unfinished)} were unfinished`] : []),
  ];
  const text = `completed ${formatShare(completed / due)} of the ${
    formatCount(due)
  } requests that were due to it (${left.join(", ")}), ${namesOf(others)} ${formatShare(rest)}`;
  return { because: "share", text };
};

function shareOf({ requests: { due, completed } }: AgentFigures): number {
  return due === 0 ? 0 : completed / due;
}

/** In a closed loop a connection sends as fast as it gets responses: more than the median may be slow. */
const otherPace: Clause = ({ agent, others }) => {
  // With another median another pace is no news, and a lost agent sent nothing more.
  const peers = others.filter(({ p50Ms, lost }) => isLike(agent.p50Ms, p50Ms) && lost.length === 0);
  if (peers.length === 0) return null;
  const rest = middleOf(peers, paceOf);
  const paces = [rest, middleOf([agent, ...peers], paceOf)];
  if (paces.some((pace) => isLike(paceOf(agent), pace))) return null;
  const p99Ms = middleOf(peers, ({ p99Ms }) => p99Ms);
  const text = `completed ${formatNumber(paceOf(agent))} requests/s by connection, ${
    namesOf(peers)
  } ${formatNumber(rest)}, at a like median latency; its p99 is ${formatMs(agent.p99Ms)}, theirs ${
    formatMs(p99Ms)
  }`;
  return { because: "pace", text };
};

function isLike(figure: number, other: number): boolean {
  return Math.abs(figure - other) <= DIFFERENT_RATIO * other;
}

function paceOf({ ratePerSec, connections }: AgentFigures): number {
  return ratePerSec / Math.max(1, connections);
}

function namesOf(others: readonly AgentFigures[]): string {
  return others.length === 1 ? `agent ${others[0].name}` : "the others";
}

/**
 * The middle one; of two the lower. So of two halves that differ one is the measure of the other, and the
 * same is not said twice.
 */
function middleOf(agents: readonly AgentFigures[], of: (agent: AgentFigures) => number): number {
  const sorted = agents.map(of).sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1];
}

// What each agent did in the runs of one cell, or in a single measurement: one set of figures an agent.

/** Of the runs in which it took part; rates are means, so that those of all add up, other figures medians. */
export interface AgentFigures {
  readonly name: string;
  readonly host: string;
  /** In which it took part, and how many there were. */
  readonly runs: number;
  readonly ofRuns: number;
  /** When its last report came and why it was given up, one entry for each run in which it was lost. */
  readonly lost: readonly NonNullable<AgentPart["lost"]>[];
  readonly workers: number;
  readonly connections: number;
  /** Of the runs to whose end it was there, summed up. */
  readonly requests: AgentPart["requests"];
  readonly completed: number;
  /** Of the requests due in all of its runs. */
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
