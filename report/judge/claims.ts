/**
 * Claims × results → reproduced, not reproduced or inconclusive. A claim is judged in every cell that its selectors
 * mean, and the worst cell decides: what is said of all must hold for all. By intervals over the runs, as everywhere:
 * one run each decides nothing. A claim of speed rests on runs that nothing disturbed; one that contention cannot move
 * is decided on a busy machine, too.
 */
import type { FigureName, FigureUnit } from "../../base/figures/figure.ts";
import type {
  Claim,
  ClaimSide,
  Compare,
  Correlation,
  FigureSide,
  Ratios,
  WarmupClaim,
  Within,
} from "../../runner/result/result.ts";
import { contrastOf } from "../../runner/stats/confidence/confidence_interval.ts";
import { shareInterval } from "../../runner/stats/confidence/proportion_interval.ts";
import {
  LEAST_CORRELATED,
  spearmanInterval,
  spearmanRho,
} from "../../runner/stats/regression/correlation.ts";
import type { Grouped, ScenarioRuns } from "../cells/cells.ts";
import { FIGURES } from "../figures/figures.ts";
import { meanRange, quotientOf, type Range } from "../figures/range.ts";
import { isBusyAtMost, isUndisturbed } from "./disturbed.ts";
import {
  chosenBy,
  type Claimed,
  figurePairs,
  type Ground,
  groundBy,
  groundOf,
  type Member,
  pairsOf,
  type RunFilter,
} from "./ground.ts";
import {
  type Absence,
  type Allowed,
  allowedAround,
  allowedBy,
  type Amount,
  amountOf,
  check,
  exactly,
  inverted,
  isBelow,
  marginOf,
  type Open,
  type Outcome,
  peakOpens,
  ratioOfAmounts,
  type Reason,
  scaled,
  sideOf,
  turned,
  whyNoInterval,
} from "./rules.ts";

export const CLAIM_OUTCOMES = ["not reproduced", "inconclusive", "reproduced"] as const;
export type ClaimOutcome = typeof CLAIM_OUTCOMES[number];

const OUTCOMES: Readonly<Record<Outcome, ClaimOutcome>> = {
  held: "reproduced",
  broken: "not reproduced",
  inconclusive: "inconclusive",
};

/** A side of a claim: a figure of a cell, a peak of throughput, or a quantity. */
export interface FoundSide {
  /** The figure, or `max of a run`; "" for a peak or a quantity. */
  readonly name: string;
  /** `static, hono`; `ceiling(redis)`; a quantity as it was written. */
  readonly place: string;
  /** Null for a quantity. */
  readonly value: number | null;
  readonly unit: FigureUnit;
}

/** What was found in one cell, one pair or one four of cells; `findings/claim_sentences.ts` has the words. */
export type ClaimFound =
  /** Nothing, for each of these reasons; two sides may have the same. */
  | { readonly code: "absent"; readonly absences: readonly Absence[] }
  /** Null: both are 0. */
  | {
    readonly code: "ratio";
    readonly of: FoundSide;
    readonly to: FoundSide;
    readonly ratio: Range | null;
    readonly allowed: Allowed;
  }
  | {
    readonly code: "limit";
    readonly of: FoundSide;
    readonly interval: Range["interval"];
    /** As it was written, with its value in the unit. */
    readonly limit: { readonly value: number; readonly text: string };
    readonly allowed: Allowed;
  }
  /** The first figure over the second against the third over the fourth. */
  | {
    readonly code: "ratios";
    readonly figures: readonly FoundSide[];
    readonly ratio: Range;
    readonly allowed: Allowed;
  }
  | Pick<Correlation, "figures" | "relation" | "limit"> & {
    readonly code: "correlation";
    /** Spearman's, from -1 to 1. */
    readonly rho: Range;
    /** Cells with both figures, and how many lack one. */
    readonly cells: number;
    readonly without: number;
  }
  /** `count` of `of` runs have the label; `share` is theirs, from 0 to 1. */
  | {
    readonly code: "warmup";
    readonly cell: string;
    readonly label: WarmupClaim["label"];
    readonly count: number;
    readonly of: number;
    readonly share: Range;
  };

