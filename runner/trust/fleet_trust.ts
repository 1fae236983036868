/**
 * Whether a run with several agents measured the target. Each agent is judged as a generator of its own, and the worst
 * judgement decides. Agents may also be lost, or start at different times. Pure.
 */
import { UNKNOWN_ACTIVITY } from "../host/host_activity.ts";
import { type AgentPart, TRUSTS } from "../result/generator.ts";
import type { TrustFinding } from "../result/findings.ts";
import type { Case, Stage } from "./evidence.ts";
import { judge, type TrustJudgement } from "./judging.ts";

/** More findings would not help the reader; each agent's own findings are in its part of the result. */
const MOST_FINDINGS = 8;

/** Facts about an agent's machine, and when and why the agent was lost. */
interface JudgedAgent {
  readonly stage: Stage;
  readonly lost: LostAgent | null;
}

interface LostAgent {
  /** Milliseconds from the start of the load until the agent's last report. */
  readonly afterMs: number;
  readonly reason: string;
}

/**
 * What is known about the machines. For a single agent, this is everything; for several agents, it is only what all
 * their machines have in common.
 */
export function fleetStage(agents: readonly JudgedAgent[]): Stage {
  if (agents.length === 1) return agents[0].stage;
  const reporting = agents.filter(({ lost }) => lost === null);
  const [first = null, ...others] = reporting.map(({ stage }) => stage.calibration);
  const isShared = others.every((other) =>
    other?.peakThroughput === first?.peakThroughput &&
    other?.baselineLatency === first?.baselineLatency
  );
  return {
    hostActivity: UNKNOWN_ACTIVITY,
    calibration: isShared ? first : null,
    sharesMachine: agents.some(({ stage }) => stage.sharesMachine),
  };
}

/**
 * Judges one agent by its report. An agent that was lost is judged by what it reported before, and is suspect at best.
 */
export function judgeAgent(given: Case, lost: LostAgent | null): TrustJudgement {
  const judged = judge(given);
  if (lost === null) return judged;
  const { trust, findings } = judged;
  return {
    trust: trust === "valid" ? "suspect" : trust,
    findings: [lostFinding(lost, given.run.load), ...findings],
  };
}

function lostFinding(
  { afterMs, reason }: LostAgent,
  load: Case["run"]["load"],
): TrustFinding {
  const isEndless = load.kind === "closed" && load.requests === null;
  return {
    code: "agent-lost",
    severity: "suspect",
    evidence: {
      lastReportS: Math.max(0, afterMs) / 1_000,
      reason,
      unsent: isEndless ? "unknown" : "dropped",
    },
    advice: ["check-agent"],
  };
}

/**
 * Judges the whole run: the worst agent decides, and the run is suspect at best if agents start too far apart. Lists
 * the findings of all agents, the worst first.
 */
export function judgeFleet(parts: readonly AgentPart[], intervalMs: number): TrustJudgement {
  const apart = startsApart(parts, intervalMs);
  const worst = TRUSTS.findLast((level) => parts.some(({ trust }) => trust === level)) ?? "valid";
  const trust = worst === "valid" && apart !== null ? "suspect" : worst;
  return {
    trust,
    findings: shortened([...namedFindings(parts), ...apart === null ? [] : [apart]]),
  };
}

/** Adds the names of the agents to their findings; a finding that several agents share is listed once. */
function namedFindings(parts: readonly AgentPart[]): TrustFinding[] {
  const lostFirst = [...parts].sort((a, b) => Number(b.lost !== null) - Number(a.lost !== null));
  const worstFirst = [...TRUSTS].reverse()
    .flatMap((level) => lostFirst.filter(({ trust }) => trust === level));
  const all = worstFirst.flatMap(({ name, findings }) =>
    findings.map((finding) => ({ name, finding }))
  );
  return [...Map.groupBy(all, ({ finding }) => likeness(finding)).values()].map((alike) => ({
    ...alike[0].finding,
    agents: alike.map(({ name }) => name),
  }));
}

/** A key that is equal for findings with the same figures to three significant digits. */
function likeness(finding: TrustFinding): string {
  return JSON.stringify(
    finding,
    (_, value) => typeof value === "number" ? Number(value.toPrecision(3)) : value,
  );
}

function shortened(findings: readonly TrustFinding[]): TrustFinding[] {
  const omitted = findings.length - MOST_FINDINGS;
  if (omitted <= 0) return [...findings];
  return [...findings.slice(0, MOST_FINDINGS), {
    code: "findings-omitted",
    severity: "suspect",
    evidence: { omitted },
    advice: ["see-agents"],
  }];
}

/**
 * A finding if agents start more than an interval apart, because the same interval then shows different phases of their
 * loads. Otherwise, a finding if an agent's clock is too uncertain to tell.
 */
function startsApart(parts: readonly AgentPart[], interval: number): TrustFinding | null {
  const starts = parts.flatMap(({ name, late, clock }) =>
    late === null ? [] : [{ name, late, uncertainty: clock.uncertainty }]
  ).sort((a, b) => a.late - b.late);
  if (starts.length < 2) return null;
  const first = starts[0];
  const last = starts[starts.length - 1];
  const apart = last.late - first.late;
  if (apart > interval) {
    return {
      code: "agents-apart",
      severity: "suspect",
      evidence: { apart, interval, first: first.name, last: last.name },
      advice: ["check-late-agents", "longer-run"],
    };
  }
  const { name: agent, uncertainty } = starts.reduce((a, b) =>
    b.uncertainty > a.uncertainty ? b : a
  );
  if (uncertainty <= interval) return null;
  return {
    code: "clock-uncertain",
    severity: "suspect",
    evidence: { agent, uncertainty, interval },
    advice: ["nearer-redis"],
  };
}
