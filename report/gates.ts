/**
 * Thresholds × results → pass, fail or inconclusive, with a sentence each. One run is judged by its value;
 * several by the 95 % interval over them: on the right side, on the wrong side, or across the limit. What was
 * not measured fails: a gate that looked at nothing must not open.
 */
import type { Threshold } from "../runner/result.ts";
import { figureText, type JudgedCell, type Range, rangeOf, ratioRangeOf } from "./gates/range.ts";
import type { GatedCell } from "./gates/cells.ts";
import { formatRatio, percentText } from "./comparison/words.ts";

export const OUTCOMES = ["pass", "fail", "inconclusive"] as const;
export type Outcome = typeof OUTCOMES[number];

export interface GateOutcome {
  /** The threshold, as it was written. */
  readonly threshold: string;
  readonly scenario: string;
  readonly label: string;
  readonly outcome: Outcome;
  /** What was found, without a full stop: `p99 is 61.2 ms [59.0, 63.1]`. */
  readonly found: string;
}

/**
 * @param hasBaseline Without one, thresholds that need it are left out.
 * @returns Every threshold on every cell.
 */
export function judgeCells(
  thresholds: readonly Threshold[],
  cells: readonly GatedCell[],
  { hasBaseline }: { hasBaseline: boolean },
): GateOutcome[] {
  const judged = thresholds.filter(({ against }) => against === "limit" || hasBaseline);
  return judged.flatMap((threshold): GateOutcome[] => {
    if (cells.length === 0) return [nothing(threshold)];
    return cells.map(({ cell, baseline }) => {
      const judgement = threshold.against === "limit"
        ? againstLimit(threshold, cell)
        : againstBaseline(threshold, cell, baseline);
      const { scenario, label } = cell;
      return { threshold: threshold.text, scenario, label, ...judgement };
    });
  });
}

/** Fail before inconclusive before pass; pass of none. */
export function worstOf(outcomes: readonly { readonly outcome: Outcome }[]): Outcome {
  const isThere = (outcome: Outcome): boolean => outcomes.some((one) => one.outcome === outcome);
  return isThere("fail") ? "fail" : isThere("inconclusive") ? "inconclusive" : "pass";
}

type Judgement = Pick<GateOutcome, "outcome" | "found">;

function nothing({ text }: Threshold): GateOutcome {
  return {
    threshold: text,
    scenario: "",
    label: "",
    outcome: "fail",
    found: "nothing was measured",
  };
}

function againstLimit(threshold: Threshold & { against: "limit" }, cell: JudgedCell): Judgement {
  const { figure, unit, relation, limit } = threshold;
  const range = rangeOf(figure, cell);
  if ("none" in range) return { outcome: "fail", found: `nothing to judge: ${range.none}` };
  const found = `${figure} is ${figureText(range, unit)}`;
  if (range.isAtLeast && relation.startsWith("<")) {
    return { outcome: "fail", found: `${found} or more: ${BOUNDS}` };
  }
  return { outcome: outcomeOf(range, (value) => holds(value, relation, limit)), found };
}

const BOUNDS = "requests that timed out or were unfinished at the end would decide it";

function againstBaseline(
  { figure, unit, better, marginRatio }: Threshold & { against: "baseline" },
  cell: JudgedCell,
  baseline: JudgedCell | null,
): Judgement {
  const range = rangeOf(figure, cell);
  if ("none" in range) return { outcome: "fail", found: `nothing to judge: ${range.none}` };
  const base = baseline && rangeOf(figure, baseline);
  if (baseline === null || base === null) {
    return { outcome: "fail", found: "nothing to judge by: the baseline has no such cell" };
  }
  if ("none" in base) return { outcome: "fail", found: `nothing to judge by: ${base.none}` };
  const values = `${figure} is ${
    figureText({ value: range.value, interval: null }, unit)
  }, in the baseline ${figureText({ value: base.value, interval: null }, unit)}`;
  if (range.isAtLeast && better === "lower") {
    return { outcome: "fail", found: `${values}, or more: ${BOUNDS}` };
  }
  const ratio = ratioRangeOf(figure, cell, baseline);
  if (ratio === null) return { outcome: noWorse(range.value, base.value, better), found: values };
  const most = 1 + marginRatio;
  const outcome = outcomeOf(
    ratio,
    (value) => better === "lower" ? value <= most : value >= 1 / most,
  );
  const allowed = `${percentText(marginRatio)} is allowed`;
  return {
    outcome,
    found: `${values}: ${formatRatio(ratio.value, ratio.interval)}, ${allowed}`,
  };
}

/** Where one of them is 0 there is no ratio. */
function noWorse(value: number, base: number, better: "lower" | "higher"): Outcome {
  return (better === "lower" ? value <= base : value >= base) ? "pass" : "fail";
}

/** The right side is a half-line, so both ends on it are all of the interval on it. */
function outcomeOf({ value, interval }: Range, isRight: (value: number) => boolean): Outcome {
  const { low, high } = interval ?? { low: value, high: value };
  const [lowIsRight, highIsRight] = [isRight(low), isRight(high)];
  if (lowIsRight !== highIsRight) return "inconclusive";
  return lowIsRight ? "pass" : "fail";
}

function holds(value: number, relation: "<" | "<=" | ">" | ">=", limit: number): boolean {
  switch (relation) {
    case "<":
      return value < limit;
    case "<=":
      return value <= limit;
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
  }
}
