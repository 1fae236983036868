/**
 * Claims of two sides. Of two figures their ratio is held against what is claimed of it, with its interval
 * over the runs; a figure against a quantity by its own interval.
 */
import type { ClaimSide, Compare, FigureSide, Within } from "../../../runner/result/result.ts";
import { formatRatio } from "../comparison/words.ts";
import { formatNumber } from "../numbers/units.ts";
import { figureRangeText, meanRange, quotientOf, type Range } from "../runs/figure_range.ts";
import { type Amount, amountOf, ratioOfAmounts, whyNoInterval } from "./amount.ts";
import { chosenBy, type ClaimContext, type ClaimMember, pairsOf } from "./context.ts";
import {
  type Allowed,
  allowedAround,
  allowedBy,
  allowedText,
  type ClaimFinding,
  claimOutcome,
  inverted,
  marginOf,
  scaled,
  timesText,
  undecidedClaim,
} from "./finding.ts";
import { claimRatioText, decided } from "./ratios.ts";

/** One for each cell, or for each pair of cells; at least one. */
export function comparedFindings(says: Compare | Within, ground: ClaimContext): ClaimFinding[] {
  const { left, right } = says;
  const allowed = allowedRatio(says);
  if (left.kind === "figure" && right.kind === "figure") {
    return figuresFindings(left, right, { allowed, ground });
  }
  if (left.kind === "figure") return figureFindings(left, right, { allowed, ground });
  if (right.kind === "figure") {
    return figureFindings(right, left, { allowed: inverted(allowed), ground });
  }
  return [constantsFinding(left, right, { allowed, ground })];
}

interface Judge {
  readonly allowed: Allowed;
  readonly ground: ClaimContext;
}

/** Of left over right, without their factors. */
function allowedRatio(says: Compare | Within): Allowed {
  const limit = factorOf(says.right) / factorOf(says.left);
  return says.kind === "compare"
    ? allowedBy(says.relation, limit)
    : allowedAround(limit, says.toleranceRatio);
}

function factorOf(side: ClaimSide): number {
  return side.kind === "quantity" ? 1 : side.factor;
}

function figuresFindings(left: FigureSide, right: FigureSide, judge: Judge): ClaimFinding[] {
  const { allowed, ground } = judge;
  const [of, to] = [chosenBy(left.selector, ground), chosenBy(right.selector, ground)];
  const none = [of, to].flatMap((chosen) => "none" in chosen ? [chosen.none] : []);
  if ("none" in of || "none" in to) return [undecidedClaim([...new Set(none)].join("; "))];
  // Whether a cell is faster than itself is no question.
  const pairs = pairsOf(of, to)
    .filter((pair) => pair.left !== pair.right || left.figure !== right.figure);
  if (pairs.length === 0) {
    return [
      undecidedClaim(`no cell of ${left.selector.text} has its like in ${right.selector.text}`),
    ];
  }
  return pairs.map((pair) => ratioFinding({ left, right }, pair, allowed));
}

function ratioFinding(
  sides: { left: FigureSide; right: FigureSide },
  members: { left: ClaimMember; right: ClaimMember },
  allowed: Allowed,
): ClaimFinding {
  const of = amountOf(sides.left.figure, members.left);
  const to = amountOf(sides.right.figure, members.right);
  if ("none" in of) return undecidedClaim(of.none);
  if ("none" in to) return undecidedClaim(to.none);
  const ratio = ratioOfAmounts(of, to);
  const second = of.name === to.name ? "" : `${to.name} `;
  const { unit } = sides.left;
  const values = `${of.name} is ${valueText(of.range, unit)} (${of.member.label}) against ` +
    `${second}${valueText(to.range, unit)} (${to.member.label})`;
  if (ratio === null) return bothZero([of, to], values, allowed);
  return ofRatio({ ratio, allowed, values, of, to });
}

/** 0 is at most 0 however often it is taken, and never more. */
function bothZero(amounts: readonly Amount[], values: string, { isClosed }: Allowed): ClaimFinding {
  const isKnown = amounts.every(({ range, open }) => range.interval !== null && open === null);
  return {
    outcome: isKnown ? isClosed ? "reproduced" : "not reproduced" : "inconclusive",
    found: "",
    sentence: isKnown ? values : `${values}; ${whyNoInterval(amounts)}`,
    margin: 0,
  };
}

interface Ratio {
  readonly ratio: Range;
  readonly allowed: Allowed;
  readonly values: string;
  readonly of: Amount;
  readonly to: Amount | Constant;
}

function ofRatio({ ratio, allowed, values, of, to }: Ratio): ClaimFinding {
  const found = claimRatioText(ratio);
  const sentence = `${values}: ${found}, claimed ${allowedText(allowed, timesText)}`;
  return decided({ range: ratio, allowed, of, to, found, sentence });
}

