/**
 * Thresholds × results → pass, fail or inconclusive, with a sentence each. A gate opens, or shuts, by evidence: where
 * the 95 % interval of its figure lies on one side of the limit. What was not measured fails: a gate that looked at
 * nothing must not open.
 */
import type { Threshold } from "../../../runner/result/result.ts";
import { holmOfKnown } from "../../../runner/stats/comparison/significance_tests.ts";
import { SIGNIFICANCE } from "../../../runner/stats/comparison/verdict.ts";
import { type MeasuredRuns, thresholdsOf } from "../../cells/measured.ts";
import { allOf, counted } from "../../writing/words.ts";
import { type ClaimContext, contextOf } from "../claims/context.ts";
import { namedEvidence, pairEvidence, type PlacedEvidence } from "./between_cells.ts";
import { baselineEvidence, type GatedCell, gatedCells, limitEvidence } from "./limit.ts";
import { fact, type ThresholdEvidence, type ThresholdOutcome } from "./evidence.ts";
import { type Table, tableOf, textCell } from "../../subjects/tables/table.ts";
import type { Grouped, ScenarioRuns } from "../../cells/cells.ts";

export interface GateOutcome {
  /** The threshold, as it was written. */
  readonly threshold: string;
  readonly scenario: string;
  readonly label: string;
  readonly outcome: ThresholdOutcome;
  /** What was found, without a full stop: `p99 is 61.2 ms [59.0, 63.1]`. */
  readonly found: string;
}

/** A threshold on a cell, with what the measurements say of it by itself. */
export interface Gate extends Pick<GateOutcome, "threshold" | "scenario" | "label"> {
  readonly evidence: ThresholdEvidence;
}

export interface GateOptions {
  /** Without one, thresholds that need it are left out. */
  readonly hasBaseline: boolean;
  /** What thresholds that name their cells find these in; null: a single measurement, which has none to name. */
  readonly ground: ClaimContext | null;
}

/** @returns Every threshold on every cell. */
export function judgeCells(
  thresholds: readonly Threshold[],
  cells: readonly GatedCell[],
  options: GateOptions,
): GateOutcome[] {
  return judgeTogether(gatesOf(thresholds, cells, options));
}

/** The same before Holm's method: what else decides with them may still be added. */
export function gatesOf(
  thresholds: readonly Threshold[],
  cells: readonly GatedCell[],
  { hasBaseline, ground }: GateOptions,
): Gate[] {
  return thresholds.filter(({ against }) => against !== "baseline" || hasBaseline)
    .flatMap((threshold) => {
      if (cells.length === 0) return [unmeasured(threshold)];
      return placedEvidence(threshold, cells, ground)
        .map((placed): Gate => ({ threshold: threshold.text, ...placed }));
    });
}

function placedEvidence(
  threshold: Threshold,
  cells: readonly GatedCell[],
  ground: ClaimContext | null,
): PlacedEvidence[] {
  if (threshold.against === "cells") {
    return ground === null ? [] : pairEvidence(threshold, ground);
  }
  const judge = (gated: GatedCell): ThresholdEvidence =>
    threshold.against === "limit"
      ? limitEvidence(threshold, gated.cell)
      : baselineEvidence(threshold, gated);
  if (threshold.selector === undefined || ground === null) {
    return cells.map((gated) => ({
      scenario: gated.cell.scenario,
      label: gated.cell.label,
      evidence: judge(gated),
    }));
  }
  return namedEvidence(threshold.selector, ground, (named) => {
    const gated = cells.find(({ cell }) =>
      cell.scenario === named.scenario && cell.label === named.label
    );
    // A step is no cell of its own, but has figures as one has.
    if (gated === undefined && threshold.against === "limit") {
      return limitEvidence(threshold, named);
    }
    return gated === undefined ? fact("fail", "nothing was measured") : judge(gated);
  });
}

function unmeasured({ text }: Threshold): Gate {
  const evidence = fact("fail", "nothing was measured");
  return { threshold: text, scenario: "", label: "", evidence };
}

/** The p-values of those that are tests, as they are. */
export function gatePs(gates: readonly Gate[]): number[] {
  return gates.flatMap(({ evidence: { p } }) => p ?? []);
}

/**
 * One exit code stands for all of them, so they are one family: a failure needs its p-value raised by Holm's method
 * to be 5 % at the most, and a build that is right fails in 5 % however many thresholds it has. A pass stands by its own
 * interval. Facts are no tests, and raise nothing.
 *
 * @param besides p-values of other hypotheses that decide the same exit code.
 */