export interface ClaimFinding {
  readonly found: ClaimFound;
  readonly outcome: Outcome;
  /** Why figures decide nothing; null where they do, and where there are none. */
  readonly reason: Reason | null;
  /** How far inside of what is claimed; below 0 outside. Only its order counts. */
  readonly margin: number;
}

/** By the cells that were measured, and whether all were. */
export interface ClaimVerdict {
  /** Inconclusive where a cell was not measured, whatever the others say. */
  readonly outcome: ClaimOutcome;
  /** That of the cells that were measured. */
  readonly measured: ClaimOutcome;
  /** Of these the one that decides; null where none was. */
  readonly worst: ClaimFinding | null;
  /** How many of them hold, and how many there are. */
  readonly holding: number;
  readonly of: number;
  readonly unmeasured: readonly Absence[];
}

/** What else leaves a claim open that its figures decide. */
export type ClaimDoubt =
  | Extract<Reason, { readonly code: "busy-machine" }>
  /** It was published of what is not so here: so many cores, or another claim. */
  | { readonly code: "fewer-cores"; readonly least: number; readonly cores: number }
  | { readonly code: "given"; readonly text: string; readonly met: ClaimVerdict };

export interface JudgedClaim {
  readonly claim: Claim;
  readonly outcome: ClaimOutcome;
  readonly verdict: ClaimVerdict;
  /** Null: nothing. */
  readonly doubt: ClaimDoubt | null;
  /** False: inconclusive here whatever its runs show, as what it was published of is not so here. */
  readonly isDecidable: boolean;
}

const UNDECIDED = { outcome: "inconclusive", reason: null, margin: -Infinity } as const;

function absent(...absences: readonly Absence[]): ClaimFinding {
  return { ...UNDECIDED, found: { code: "absent", absences } };
}

/** @param scenarios Those of the results. */
export function judgeClaims(
  scenarios: readonly ScenarioRuns[],
  results: Claimed & Grouped,
): JudgedClaim[] {
  const claims = results.experiment?.claims ?? [];
  if (claims.length === 0) return [];
  const ground = groundOf(scenarios, results);
  const byFilter = new Map<RunFilter, Ground | null>();
  return claims.map((claim) => {
    const counts = countsFor(claim);
    if (!byFilter.has(counts)) byFilter.set(counts, groundBy(counts, ground, results));
    return judgeClaim(claim, ground, byFilter.get(counts) ?? null);
  });
}

const isValid: RunFilter = ({ generator: { trust } }) => trust === "valid";

/**
 * Which runs decide a claim. Of speed, those that nothing disturbed; one without a steady state is among them, as a
 * claim is of whole runs and the interval says how far they differ. It has no label, though, that a claim of labels
 * could rest on: it may have ended too soon for one.
 */
function countsFor({ says }: Claim): RunFilter {
  if (says.kind === "warmup") return isValid;
  const isOfSpeed = figuresIn(says).map((figure) => FIGURES[figure].contention)
    .some((contention) => contention === "slows" || contention === "moves");
  return isOfSpeed ? isUndisturbed : isBusyAtMost;
}

function figuresIn(says: Claim["says"]): readonly FigureName[] {
  return says.kind === "correlation" ? says.figures : sidesIn(says).map(({ figure }) => figure);
}

function sidesIn(says: Claim["says"]): FigureSide[] {
  switch (says.kind) {
    case "compare":
    case "within":
      return [says.left, says.right].flatMap((side) => side.kind === "figure" ? [side] : []);
    case "ratios":
      return [says.left.of, says.left.to, says.right.of, says.right.to];
    case "warmup":
    case "correlation":
      return [];
  }
}

/** @param again The same cells by the runs that count; null where all do. */
function judgeClaim(claim: Claim, ground: Ground, again: Ground | null): JudgedClaim {
  const verdict = verdictOf(claim.says, ground);
  const given = givenDoubt(claim, verdict, ground);
  const doubt = (again && runsDoubt(claim, verdict, { ground, again })) ?? given;
  const outcome = doubt === null ? verdict.outcome : "inconclusive";
  return { claim, outcome, verdict, doubt, isDecidable: given === null };
}

