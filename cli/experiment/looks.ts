/**
 * Decides, after predetermined numbers of process pairs, whether a comparison in slices has all its verdicts, so that
 * measuring can stop.
 */
import type { GateOutcome } from "../../report/findings/threshold_sentences.ts";
import { quotedOpenly } from "../../base/secrets.ts";
import { figureInProse, verdictWord } from "../../report/findings/judgements.ts";
import { comparisonOf, decisiveOf, type FigureComparison } from "../../report/judge/comparison.ts";
import type {
  ComparedCell,
  ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { ratioText } from "../../report/writing/ratios.ts";
import { listedSome } from "../../report/writing/words.ts";
import type { ExperimentLook } from "../../runner/experiment/blocks.ts";
import {
  decide,
  mayBeDecided,
  nextProcessLook,
  PROCESS_LOOKS,
} from "../../runner/stats/slices/looks.ts";

type Looked = Pick<ResultsComparison, "cells" | "gates" | "decidedBy" | "marginRatio">;

const GOES_ON: ExperimentLook = { isEnough: false, note: null };
const IS_ENOUGH: ExperimentLook = { isEnough: true, note: null };

/**
 * Decides whether the experiment needs more process pairs. Only figures and thresholds that decide the exit code count,
 * so an open verdict on CPU time per request alone does not prolong the experiment.
 *
 * @param compare Called only if an interim check (a look) is due, because each comparison goes through all runs.
 * @param processes Number of process pairs measured so far.
 */
export function lookAt(compare: () => Looked, processes: number): ExperimentLook {
  if (!PROCESS_LOOKS.some((look) => look === processes)) return GOES_ON;
  const { cells, gates, decidedBy, marginRatio } = compare();
  if (cells.length === 0) return GOES_ON;
  if (gates.some(({ outcome }) => outcome === "fail")) return IS_ENOUGH;
  const thresholds = gates.filter(mayGateBeDecided).map(({ threshold }) => quotedOpenly(threshold));
  const judged = decidedBy === "thresholds" ? [] : cells.flatMap(awaitedIn);
  const options = { processes, marginRatio };
  const { goesOn, reason } = decide(judged, options);
  if (reason === "worse" || reason === "decided" && thresholds.length === 0) return IS_ENOUGH;
  const figuresOf = (isMeant: (one: AwaitedFigure) => boolean): string[] =>
    judged.filter(isMeant).map((one) => figureText(one, marginRatio));
  if (!goesOn && thresholds.length === 0) {
    const open = figuresOf(({ verdict }) => verdict === "inconclusive");
    return { isEnough: true, note: reason === "undecidable" ? givenUpText(processes, open) : null };
  }
  const awaited = [...figuresOf((one) => mayBeDecided(one, options)), ...thresholds];
  const next = nextProcessLook(processes);
  return { isEnough: false, note: next === null ? null : openText({ processes, next, awaited }) };
}

function openText({ processes, next, awaited }: {
  readonly processes: number;
  readonly next: number;
  readonly awaited: readonly string[];
}): string {
  const open = listedSome(awaited, "and");
  return `Undecided after ${processes} pairs of processes: ${open}; the next check is at ${next} pairs`;
}

function givenUpText(processes: number, open: readonly string[]): string {
  return `Stops after ${processes} pairs of processes, because more would hardly decide ${
    listedSome(open, "and")
  }`;
}

/** A figure whose verdict is still open, as text: `p99 of root, server (0.98× [0.71, 1.35], no difference seen)`. */
function figureText({ cell, ...figure }: AwaitedFigure, marginRatio: number): string {
  const found = [ratioText(figure), verdictWord(figure, marginRatio)].join(", ");
  return `${figureInProse(figure.figure)} of ${cell} (${found})`;
}

interface AwaitedFigure extends FigureComparison {
  readonly cell: string;
}

/**
 * The figures of the cell that decide the exit code. If the load generator limited one of them, CPU time per request
 * may decide instead, so it is added if it was measured in both results.
 */
function awaitedIn({ name, comparison }: ComparedCell): AwaitedFigure[] {
  const own = decisiveOf(comparison);
  const isByWork = comparison.decisive.includes("cpuPerRequest") &&
    own.some(({ reason }) => reason === "generator");
  const cpu = comparisonOf(comparison, "cpuPerRequest");
  const awaited = isByWork && cpu.ratio !== null ? [...own, cpu] : own;
  return awaited.map((figure) => ({ ...figure, cell: name }));
}

/** Reasons for an undecided threshold that remain however many process pairs are measured. */
const NEVER_DECIDED: readonly GateOutcome["reason"][] = [
  undefined, // nothing was measured that the rule could be applied to
  "other-session",
  "more-sessions",
  "session-groups",
  "not-valid",
  "no-ratio",
  "busy-peak",
  "disturbed",
  "rounds-differ",
];

function mayGateBeDecided({ outcome, reason }: GateOutcome): boolean {
  return outcome === "inconclusive" && !NEVER_DECIDED.includes(reason);
}
