/**
 * Claims of two ratios: whether one figure changes by more than another. All four figures are drawn by the same
 * repetitions: what moves several of them alike cancels.
 */
import type {
  Correlation,
  FigureSide,
  Ratios,
  WarmupClaim,
} from "../../../runner/result/result.ts";
import { contrastOf } from "../../../runner/stats/confidence/confidence_interval.ts";
import {
  absentFinding,
  type Allowed,
  allowedBy,
  type ClaimDecision,
  type ClaimDoubt,
  type ClaimEvidence,
  type ClaimFinding,
  claimOutcome,
  doubt,
  marginOf,
} from "./finding.ts";
import { type Amount, amountOf, foundFigure, whyNoInterval, widened } from "./amount.ts";
import { chosenBy, type ClaimContext, type ClaimMember, pairsOf } from "./context.ts";
import { type Constant, whyOpen } from "./constants.ts";
import {
  LEAST_CORRELATED,
  spearmanInterval,
  spearmanRho,
} from "../../../runner/stats/regression/correlation.ts";
import { shareInterval } from "../../../runner/stats/confidence/proportion_interval.ts";
import type { Range } from "../../figures/range.ts";
import type { FigureName } from "../../../base/figures/figure.ts";

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

// Claims that hold no two figures against each other: a rank correlation over cells, and a label of runs over
// time.

/** One over all cells that were measured, and one for each that was not. */
export function correlationFindings(says: Correlation, ground: ClaimContext): ClaimFinding[] {
  const chosen = chosenBy(says.selector, ground);
  if ("none" in chosen) return [absentFinding(chosen.none)];
  const measured = chosen.members.filter(({ cell }) => cell !== null);
  const missing = chosen.members.filter(({ cell }) => cell === null);
  return [
    ...measured.length === 0 ? [] : [correlationFinding(says, measured)],
    ...missing.map(unmeasuredFinding),
  ];
}

function unmeasuredFinding({ label: cell, missingReason: reason }: ClaimMember): ClaimFinding {
  return absentFinding({ code: "cell-not-measured", evidence: { cell, reason } });
}

function correlationFinding(says: Correlation, members: readonly ClaimMember[]): ClaimFinding {
  const both = members.flatMap((member) => {
    const [first, second] = says.figures.map((figure) => valueOf(figure, member));
    return first === null || second === null ? [] : [[first, second]];
  });
  const cells = both.length;
  const without = members.length - cells;
  const rho = spearmanRho(both.map(([first]) => first), both.map(([, second]) => second));
  const { figures, relation, limit } = says;
  if (Number.isNaN(rho)) {
    return absentFinding({ code: "no-order", evidence: { figures, cells, without } });
  }
  const interval = spearmanInterval(rho, cells);
  return judged({ figures, relation, limit, rho, cells, without, interval });
}

function valueOf(figure: FigureName, member: ClaimMember): number | null {
  const amount = amountOf(figure, member);
  return "none" in amount ? null : amount.range.value;
}

function judged(evidence: ClaimEvidence["correlation"]): ClaimFinding {
  const { rho, relation, limit, interval } = evidence;
  const outcome = claimOutcome(interval, allowedBy(relation, limit));
  return {
    code: "correlation",
    evidence,
    outcome,
    doubt: outcome === "inconclusive" ? doubtOf(interval) : null,
    margin: relation.startsWith(">") ? rho - limit : limit - rho,
  };
}

function doubtOf(interval: ClaimEvidence["correlation"]["interval"]): ClaimDoubt {
  return interval === null
    ? doubt("few-cells", { least: LEAST_CORRELATED })
    : doubt("across-limit-of-cells", {}, ["more-cells"]);
}

// Claims about what runs do over time: most runs of every cell must have the label, surely, by the interval
// of their share.

/** One for each cell; at least one. */
export function warmupFindings(
  { selector, label }: WarmupClaim,
  ground: ClaimContext,
): ClaimFinding[] {
  const chosen = chosenBy(selector, ground);
  if ("none" in chosen) return [absentFinding(chosen.none)];
  return chosen.members.map((member) => warmupFinding(member, label));
}

const MOST = allowedBy(">", 0.5);

function warmupFinding(member: ClaimMember, label: WarmupClaim["label"]): ClaimFinding {
  const { cell, label: name } = member;
  if (cell === null) return unmeasuredFinding(member);
  const labels = cell.runs.flatMap(({ warmup }) => warmup?.label ?? []);
  if (labels.length === 0) return absentFinding({ code: "load-changes", evidence: { cell: name } });
  const labelled = labels.filter((one) => one !== "too-short");
  if (labelled.length === 0) {
    return absentFinding({ code: "runs-too-short", evidence: { cell: name } });
  }
  const count = labelled.filter((one) => one === label).length;
  const share = count / labelled.length;
  // One run says nothing about the next.
  const interval = labelled.length === 1 ? null : shareInterval(count, labelled.length);
  const outcome = claimOutcome(interval, MOST);
  const why = interval === null ? doubt("one-run", {}) : doubt("few-runs", {});
  return {
    code: "warmup",
    evidence: { cell: name, label, count, of: labelled.length, share: { value: share, interval } },
    outcome,
    doubt: outcome === "inconclusive" ? why : null,
    margin: share - 0.5,
  };
}
