/** Whether a comparison in slices has its verdicts, looked at after a few numbers of pairs of processes that are fixed ahead. */
import type { GateOutcome } from "../../report/findings/gate_sentences.ts";
import { decisiveOf } from "../../report/judge/comparison.ts";
import type { ResultsComparison } from "../../report/subjects/comparison/comparison.ts";
import { decide, PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";

type Looked = Pick<ResultsComparison, "cells" | "gates" | "decidedBy">;

/** Only what decides the exit code is waited for, which CPU time per request does not where it is open alone. @param processes Pairs of them so far. */
export function isDecided({ cells, gates, decidedBy }: Looked, processes: number): boolean {
  if (!PROCESS_LOOKS.some((look) => look === processes) || cells.length === 0) return false;
  if (gates.some(({ outcome }) => outcome === "fail")) return true;
  const areGatesOpen = gates.some(mayBeDecided);
  if (decidedBy === "thresholds") return !areGatesOpen;
  const judged = cells.flatMap(({ comparison }) => decisiveOf(comparison));
  const { goesOn, reason } = decide(judged, processes);
  return reason === "worse" || !goesOn && !areGatesOpen;
}

/** Why a threshold is open that no number of pairs of processes decides. */
const NEVER_DECIDED: readonly GateOutcome["reason"][] = [
  undefined, // there is nothing to hold against it
  "other-session",
  "more-sessions",
  "session-groups",
  "no-ratio",
  "busy-peak",
  "rounds-differ",
];

function mayBeDecided({ outcome, reason }: GateOutcome): boolean {
  return outcome === "inconclusive" && !NEVER_DECIDED.includes(reason);
}
