/**
 * Thresholds that name their cells: `p99(wait) < 2s` is held against each of them, and `rate(cached) > 2 × rate(plain)`
 * against each pair that agrees in all else, by the interval of their ratio over the runs.
 */
import type { FigureSide, Threshold } from "../../../runner/result/result.ts";
import { twoGroupsOf } from "../../../runner/stats/comparison/two_groups.ts";
import { type Amount, amountOf, ratioOfAmounts, whyNoInterval, widened } from "../claims/amount.ts";
import { chosenBy, type ClaimContext, type ClaimMember, pairsOf } from "../claims/context.ts";
import type { ClaimAbsence } from "../claims/finding.ts";
import { absenceText, doubtText, factorText } from "../claims/sentences.ts";
import { formatRatio } from "../../writing/ratios.ts";
import {
  distanceTo,
  fact,
  gateGroupsText,
  holds,
  runsText,
  sideOf,
  tested,
  type ThresholdEvidence,
  undecided,
} from "./evidence.ts";
import { steadily } from "./limit.ts";
import { figureRangeText } from "../../writing/figure_text.ts";
import type { JudgedCell, Range } from "../../figures/range.ts";

/** A place of the results, with what is known of it. */
export interface PlacedEvidence {
  readonly scenario: string;
  readonly label: string;
  readonly evidence: ThresholdEvidence;
}

/**
 * The cells that a threshold names, each held against it.
 * @param judge Of a cell that was measured.
 */
export function namedEvidence(
  selector: FigureSide["selector"],
  ground: ClaimContext,
  judge: (cell: JudgedCell) => ThresholdEvidence,
): PlacedEvidence[] {
  const chosen = chosenBy(selector, ground);
  if ("none" in chosen) return [nowhere(chosen.none)];
  return chosen.members.map((member) => ({
    ...placeOf(member),
    evidence: member.cell === null
      ? fact("fail", `it was not measured: ${member.missingReason}`)
      : judge(member.cell),
  }));
}

function placeOf({ scenario, label }: ClaimMember): Pick<PlacedEvidence, "scenario" | "label"> {
  return { scenario, label: label.slice(`${scenario}, `.length) };
}

/** A gate that looked at nothing must not open. */
function nowhere(absence: ClaimAbsence): PlacedEvidence {
  return { scenario: "", label: "", evidence: fact("fail", absenceText(absence)) };
}

export type CellsThreshold = Threshold & { readonly against: "cells" };

/** One for each pair of cells. */
export function pairEvidence(threshold: CellsThreshold, ground: ClaimContext): PlacedEvidence[] {
  const [of, to] = [threshold.selector, threshold.to.selector]
    .map((selector) => chosenBy(selector, ground));
  if ("none" in of) return [nowhere(of.none)];
  if ("none" in to) return [nowhere(to.none)];
  const isItself = threshold.figure === threshold.to.figure;
  const pairs = pairsOf(of, to).filter(({ left, right }) => !isItself || left !== right);
  if (pairs.length === 0) {
    const [left, right] = [threshold.selector.text, threshold.to.selector.text];
    return [nowhere({ code: "no-pair", evidence: { left, right } })];
  }
  return pairs.map(({ left, right }) => ({
    ...placeOf(left),
    evidence: evidenceOf(threshold, left, right),
  }));
}

function evidenceOf(
  threshold: CellsThreshold,
  left: ClaimMember,
  right: ClaimMember,
): ThresholdEvidence {
  const of = amountOf(threshold.figure, left);
  const to = amountOf(threshold.to.figure, right);
  if ("none" in of) return fact("fail", absenceText(of.none));
  if ("none" in to) return fact("fail", absenceText(to.none));
  const values = `${amountText(of, threshold)}, ${amountText(to, threshold)} in ${right.label}`;
  const groups = [of, to].map(({ range }) => twoGroupsOf(range.byRun)).find((two) => two !== null);
  if (groups) return undecided(values, gateGroupsText(groups, threshold.unit));
  const ratio = ratioOfAmounts(of, to);
  if (ratio === null) return undecided(values, "both are 0, which have no ratio");
  const evidence = byRatio(threshold, { of, to, ratio, values });
  return steadily(steadily(evidence, threshold.figure, of.cell), threshold.to.figure, to.cell);
}

function amountText({ figure, range: { value } }: Amount, { unit }: CellsThreshold): string {
  return `${figure} is ${figureRangeText({ value, interval: null }, unit)}`;
}

interface HeldPair {
  readonly of: Amount;
  readonly to: Amount;
  readonly ratio: Range;
  readonly values: string;
}

function byRatio(
  { relation, factor }: CellsThreshold,
  { of, to, ratio: { value, interval }, values }: HeldPair,
): ThresholdEvidence {
  const amounts = [of, to];
  if (interval === null) return undecided(values, doubtText(whyNoInterval(amounts)));
  const found = `${values}: ${formatRatio(value, interval)}, allowed ${relation} ${
    factorText(factor)
  }`;
  const isRight = (ratio: number): boolean => holds(ratio, relation, factor);
  const outcome = sideOf(interval, isRight);
  const wide = widened(interval, amounts);
  const open = amounts.find((amount) => amount.open !== null)?.open;
  if (open && wide !== null && sideOf(wide, isRight) !== outcome) {
    return undecided(found, doubtText(open.why));
  }
  const runs = Math.min(...amounts.map(({ cell }) => cell.runs.length));
  const { p, runsNeeded } = distanceTo(factor, { value, interval, runs, level: of.cell.level });
  return tested(found, { outcome, p, remedy: runsText(runsNeeded, "a side") });
}
