/**
 * Thresholds × results → pass, fail or inconclusive, with a sentence each. A gate opens, or shuts, by evidence: where
 * the 95 % interval of its figure lies on one side of the limit. What was not measured fails: a gate that looked at
 * nothing must not open.
 */
import type { Threshold } from "../runner/result.ts";
import { holm } from "../runner/stats/holm.ts";
import { SIGNIFICANCE } from "../runner/stats/verdict.ts";
import { baselineEvidence } from "./gates/baseline.ts";
import type { GatedCell } from "./gates/cells.ts";
import { type Evidence, fact } from "./gates/evidence.ts";
import { limitEvidence } from "./gates/limit.ts";
import { counted } from "./words.ts";

export type Outcome = Evidence["outcome"];

export interface GateOutcome {
  /** The threshold, as it was written. */
  readonly threshold: string;
  readonly scenario: string;
  readonly label: string;
  readonly outcome: Outcome;
  /** What was found, without a full stop: `p99 is 61.2 ms [59.0, 63.1]`. */
  readonly found: string;
}

export interface GateOptions {
  /** Without one, thresholds that need it are left out. */
  readonly hasBaseline: boolean;
  /** p-values of what else can fail with the same exit code. */
  readonly beside?: readonly number[];
}

/** A threshold on a cell, with what the measurements say of it. */
interface Gate extends Pick<GateOutcome, "threshold" | "scenario" | "label"> {
  readonly evidence: Evidence;
}

/** @returns Every threshold on every cell. */
export function judgeCells(
  thresholds: readonly Threshold[],
  cells: readonly GatedCell[],
  { hasBaseline, beside = [] }: GateOptions,
): GateOutcome[] {
  const judged = thresholds.filter(({ against }) => against === "limit" || hasBaseline);
  return together(judged.flatMap((threshold) => gatesOf(threshold, cells)), beside);
}

function gatesOf(threshold: Threshold, cells: readonly GatedCell[]): Gate[] {
  const { text } = threshold;
  if (cells.length === 0) {
    const evidence = fact("fail", "nothing was measured");
    return [{ threshold: text, scenario: "", label: "", evidence }];
  }
  return cells.map(({ cell, baseline }) => ({
    threshold: text,
    scenario: cell.scenario,
    label: cell.label,
    evidence: threshold.against === "limit"
      ? limitEvidence(threshold, cell)
      : baselineEvidence(threshold, cell, baseline),
  }));
}

/**
 * One exit code tells of all of them, so they are one family: a failure needs its p-value raised by Holm's method
 * to be 5 % at the most, and a build that is right fails in 5 % however many thresholds it has. A pass stands by its own
 * interval. Facts are no tests, and raise nothing.
 */
function together(gates: readonly Gate[], beside: readonly number[]): GateOutcome[] {
  const tests = gates.filter(({ evidence }) => evidence.p !== null);
  const pValues = [...tests.map(({ evidence }) => evidence.p ?? 1), ...beside];
  const raised = holm(pValues);
  return gates.map((gate) => {
    const { evidence: { outcome, found, remedy }, ...named } = gate;
    const place = tests.indexOf(gate);
    if (outcome !== "fail" || place === -1 || raised[place] <= SIGNIFICANCE) {
      return { ...named, outcome, found };
    }
    const among = `it fails alone, but not surely among ${counted(pValues.length, "test")}`;
    const why = [among, remedy].filter(Boolean).join("; ");
    return { ...named, outcome: "inconclusive", found: `${found}: ${why}` };
  });
}

/** Fail before inconclusive before pass; pass of none. */
export function worstOf(outcomes: readonly { readonly outcome: Outcome }[]): Outcome {
  const isThere = (outcome: Outcome): boolean => outcomes.some((one) => one.outcome === outcome);
  return isThere("fail") ? "fail" : isThere("inconclusive") ? "inconclusive" : "pass";
}