/** Of a claim that is not reproduced where what it was published of is not so; null where it is. */
function givenDoubt(
  { given }: Claim,
  { outcome }: ClaimVerdict,
  { cores, ...ground }: Ground,
): ClaimDoubt | null {
  if (given === undefined || outcome !== "not reproduced") return null;
  if (given.cores !== undefined) {
    return cores < given.cores ? { code: "fewer-cores", least: given.cores, cores } : null;
  }
  const met = given.says && verdictOf(given.says, { cores, ...ground });
  return !met || met.outcome === "reproduced" ? null : { code: "given", text: given.text, met };
}

/** Null where the outcome is open anyway, or the same without the runs that do not count. */
function runsDoubt(
  claim: Claim,
  { outcome }: ClaimVerdict,
  { ground, again }: { readonly ground: Ground; readonly again: Ground },
): ClaimDoubt | null {
  if (outcome === "inconclusive") return null;
  const { says } = claim;
  const selectors = "selector" in says ? [says.selector] : sidesIn(says).map((one) => one.selector);
  const members = selectors.flatMap((selector) => {
    const chosen = chosenBy(selector, ground);
    return "none" in chosen ? [] : chosen.members;
  });
  const runs = [...new Set(members)].flatMap(({ cell }) => cell?.runs ?? []);
  const invalid = runs.filter((run) => !countsFor(claim)(run)).length;
  const without = invalid === 0 ? outcome : verdictOf(says, again).outcome;
  return without === outcome
    ? null
    : { code: "busy-machine", invalid, runs: runs.length, without: outcomeOf(without) };
}

function outcomeOf(outcome: ClaimOutcome): Outcome {
  return outcome === "inconclusive" ? outcome : outcome === "reproduced" ? "held" : "broken";
}

/** Why nothing was found where nothing was measured. */
const UNMEASURED: readonly Absence["code"][] = [
  "cell-not-measured",
  "nothing-measured",
  "none-selected",
  "peak-not-measured",
];

function verdictOf(says: Claim["says"], ground: Ground): ClaimVerdict {
  const findings = findingsOf(says, ground);
  const missing = ({ found }: ClaimFinding): readonly Absence[] =>
    found.code === "absent" ? found.absences.filter(({ code }) => UNMEASURED.includes(code)) : [];
  const unmeasured = findings.flatMap(missing);
  const measured = findings.filter((finding) => missing(finding).length === 0);
  const worst = measured.toSorted((a, b) => rankOf(a) - rankOf(b) || a.margin - b.margin)[0] ??
    null;
  const outcome = OUTCOMES[worst?.outcome ?? "inconclusive"];
  return {
    outcome: unmeasured.length === 0 ? outcome : "inconclusive",
    measured: outcome,
    worst,
    holding: measured.filter((one) => one.outcome === "held").length,
    of: measured.length,
    unmeasured,
  };
}

function rankOf({ outcome }: ClaimFinding): number {
  return CLAIM_OUTCOMES.indexOf(OUTCOMES[outcome]);
}

/** One for each cell, pair or four of cells; at least one. */
function findingsOf(says: Claim["says"], ground: Ground): ClaimFinding[] {
  switch (says.kind) {
    case "compare":
    case "within":
      return comparedFindings(says, ground);
    case "ratios":
      return ratiosFindings(says, ground);
    case "warmup":
      return memberFindings(says, ground, (member) => warmupFinding(member, says.label));
    case "correlation":
      return correlationFindings(says, ground);
  }
}

function memberFindings(
  { selector }: Pick<FigureSide, "selector">,
  ground: Ground,
  findingOf: (member: Member) => ClaimFinding,
): ClaimFinding[] {
  const chosen = chosenBy(selector, ground);
  return "none" in chosen ? [absent(chosen.none)] : chosen.members.map(findingOf);
}

// Two sides: of two figures their ratio is held against what is claimed of it, a figure against a quantity by itself.

