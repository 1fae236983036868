/**
 * Whether a run of several agents measured the target: each agent is judged as a generator of its own, and
 * the worst decides. Beside that, agents can get lost, and begin apart. Pure.
 */
import type { AgentPart } from "../result/agent_part.ts";
import { type Cause, TRUSTS } from "../result/generator.ts";
import type { Stage } from "./evidence.ts";
import { type Case, millis } from "./finding.ts";
import { judge, type Judgement } from "./judging.ts";
import { UNKNOWN_ACTIVITY } from "../host/host_activity.ts";

/** What is known of one agent: its machine, and why it was given up; null when it finished. */
export interface AgentEvidence {
  readonly stage: Stage;
  readonly lost: { readonly afterMs: number; readonly reason: string } | null;
}

/** More of them help nobody; those of each agent are in its own part of the result. */
const MOST_REASONS = 8;
const MOST_NAMES = 8;

/** What is known of all agents' machines together: of one agent everything, of several what they share. */
export function fleetStage(agents: readonly AgentEvidence[]): Stage {
  if (agents.length === 1) return agents[0].stage;
  const heard = agents.filter(({ lost }) => lost === null);
  const [first = null, ...others] = heard.map(({ stage }) => stage.calibration);
  const isShared = others.every((other) =>
    other?.ceiling === first?.ceiling && other?.floor === first?.floor
  );
  return {
    surroundings: UNKNOWN_ACTIVITY,
    calibration: isShared ? first : null,
    sharesMachine: agents.some(({ stage }) => stage.sharesMachine),
  };
}

/** One agent, by what it told of itself, or what was last heard of it. */
export function judgeAgent(given: Case, lost: AgentEvidence["lost"]): Judgement {
  const judged = judge(given);
  if (lost === null) return judged;
  const { trust, reasons, causes } = judged;
  return {
    trust: trust === "valid" ? "suspect" : trust,
    reasons: [lostReason(lost, given.run.load), ...reasons],
    causes: ["agent-lost", ...causes],
  };
}

function lostReason(
  { afterMs, reason }: NonNullable<AgentEvidence["lost"]>,
  load: Case["run"]["load"],
): string {
  const when = afterMs > 0
    ? `It was last heard ${Number((afterMs / 1_000).toFixed(2))} s after the start`
    : "It was not heard after the start";
  const rest = load.kind === "closed" && load.requests === null
    ? "what its connections asked from then on is in no figure"
    : "what it had still to send counts as dropped";
  return `${when} (${reason}): ${rest}.`;
}

/** The whole: the worst of its agents, and their reasons with their names, the worst first. */
export function judgeFleet(parts: readonly AgentPart[], intervalMs: number): Judgement {
  const apart = startsApart(parts, intervalMs);
  const worst = TRUSTS.findLast((level) => parts.some(({ trust }) => trust === level)) ?? "valid";
  const trust = worst === "valid" && apart !== null ? "suspect" : worst;
  const named = namedReasons(parts);
  const all = apart === null
    ? named
    : [...named, { reason: apart, cause: "agents-apart" as const }];
  return {
    trust,
    reasons: shortened(all.map(({ reason }) => reason)),
    causes: all.slice(0, MOST_REASONS).flatMap(({ cause }) => cause ?? []),
  };
}

interface Named {
  readonly reason: string;
  readonly cause?: Cause;
}

/** What several agents say alike is told once. */
function namedReasons(parts: readonly AgentPart[]): Named[] {
  const lostFirst = [...parts].sort((a, b) => Number(b.lost !== null) - Number(a.lost !== null));
  const worstFirst = [...TRUSTS].reverse()
    .flatMap((level) => lostFirst.filter(({ trust }) => trust === level));
  const told = worstFirst.flatMap(({ name, reasons, causes }) =>
    reasons.map((reason, i) => ({ name, reason, cause: causes?.[i] }))
  );
  return [...Map.groupBy(told, ({ reason }) => reason)].map(([reason, by]) => ({
    reason: `${agentNames(by.map(({ name }) => name))}: ${reason}`,
    cause: by[0].cause,
  }));
}

/** `agent a`, `agents a, b, c and 97 more` */
function agentNames(names: readonly string[]): string {
  if (names.length === 1) return `agent ${names[0]}`;
  const left = names.length - MOST_NAMES;
  const told = names.slice(0, MOST_NAMES).join(", ");
  return `agents ${told}${left > 0 ? ` and ${left} more` : ""}`;
}

function shortened(reasons: readonly string[]): string[] {
  if (reasons.length <= MOST_REASONS) return [...reasons];
  const left = reasons.length - MOST_REASONS;
  return [
    ...reasons.slice(0, MOST_REASONS),
    `${left} more of that kind: the result holds each agent's own.`,
  ];
}

/** Agents that begin more than an interval apart load at different times what is shown as one. */
function startsApart(parts: readonly AgentPart[], intervalMs: number): string | null {
  const starts = parts.flatMap(({ name, late, clock }) =>
    late === null ? [] : [{ name, late, uncertainty: clock.uncertainty }]
  ).sort((a, b) => a.late - b.late);
  if (starts.length < 2) return null;
  const first = starts[0];
  const last = starts[starts.length - 1];
  const apartMs = last.late - first.late;
  const widest = starts.reduce((a, b) => b.uncertainty > a.uncertainty ? b : a);
  if (apartMs > intervalMs) {
    return `The agents began up to ${millis(apartMs)} apart (${first.name} first, ${last.name} ` +
      `last), more than an interval of ${
        millis(intervalMs)
      }: the load was not whole from its start; ` +
      "look at what keeps the late ones busy, or use a longer run.";
  }
  if (widest.uncertainty <= intervalMs) return null;
  return `The clock of agent ${widest.name} is known to ± ${
    millis(widest.uncertainty)
  } only, more ` +
    `than an interval of ${
      millis(intervalMs)
    }: intervals of its and of others may be of different ` +
    "moments; use a Redis that is nearer to the agents.";
}