export function judgeTogether(
  gates: readonly Gate[],
  besides: readonly number[] = [],
): GateOutcome[] {
  const raised = holmOfKnown([...gates.map(({ evidence: { p } }) => p), ...besides]);
  const size = raised.filter((p) => p !== null).length;
  return gates.map(({ evidence: { outcome, found, remedy }, ...named }, i) => {
    const isSure = outcome !== "fail" || (raised[i] ?? 0) <= SIGNIFICANCE;
    if (isSure) return { ...named, outcome, found };
    const why = [`it fails alone, but not surely among ${counted(size, "test")}`, remedy]
      .filter(Boolean).join("; ");
    return { ...named, outcome: "inconclusive", found: `${found}: ${why}` };
  });
}

/** `1 of 3 thresholds fails, 1 is inconclusive.` @param gates Of one place each. */
export function gatesSentence(gates: readonly GateOutcome[]): string {
  const count = (outcome: ThresholdOutcome): number =>
    gates.filter((gate) => gate.outcome === outcome).length;
  if (gates.length === 1 && count("pass") === 0) {
    return count("fail") === 1 ? "The threshold fails." : "The threshold is inconclusive.";
  }
  const of = `of ${gates.length} thresholds`;
  const [fail, open] = [count("fail"), count("inconclusive")];
  const are = (many: number): string => many === 1 ? "is" : "are";
  if (fail > 0) {
    const rest = open === 0 ? "" : `, ${open} ${are(open)} inconclusive`;
    return `${fail} ${of} ${fail === 1 ? "fails" : "fail"}${rest}.`;
  }
  if (open > 0) return `${open} ${of} ${are(open)} inconclusive.`;
  return gates.length === 1 ? "The threshold holds." : `${allOf(gates.length, "threshold")} hold.`;
}

/** Fail before inconclusive before pass; pass of none. */
export function worstOf(
  outcomes: readonly { readonly outcome: ThresholdOutcome }[],
): ThresholdOutcome {
  const isThere = (outcome: ThresholdOutcome): boolean =>
    outcomes.some((one) => one.outcome === outcome);
  return isThere("fail") ? "fail" : isThere("inconclusive") ? "inconclusive" : "pass";
}

// Outcomes of thresholds as a table, and as lines of text.

const MARKS: Readonly<Record<ThresholdOutcome, string>> = {
  pass: "✓",
  fail: "✗",
  inconclusive: "?",
};

const INCONCLUSIVE_NOTE =
  "Inconclusive: there is not enough evidence for either side of the limit; the last column says what would decide.";

/** Null without outcomes. */
export function gatesTable(outcomes: readonly GateOutcome[]): Table | null {
  if (outcomes.length === 0) return null;
  const isUnsure = outcomes.some(({ outcome }) => outcome === "inconclusive");
  return tableOf({ caption: "Thresholds", notes: isUnsure ? [INCONCLUSIVE_NOTE] : [] }, outcomes, [
    { label: "Threshold", kind: "name", cell: ({ threshold }) => ({ text: threshold }) },
    { label: "Of", kind: "text", cell: (gate) => textCell(gatePlace(gate) || "–") },
    {
      label: "Outcome",
      kind: "text",
      cell: ({ outcome }) => ({
        text: `${MARKS[outcome]} ${outcome}`,
        ...(outcome !== "pass" && { alarming: true }),
      }),
    },
    { label: "Found", kind: "text", cell: ({ found }) => textCell(found) },
  ]);
}

/** `✗ p99 < 50ms: static, hono: p99 is 61.2 ms`. */
export function gateLine(gate: GateOutcome): string {
  return `${MARKS[gate.outcome]} ${gateText(gate)}`;
}

/** The same without its mark. */
export function gateText(gate: GateOutcome): string {
  return [gate.threshold, gatePlace(gate), gate.found].filter(Boolean).join(": ");
}

/** Scenario and cell; "" for a single measurement. */
export function gatePlace({ scenario, label }: GateOutcome): string {
  return scenario === "" ? "" : `${scenario}, ${label}`;
}

// The thresholds of an experiment, judged.

export interface GatesModel {
  readonly outcomes: readonly GateOutcome[];
  /** Null without outcomes. */
  readonly table: Table | null;
  /** What could not be judged, and why; "" when all could. */
  readonly note: string;
}

/** @param baseline Null: there is none. */
export function gatesModel(
  scenarios: readonly ScenarioRuns[],
  measured: MeasuredRuns,
  baseline: Grouped | null,
): GatesModel {
  const thresholds = thresholdsOf(measured);
  const hasBaseline = baseline !== null;
  const cells = thresholds.length === 0 ? [] : gatedCells(scenarios, measured, baseline);
  const ground = thresholds.length === 0 ? null : contextOf(scenarios, measured);
  const outcomes = judgeCells(thresholds, cells, { hasBaseline, ground });
  const left = hasBaseline ? 0 : thresholds.filter(({ against }) => against === "baseline").length;
  return {
    outcomes,
    table: gatesTable(outcomes),
    note: left === 0 ? "" : `${counted(left, "threshold")} not judged here, without a baseline.`,
  };
}