function comparedFindings(says: Compare | Within, ground: Ground): ClaimFinding[] {
  const { left, right } = says;
  // Of left over right, without their factors.
  const limit = factorOf(right) / factorOf(left);
  const allowed = says.kind === "compare"
    ? allowedBy(says.relation, limit)
    : allowedAround(limit, says.toleranceRatio);
  if (left.kind !== "figure") {
    if (right.kind !== "figure") return [constantsFinding(left, right, { allowed, ground })];
    return figureFindings(right, left, { allowed: inverted(allowed), ground });
  }
  if (right.kind !== "figure") return figureFindings(left, right, { allowed, ground });
  const pairs = figurePairs(left, right, ground);
  if ("none" in pairs) return [absent(...pairs.none)];
  return pairs.map((pair) => {
    const of = amountOf(left.figure, pair.left);
    const to = amountOf(right.figure, pair.right);
    if ("none" in of || "none" in to) {
      return absent(...[of, to].flatMap((one) => "none" in one ? [one.none] : []));
    }
    const sides = { of: sideFound(of, left.unit), to: sideFound(to, left.unit) };
    return ratioFinding(sides, ratioOfAmounts(of, to, ground.ratioOf), { allowed, of, to });
  });
}

function factorOf(side: ClaimSide): number {
  return side.kind === "quantity" ? 1 : side.factor;
}

function sideFound({ name, place, range: { value } }: Amount, unit: FigureUnit): FoundSide {
  return { name, place, value, unit };
}

interface Held {
  readonly allowed: Allowed;
  readonly of: Amount | Constant;
  /** Null: nothing. */
  readonly to: Amount | Constant | null;
}

function ratioFinding(
  sides: Record<"of" | "to", FoundSide>,
  ratio: Range | null,
  held: Held,
): ClaimFinding {
  const { allowed } = held;
  const decision = ratio === null ? bothZero(held) : decided(ratio, held);
  return { found: { code: "ratio", ...sides, ratio, allowed }, ...decision };
}

/** 0 is at most 0 however often it is taken, and never more; a peak of 0 says nothing. */
function bothZero({ of, to, allowed }: Held): Omit<ClaimFinding, "found"> {
  const amounts = [of, to].filter(isAmount);
  if (amounts.length < 2) return UNDECIDED;
  if (!amounts.every(({ range, opens }) => range.interval !== null && opens.length === 0)) {
    return { outcome: "inconclusive", reason: whyNoInterval(amounts), margin: 0 };
  }
  return { outcome: allowed.isClosed ? "held" : "broken", reason: null, margin: 0 };
}

function isAmount(side: Held["to"]): side is Amount {
  return side !== null && "cell" in side;
}

/** The outcome, and where there is none, why. */
function decided(
  { value, interval }: Range,
  { allowed, of, to }: Held,
): Omit<ClaimFinding, "found"> {
  const margin = marginOf(value, allowed);
  const amounts = [of, to].filter(isAmount);
  const opens = [...of.opens, ...to === null ? [] : to.opens.map(turned)];
  const checked = interval && check(interval, allowed, opens);
  if (checked !== null && checked.outcome !== "inconclusive") {
    return { outcome: checked.outcome, reason: null, margin };
  }
  const [whyConstant] = [of, to].flatMap((one) =>
    one === null || isAmount(one) ? [] : whyOpen(one) ?? []
  );
  const why = amounts.some(({ range }) => range.interval === null)
    ? whyNoInterval(amounts)
    : checked?.open?.why ?? whyConstant ??
      { code: "across-limit", more: amounts.length > 0 ? "runs" : null };
  return { outcome: "inconclusive", reason: why, margin };
}

function figureFindings(
  side: FigureSide,
  constant: ClaimSide,
  { allowed, ground }: { readonly allowed: Allowed; readonly ground: Ground },
): ClaimFinding[] {
  const to = constantOf(constant, ground);
  return memberFindings(side, ground, (member) => {
    if (to === null) return constantAbsent(constant);
    const of = amountOf(side.figure, member);
    if ("none" in of) return absent(of.none);
    const found = sideFound(of, side.unit);
    if (constant.kind !== "quantity") {
      const sides = { of: found, to: constantFound(constant, to) };
      return ratioFinding(sides, quotientOf(of.range, to.range), { allowed, of, to });
    }
    const { value, text } = constant;
    const held = scaled(allowed, value);
    const { interval } = of.range;
    return {
      found: { code: "limit", of: found, interval, limit: { value, text }, allowed: held },
      ...decided(of.range, { allowed: held, of, to: null }),
    };
  });
}

