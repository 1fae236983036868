/**
 * Claims of two sides. Of two figures their ratio is held against what is claimed of it, with its interval
 * over the runs; a figure against a quantity by its own interval.
 */
import type { ClaimSide, Compare, FigureSide, Within } from "../../../runner/result/result.ts";
import { type Amount, amountOf, foundFigure, ratioOfAmounts, whyNoInterval } from "./amount.ts";
import { chosenBy, type ClaimContext, type ClaimMember, pairsOf } from "./context.ts";
import {
  absentFinding,
  type Allowed,
  allowedAround,
  allowedBy,
  type ClaimEvidence,
  type ClaimFinding,
  inverted,
  peakZeroFinding,
  scaled,
} from "./finding.ts";
import { decided } from "./ratios.ts";
import { type Constant, constantAbsent, constantOf, constantsFinding } from "./constants.ts";
import { quotientOf } from "../../figures/range.ts";

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
  if ("none" in of || "none" in to) return [absentFinding(...none)];
  // Whether a cell is faster than itself is no question.
  const pairs = pairsOf(of, to)
    .filter((pair) => pair.left !== pair.right || left.figure !== right.figure);
  if (pairs.length === 0) {
    return [
      absentFinding({
        code: "no-pair",
        evidence: { left: left.selector.text, right: right.selector.text },
      }),
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
  if ("none" in of || "none" in to) {
    return absentFinding(...[of, to].flatMap((one) => "none" in one ? [one.none] : []));
  }
  const ratio = ratioOfAmounts(of, to);
  const pair = { of: foundFigure(of), to: foundFigure(to), unit: sides.left.unit };
  if (ratio === null) return bothZero([of, to], pair, allowed);
  return {
    code: "ratio",
    evidence: { ...pair, ratio, allowed },
    ...decided({ range: ratio, allowed, of, to }),
  };
}

/** 0 is at most 0 however often it is taken, and never more. */
function bothZero(
  amounts: readonly Amount[],
  evidence: ClaimEvidence["both-zero"],
  { isClosed }: Allowed,
): ClaimFinding {
  const isKnown = amounts.every(({ range, open }) => range.interval !== null && open === null);
  return {
    code: "both-zero",
    evidence,
    outcome: isKnown ? isClosed ? "reproduced" : "not reproduced" : "inconclusive",
    doubt: isKnown ? null : whyNoInterval(amounts),
    margin: 0,
  };
}

function figureFindings(
  side: FigureSide,
  constant: ClaimSide,
  { allowed, ground }: Judge,
): ClaimFinding[] {
  const chosen = chosenBy(side.selector, ground);
  if ("none" in chosen) return [absentFinding(chosen.none)];
  const to = constantOf(constant, ground);
  if (to === null) return [constantAbsent(constant)];
  return chosen.members.map((member) => {
    const of = amountOf(side.figure, member);
    if ("none" in of) return absentFinding(of.none);
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
  const { value, text } = constant;
  const { interval } = of.range;
  return {
    code: "limit",
    evidence: { of: foundFigure(of), interval, unit, limit: { value, text }, allowed },
    ...decided({ range: of.range, allowed, of, to: null }),
  };
}

function peakFinding(of: Amount, to: Constant, allowed: Allowed): ClaimFinding {
  const pair = { of: foundFigure(of), peak: { name: to.name, value: to.range.value } };
  const ratio = quotientOf(of.range, to.range);
  if (ratio === null) return peakZeroFinding(pair);
  return {
    code: "peak-ratio",
    evidence: { ...pair, ratio, allowed },
    ...decided({ range: ratio, allowed, of, to }),
  };
}