function valueText({ value }: Range, unit: FigureSide["unit"]): string {
  return figureRangeText({ value, interval: null }, unit);
}

function figureFindings(
  side: FigureSide,
  constant: ClaimSide,
  { allowed, ground }: Judge,
): ClaimFinding[] {
  const chosen = chosenBy(side.selector, ground);
  if ("none" in chosen) return [undecidedClaim(chosen.none)];
  const to = constantOf(constant, ground);
  if (to === null) return [undecidedClaim(`${sideName(constant)} was not measured`)];
  return chosen.members.map((member) => {
    const of = amountOf(side.figure, member);
    if ("none" in of) return undecidedClaim(of.none);
    return constant.kind === "quantity"
      ? limitFinding(of, { side, constant, allowed: scaled(allowed, constant.value) })
      : peakFinding(of, to, allowed);
  });
}

function limitFinding(
  of: Amount,
  { side: { unit }, constant, allowed }: {
    side: FigureSide;
    constant: Extract<ClaimSide, { kind: "quantity" }>;
    allowed: Allowed;
  },
): ClaimFinding {
  const { name, range } = of;
  const found = figureRangeText(range, unit);
  const limitText = (limit: number): string =>
    limit === constant.value ? constant.text : valueText({ value: limit, interval: null }, unit);
  const sentence = `${name} is ${found} (${of.member.label}), claimed ${
    allowedText(allowed, limitText)
  }`;
  return decided({ range, allowed, of, to: null, found, sentence });
}

function peakFinding(of: Amount, to: Constant, allowed: Allowed): ClaimFinding {
  const { range, name, member } = of;
  const values = `${name} is ${valueText(range, "perSec")} (${member.label}) against ` +
    `${valueText(to.range, "perSec")} (${to.name})`;
  const ratio = quotientOf(range, to.range);
  return ratio === null ? undecidedClaim(values) : ofRatio({ ratio, allowed, values, of, to });
}

/** Sides of claims that are no figure of a cell: quantities, and what cannot be exceeded here. */

export interface Constant {
  /** `ceiling(redis)`, or the quantity as it was written. */
  readonly name: string;
  /** In the unit of the figure. */
  readonly range: Range;
}

/** Null: it was not measured. */
export function constantOf(side: ClaimSide, { ceilings }: ClaimContext): Constant | null {
  const name = sideName(side);
  if (side.kind === "quantity") return { name, range: exactly(side.value) };
  const ceiling = side.kind === "ceiling" ? ceilings?.[side.of] ?? null : null;
  if (side.kind !== "ceiling" || ceiling === null) return null;
  const { perSec: value, rounds = [] } = ceiling;
  if (rounds.length > 1) {
    return { name, range: { value, interval: meanRange(rounds, LEVEL).interval } };
  }
  // The best of many slices, as a busy moment makes a generator slower but never faster.
  const interval = side.of === "generator" ? { low: value, high: Infinity } : null;
  return { name, range: { value, interval } };
}

const LEVEL = 0.95;

function exactly(value: number): Range {
  return { value, interval: { low: value, high: value } };
}

/** Why a claim of it, which is inconclusive, is not for the runs to decide; null: it is. */
export function whyOpen({ name, range: { interval } }: Constant): string | null {
  if (interval === null) return `${name} was measured once: no interval`;
  return interval.high === Infinity
    ? `${name} is known to be at least that, and may be more`
    : null;
}

/** Two peaks of throughput, or one and a quantity. */
export function constantsFinding(
  left: ClaimSide,
  right: ClaimSide,
  { allowed, ground }: { allowed: Allowed; ground: ClaimContext },
): ClaimFinding {
  const [of, to] = [constantOf(left, ground), constantOf(right, ground)];
  const ratio = of && to && quotientOf(of.range, to.range);
  if (of === null || to === null || ratio === null) {
    return undecidedClaim(`${sideName(of === null ? left : right)} was not measured`);
  }
  const found = formatRatio(ratio.value, ratio.interval);
  const values = [left, right].map((side) => saidOf(side, side === left ? of : to)).join(", ");
  const said = `${values}: ${found}, claimed ${allowedText(allowed, timesText)}`;
  const outcome = claimOutcome(ratio.interval, allowed);
  const margin = marginOf(ratio.value, allowed);
  if (outcome !== "inconclusive") return { outcome, found, sentence: said, margin };
  const why = whyOpen(of) ?? whyOpen(to) ?? "the interval lies across the limit";
  return { outcome, found, sentence: `${said}; ${why}`, margin };
}

function saidOf({ kind }: ClaimSide, { name, range }: Constant): string {
  return kind === "quantity" ? name : `${name} is ${formatNumber(range.value)}/s`;
}

export function sideName(side: ClaimSide): string {
  if (side.kind === "quantity") return side.text;
  return side.kind === "ceiling" ? `ceiling(${side.of})` : side.figure;
}