// Sides that are no figure of a cell: quantities, and peaks of throughput, which cannot be exceeded here.

interface Constant {
  /** `ceiling(redis)`, or the quantity as it was written. */
  readonly name: string;
  /** In the unit of the figure. */
  readonly range: Range;
  readonly opens: readonly Open[];
}

const LEVEL = 0.95;

/** Null: it was not measured. */
function constantOf(side: ClaimSide, { ceilings, trusted }: Ground): Constant | null {
  const name = constantName(side);
  if (side.kind === "quantity") {
    return { name, range: { value: side.value, interval: exactly(side.value) }, opens: [] };
  }
  const ceiling = side.kind === "ceiling" ? ceilings?.[side.of] ?? null : null;
  if (side.kind !== "ceiling" || ceiling === null) return null;
  const { perSec: value, rounds = [] } = ceiling;
  if (rounds.length > 1) {
    const { interval } = meanRange(rounds, LEVEL);
    return { name, range: { value, interval }, opens: peakOpens(name, rounds, trusted) };
  }
  // The best of many slices, as a busy moment makes a generator slower but never faster.
  const interval = side.of === "generator" ? { low: value, high: Infinity } : null;
  return { name, range: { value, interval }, opens: [] };
}

/** Why a claim of it, which is inconclusive, is not for the runs to decide; null: it is. */
function whyOpen({ name, range: { interval } }: Constant): Reason | null {
  if (interval === null) return { code: "measured-once", name };
  return interval.high === Infinity ? { code: "at-least", name } : null;
}

/** Two peaks of throughput, or one and a quantity. */
function constantsFinding(
  left: ClaimSide,
  right: ClaimSide,
  { allowed, ground }: { readonly allowed: Allowed; readonly ground: Ground },
): ClaimFinding {
  const [of, to] = [constantOf(left, ground), constantOf(right, ground)];
  const ratio = of && to && quotientOf(of.range, to.range);
  if (of === null || to === null || ratio === null) {
    return constantAbsent(of === null ? left : right);
  }
  const sides = { of: constantFound(left, of), to: constantFound(right, to) };
  return ratioFinding(sides, ratio, { allowed, of, to });
}

function constantFound({ kind }: ClaimSide, { name: place, range }: Constant): FoundSide {
  return { name: "", place, value: kind === "quantity" ? null : range.value, unit: "perSec" };
}

function constantAbsent(side: ClaimSide): ClaimFinding {
  return absent({ code: "peak-not-measured", name: constantName(side) });
}

function constantName(side: ClaimSide): string {
  if (side.kind === "quantity") return side.text;
  return side.kind === "ceiling" ? `ceiling(${side.of})` : side.figure;
}

// Two ratios: whether one figure changes by more than another. All four figures are drawn by the same repetitions, so
// that what moves several of them alike cancels.

function ratiosFindings(says: Ratios, ground: Ground): ClaimFinding[] {
  const chosen = sidesIn(says).map(({ selector }) => chosenBy(selector, ground));
  const none = chosen.flatMap((one) => "none" in one ? [one.none] : []);
  if (none.length > 0) return [absent(...none)];
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
  if (fours.length === 0) return [absent({ code: "no-four" })];
  return fours.map((members) => ratiosFinding(says, members));
}

function ratiosFinding(says: Ratios, members: readonly Member[]): ClaimFinding {
  const { left, relation, right } = says;
  const sides = sidesIn(says);
  const found = sides.map(({ figure }, i) => amountOf(figure, members[i]));
  const none = found.flatMap((one) => "none" in one ? [one.none] : []);
  if (none.length > 0) return absent(...none);
  const amounts = found.flatMap((one) => "none" in one ? [] : [one]);
  const ratio = ratioOfRatios(amounts);
  if (ratio === null) return absent({ code: "figure-zero" });
  const limit = right.of.factor / right.to.factor / (left.of.factor / left.to.factor);
  const allowed = allowedBy(relation, limit);
  const opens = amounts.flatMap((amount) => amount.opens)
    .map((open): Open => ({ ...open, toward: "either", mostRatio: Infinity }));
  const checked = ratio.interval && check(ratio.interval, allowed, opens);
  const outcome = checked?.outcome ?? "inconclusive";
  const why = ratio.interval === null
    ? whyNoInterval(amounts)
    : opens[0]?.why ?? { code: "across-limit", more: "runs" };
  return {
    found: {
      code: "ratios",
      figures: amounts.map((one, i) => sideFound(one, sides[i].unit)),
      ratio,
      allowed,
    },
    outcome,
    reason: outcome === "inconclusive" ? why : null,
    margin: marginOf(ratio.value, allowed),
  };
}

