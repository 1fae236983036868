/**
 * Claims of two ratios: whether one figure changes by more than another. All four figures are drawn by the same
 * repetitions: what moves several of them alike cancels.
 */
import type { FigureSide, Ratios } from "../../../runner/result/result.ts";
import { contrastOf } from "../../../runner/stats/confidence/confidence_interval.ts";
import type { Range } from "../runs/figure_range.ts";
import {
  absentFinding,
  type Allowed,
  allowedBy,
  type ClaimDecision,
  type ClaimFinding,
  claimOutcome,
  doubt,
  marginOf,
} from "./finding.ts";
import { type Amount, amountOf, foundFigure, whyNoInterval, widened } from "./amount.ts";
import { chosenBy, type ClaimContext, type ClaimMember, pairsOf } from "./context.ts";
import { type Constant, whyOpen } from "./constants.ts";

/** One for each four cells that go together; at least one. */
export function ratiosFindings(says: Ratios, ground: ClaimContext): ClaimFinding[] {
  const { left, right } = says;
  const sides = [left.of, left.to, right.of, right.to];
  const chosen = sides.map(({ selector }) => chosenBy(selector, ground));
  const none = chosen.flatMap((one) => "none" in one ? [one.none] : []);
  if (none.length > 0) return [absentFinding(...none)];
  const [of, to, otherOf, otherTo] = chosen.flatMap((one) => "none" in one ? [] : [one]);
  const above = pairsOf(of, otherOf);
  const below = pairsOf(to, otherTo);
  const others = pairsOf(otherOf, otherTo);
  const fours = pairsOf(of, to).flatMap((one) =>
    others.filter((other) =>
      above.some((pair) => pair.left === one.left && pair.right === other.left) &&
      below.some((pair) => pair.left === one.right && pair.right === other.right)
    ).map((other) => [one.left, one.right, other.left, other.right])
  );
  if (fours.length === 0) return [absentFinding({ code: "no-four", evidence: {} })];
  return fours.map((members) => findingOf(says, sides, members));
}

function findingOf(
  { left, relation, right }: Ratios,
  sides: readonly FigureSide[],
  members: readonly ClaimMember[],
): ClaimFinding {
  const found = sides.map(({ figure }, i) => amountOf(figure, members[i]));
  const none = found.flatMap((one) => "none" in one ? [one.none] : []);
  if (none.length > 0) return absentFinding(...none);
  const amounts = found.flatMap((one) => "none" in one ? [] : [one]);
  const ratio = ratioOfRatios(amounts);
  if (ratio === null) return absentFinding({ code: "figure-zero", evidence: {} });
  const limit = right.of.factor / right.to.factor / (left.of.factor / left.to.factor);
  const allowed = allowedBy(relation, limit);
  const open = amounts.find((amount) => amount.open !== null)?.open;
  const outcome = open ? "inconclusive" : claimOutcome(ratio.interval, allowed);
  const why = ratio.interval === null
    ? whyNoInterval(amounts)
    : open?.why ?? doubt("across-limit", {}, ["more-runs"]);
  const [of, to, otherOf, otherTo] = amounts.map(foundFigure);
  return {
    code: "ratios",
    evidence: { figures: [of, to, otherOf, otherTo], ratio, allowed },
    outcome,
    doubt: outcome === "inconclusive" ? why : null,
    margin: marginOf(ratio.value, allowed),
  };
}

/** By how a figure is in the ratio of ratios. */
const POWERS = [1, -1, -1, 1];

/** Null where a figure is 0. */
function ratioOfRatios(amounts: readonly Amount[]): Range | null {
  if (amounts.some(({ range }) => range.value <= 0)) return null;
  const value = amounts.reduce(
    (product, { range }, i) => product * range.value ** POWERS[i],
    1,
  );
  const terms = amounts.flatMap(({ drawn }, i) =>
    drawn === null ? [] : [{ estimate: drawn, power: POWERS[i] }]
  );
  if (terms.length < amounts.length) return { value, interval: null };
  const interval = contrastOf(terms, { confidence: amounts[0].cell.level });
  return { value: interval?.value ?? value, interval };
}

// A figure or a ratio held against what a claim allows.

export interface JudgedAmount {
  readonly range: Range;
  readonly allowed: Allowed;
  readonly of: Amount;
  /** What it is divided by; null: nothing. */
  readonly to: Amount | Constant | null;
}

/** The outcome, and where there is none, why. */
export function decided({ range, allowed, of, to }: JudgedAmount): ClaimDecision {
  const constant = to === null || "cell" in to ? null : to;
  const amounts = to === null || !("cell" in to) ? [of] : [of, to];
  const outcome = claimOutcome(widened(range.interval, amounts), allowed);
  const margin = marginOf(range.value, allowed);
  if (outcome !== "inconclusive") return { outcome, doubt: null, margin };
  const open = amounts.find((amount) => amount.open !== null)?.open;
  const isOpen = open && claimOutcome(range.interval, allowed) !== "inconclusive";
  const why = amounts.some((amount) => amount.range.interval === null)
    ? whyNoInterval(amounts)
    : isOpen
    ? open.why
    : (constant && whyOpen(constant)) ??
      doubt("across-limit", {}, ["more-runs"]);
  return { outcome, doubt: why, margin };
}
