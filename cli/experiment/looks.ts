/** Whether a comparison in slices has its verdicts, looked at after a few numbers of pairs of processes that are fixed ahead. */
import type { GateOutcome } from "../../report/findings/gate_sentences.ts";
import {
  comparisonOf,
  decisiveOf,
  type FigureComparison,
  type GroupComparison,
} from "../../report/judge/comparison.ts";
import type { ResultsComparison } from "../../report/subjects/comparison/comparison.ts";
import { decide, PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";

type Looked = Pick<ResultsComparison, "cells" | "gates" | "decidedBy">;

/**
 * Only what decides the exit code is waited for, which CPU time per request does not where it is open alone.
 *
 * @param compare Called at a look alone, as each comparison goes through all runs. @param processes Pairs of them so far.
 */
export function isDecided(compare: () => Looked, processes: number): boolean {
  if (!PROCESS_LOOKS.some((look) => look === processes)) return false;
  const { cells, gates, decidedBy } = compare();
  if (cells.length === 0) return false;
  if (gates.some(({ outcome }) => outcome === "fail")) return true;
  const areGatesOpen = gates.some(mayBeDecided);
  if (decidedBy === "thresholds") return !areGatesOpen;
  const judged = cells.flatMap(({ comparison }) => awaitedOf(comparison));
  const { goesOn, reason } = decide(judged, processes);
  return reason === "worse" || !goesOn && !areGatesOpen;
}

/**
 * Figures that decide, and an open CPU time per request that would decide instead if the generator limited the others.
 */
function awaitedOf(comparison: GroupComparison): FigureComparison[] {
  const own = decisiveOf(comparison);
  const isByWork = comparison.decisive.includes("cpuPerRequest") &&
    own.some(({ reason }) => reason === "generator");
  const cpu = comparisonOf(comparison, "cpuPerRequest");
  return isByWork && cpu.ratio !== null ? [...own, cpu] : own;
}

/** Why a threshold is open that no number of pairs of processes decides. */
const NEVER_DECIDED: readonly GateOutcome["reason"][] = [
  undefined, // there is nothing to hold against it
  "other-session",
  "more-sessions",
  "session-groups",
  "no-ratio",
  "busy-peak",
  "disturbed",
  "rounds-differ",
];

function mayBeDecided({ outcome, reason }: GateOutcome): boolean {
  return outcome === "inconclusive" && !NEVER_DECIDED.includes(reason);
}