/** By how a figure is in the ratio of ratios. */
const POWERS = [1, -1, -1, 1];

/** Null where a figure is 0. */
function ratioOfRatios(amounts: readonly Amount[]): Range | null {
  if (amounts.some(({ range }) => range.value <= 0)) return null;
  const value = amounts.reduce((product, { range }, i) => product * range.value ** POWERS[i], 1);
  const terms = amounts.flatMap(({ drawn }, i) =>
    drawn === null ? [] : [{ estimate: drawn, power: POWERS[i] }]
  );
  if (terms.length < amounts.length) return { value, interval: null };
  const interval = contrastOf(terms, { confidence: amounts[0].cell.level });
  return { value: interval?.value ?? value, interval };
}

// A rank correlation over cells.

/** One over all cells that were measured, and one for each that was not. */
function correlationFindings(says: Correlation, ground: Ground): ClaimFinding[] {
  const chosen = chosenBy(says.selector, ground);
  if ("none" in chosen) return [absent(chosen.none)];
  const measured = chosen.members.filter(({ cell }) => cell !== null);
  return [
    ...measured.length === 0 ? [] : [correlationFinding(says, measured)],
    ...chosen.members.filter(({ cell }) => cell === null).map(unmeasured),
  ];
}

function unmeasured({ label: cell, missingReason }: Member): ClaimFinding {
  return absent({ code: "cell-not-measured", cell, why: missingReason });
}

function correlationFinding(says: Correlation, members: readonly Member[]): ClaimFinding {
  const { figures, relation, limit } = says;
  const both = members.flatMap((member) => {
    const [one, other] = figures.map((figure) => amountOf(figure, member));
    return "none" in one || "none" in other ? [] : [[one.range.value, other.range.value]];
  });
  const counts = { cells: both.length, without: members.length - both.length };
  const rho = spearmanRho(both.map(([one]) => one), both.map(([, other]) => other));
  if (Number.isNaN(rho)) return absent({ code: "no-order", figures, ...counts });
  const interval = spearmanInterval(rho, both.length);
  const outcome = interval && sideOf(interval, allowedBy(relation, limit));
  const why: Reason = interval === null
    ? { code: "few-cells", least: LEAST_CORRELATED }
    : { code: "across-limit", more: "cells" };
  return {
    found: {
      code: "correlation",
      figures,
      relation,
      limit,
      rho: { value: rho, interval },
      ...counts,
    },
    outcome: outcome ?? "inconclusive",
    reason: outcome === "held" || outcome === "broken" ? null : why,
    margin: isBelow(relation) ? limit - rho : rho - limit,
  };
}

// What runs do over time: most runs of every cell must have the label, surely, by the interval of their share.

const MOST = allowedBy(">", 0.5);

function warmupFinding(member: Member, label: WarmupClaim["label"]): ClaimFinding {
  const { cell, label: name } = member;
  if (cell === null) return unmeasured(member);
  const labels = cell.runs.flatMap(({ warmup }) => warmup?.label ?? []);
  if (labels.length === 0) return absent({ code: "load-changes", cell: name });
  const labelled = labels.filter((one) => one !== "too-short");
  const of = labelled.length;
  if (of === 0) return absent({ code: "runs-too-short", cell: name });
  const count = labelled.filter((one) => one === label).length;
  const share = count / of;
  // One run says nothing about the next.
  const interval = of === 1 ? null : shareInterval(count, of);
  const outcome = interval === null ? "inconclusive" : sideOf(interval, MOST);
  const why: Reason = { code: interval === null ? "one-run" : "few-runs" };
  return {
    found: { code: "warmup", cell: name, label, count, of, share: { value: share, interval } },
    outcome,
    reason: outcome === "inconclusive" ? why : null,
    margin: share - 0.5,
  };
}
