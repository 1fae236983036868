/**
 * What each agent did, and when agents that load one target together disagree. They share the target, so if one of them
 * measures something else, its network or its machine is the reason. At most one sentence for each agent.
 */
import { TRUSTS } from "../../../runner/result/generator.ts";
import type { AgentPart, Measurement } from "../../../runner/result/result.ts";
import { poolLatency } from "../../figures/pool.ts";
import { lowerMedian, mean, median, sum } from "../../writing/spread.ts";
import { formatMs, formatNumber, formatShare } from "../../writing/units.ts";

/** A figure that agents of one load have in common. */
interface CommonFigure {
  readonly name: "latency" | "share" | "pace";
  readonly of: (agent: AgentFigures) => number;
  readonly text: (value: number) => string;
  /** What an agent with this value did. */
  readonly said: (text: string) => string;
  /** Share of the others' figure by which an agent may differ. */
  readonly withinRatio: number;
  /** Smaller differences mean nothing. */
  readonly least: number;
}

const LATENCY: CommonFigure = {
  name: "latency",
  of: ({ p50Ms }) => p50Ms,
  text: formatMs,
  said: (text) => `measured a median latency of ${text}`,
  withinRatio: 0.25,
  least: 0.1, // ms: a core that wakes up from power saving can take as long
};
/** The share of an agent's due requests that it completed: in an open loop, every agent has the same work. */
const SHARE: CommonFigure = {
  name: "share",
  of: ({ parts }) => shareOf("completed", parts) ?? 0,
  text: formatShare,
  said: (text) => `completed ${text} of its scheduled requests`,
  withinRatio: 0.1,
  least: 0,
};
/** Requests/s per connection: in a closed loop, a connection sends as fast as it gets responses. */
const PACE: CommonFigure = {
  name: "pace",
  of: ({ ratePerSec, connections }) => ratePerSec / Math.max(1, connections),
  text: (value) => formatNumber(value),
  said: (text) => `completed ${text} requests/s per connection`,
  withinRatio: 0.25,
  least: 0,
};

/** How an agent differs from the others; `in` names the figures, by which equal differences in other cells are found. */
interface Difference {
  readonly name: string;
  readonly in: readonly CommonFigure["name"][];
  /** Without a full stop. */
  readonly text: string;
}

/** Disagreements of agents that were not lost; lost ones have findings of their own. */
export function disagreements(
  all: readonly AgentFigures[],
  { isOpen }: { readonly isOpen: boolean },
): Difference[] {
  const present = all.filter(({ latencies, lost }) => latencies > 0 && lost.length === 0);
  return present.flatMap((agent) => {
    const others = present.filter((other) => other !== agent);
    // In a closed loop, a different latency explains a different pace.
    const restMs = lowerMedian(others.map(LATENCY.of));
    const isAlike = !areApart(agent.p50Ms, restMs, { ...LATENCY, least: 0 });
    const figures = isOpen ? [LATENCY, SHARE] : isAlike ? [LATENCY, PACE] : [LATENCY];
    const differing = figures.filter(({ of, ...figure }) => {
      // If one half of the agents differs from the other, only one half is reported, not each against the other.
      const rest = [others, present].map((those) => lowerMedian(those.map(of)));
      return others.length > 0 && rest.every((value) => areApart(of(agent), value, figure));
    });
    if (differing.length === 0) return [];
    const who = others.length === 1 ? `agent ${others[0].name}` : "the others";
    const texts = differing.map(({ of, text, said }) =>
      `${said(text(of(agent)))}, ${who} ${text(lowerMedian(others.map(of)))}`
    );
    const theirs = others.flatMap(({ connectMs }) => connectMs ?? []);
    const connections = agent.connectMs === null || theirs.length === 0 ? [] : [
      `its fastest connection took ${formatMs(agent.connectMs)}, theirs ${
        formatMs(lowerMedian(theirs))
      }`,
    ];
    return [{
      name: agent.name,
      in: differing.map(({ name }) => name),
      text: [...texts, ...connections].join("; "),
    }];
  });
}

function areApart(
  value: number,
  rest: number,
  { withinRatio, least }: Pick<CommonFigure, "withinRatio" | "least">,
): boolean {
  const apart = Math.abs(value - rest);
  return apart > least && apart > withinRatio * rest;
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

/** The figures of each agent, in the order of their first appearance; none without a fleet. */
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
