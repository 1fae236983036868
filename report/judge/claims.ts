/**
 * Claims × results → reproduced, not reproduced or inconclusive. A claim is judged in every cell that its selectors
 * mean, and the worst cell decides: what is said of all must hold for all. By intervals over the runs, as everywhere:
 * one run each decides nothing. A claim of speed rests on runs that nothing disturbed; one that contention cannot move
 * is decided on a busy machine, too.
 */
import type { FigureUnit } from "../../base/figures/figure.ts";
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
import type { ScenarioRuns } from "../cells/cells.ts";
import { FIGURES } from "../figures/figures.ts";
import { meanRange, quotientOf, type Range } from "../figures/range.ts";
import {
  type Amount,
  amountOf,
  isBusyAtMost,
  isUndisturbed,
  ratioOfAmounts,
  type RunFilter,
  sideFound,
  whyNoInterval,
} from "./amounts.ts";
import {
  absencesIn,
  chosenBy,
  figurePairs,
  type Ground,
  groundBy,
  groundOf,
  type Member,
  pairsOf,
  type Ruled,
} from "./ground.ts";
import type { Absence, Absent, Allowed, Found, FoundSide, Outcome, Reason } from "./found.ts";
import {
  allowedAround,
  allowedBy,
  check,
  exactly,
  inverted,
  isBelow,
  marginOf,
  type Open,
  scaled,
  sideOf,
  turned,
} from "./rules.ts";

export const CLAIM_OUTCOMES = ["not reproduced", "inconclusive", "reproduced"] as const;
export type ClaimOutcome = typeof CLAIM_OUTCOMES[number];

const OUTCOMES: Readonly<Record<Outcome, ClaimOutcome>> = {
  held: "reproduced",
  broken: "not reproduced",
  inconclusive: "inconclusive",
};

interface ClaimDecision {
  readonly outcome: Outcome;
  /** Why figures decide nothing; null where they do, and where there are none. */
  readonly reason: Reason | null;
  /** How far inside of what is claimed; below 0 outside. Only its order counts. */
  readonly margin: number;
}

export interface ClaimFinding extends ClaimDecision {
  readonly found: Found;
}

/** By the cells that were measured, and whether all were. */
export interface ClaimVerdict {
  /** Inconclusive where a cell was not measured, whatever the others say. */
  readonly outcome: Outcome;
  /** That of the cells that were measured. */
  readonly measured: Outcome;
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

export function claimOutcome(outcome: Outcome): ClaimOutcome {
  return OUTCOMES[outcome];
}

/** @param scenarios Those of the results. */
export function judgeClaims(scenarios: readonly ScenarioRuns[], results: Ruled): JudgedClaim[] {
  const claims = results.experiment?.claims ?? [];
  if (claims.length === 0) return [];
  const ground = groundOf(scenarios, results);
  const byFilter = new Map<RunFilter, Ground | null>();
  return claims.map((claim) => {
    const counts = countsFor(claim);
    if (!byFilter.has(counts)) byFilter.set(counts, groundBy(counts, ground));
    const again = byFilter.get(counts) ?? null;
    const verdict = verdictOf(claim.says, ground);
    const given = givenDoubt(claim, verdict, ground);
    const doubt = (again && runsDoubt(claim, verdict, { ground, again })) ?? given;
    const outcome = OUTCOMES[doubt === null ? verdict.outcome : "inconclusive"];
    return { claim, outcome, verdict, doubt, isDecidable: given === null };
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
  const figures = says.kind === "correlation"
    ? says.figures
    : sidesIn(says).map(({ figure }) => figure);
  const isOfSpeed = figures.some((figure) =>
    ["slows", "moves"].includes(FIGURES[figure].contention)
  );
  return isOfSpeed ? isUndisturbed : isBusyAtMost;
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

/** Of a claim that is not reproduced where what it was published of is not so; null where it is. */
function givenDoubt({ given }: Claim, verdict: ClaimVerdict, ground: Ground): ClaimDoubt | null {
  if (given === undefined || verdict.outcome !== "broken") return null;
  if (given.cores !== undefined) {
    const { machine } = ground.results;
    const cores = machine?.allowedCores ?? machine?.cores ?? Infinity;
    return cores < given.cores ? { code: "fewer-cores", least: given.cores, cores } : null;
  }
  const met = given.says && verdictOf(given.says, ground);
  return !met || met.outcome === "held" ? null : { code: "given", text: given.text, met };
}

/**
 * Null where the outcome is open anyway, or the same without the runs that do not count.
 *
 * @param again The ground by the runs that count.
 */
function runsDoubt(
  claim: Claim,
  { outcome }: ClaimVerdict,
  { ground, again }: { readonly ground: Ground; readonly again: Ground },
): ClaimDoubt | null {
  if (outcome === "inconclusive") return null;
  const { says } = claim;
  const selectors = "selector" in says ? [says.selector] : sidesIn(says).map((one) => one.selector);
  const members = selectors.map((selector) => chosenBy(selector, ground))
    .flatMap((chosen) => "none" in chosen ? [] : chosen.members);
  const runs = [...new Set(members)].flatMap(({ cell }) => cell?.runs ?? []);
  const invalid = runs.filter((run) => !countsFor(claim)(run)).length;
  const without = invalid === 0 ? outcome : verdictOf(says, again).outcome;
  return without === outcome ? null : { code: "busy-machine", invalid, runs: runs.length, without };
}

/** Why nothing was found where nothing was measured. */
const UNMEASURED: readonly Absence["code"][] = [
  "cell-not-measured",
  "nothing-measured",
  "none-selected",
  "peak-not-measured",
];

const WORST_FIRST: readonly Outcome[] = ["broken", "inconclusive", "held"];

function verdictOf(says: Claim["says"], ground: Ground): ClaimVerdict {
  const findings = findingsOf(says, ground);
  const missing = ({ found }: ClaimFinding): readonly Absence[] =>
    found.code === "absent" ? found.absences.filter(({ code }) => UNMEASURED.includes(code)) : [];
  const unmeasured = findings.flatMap(missing);
  const measured = findings.filter((finding) => missing(finding).length === 0);
  const rankOf = ({ outcome }: ClaimFinding): number => WORST_FIRST.indexOf(outcome);
  const [worst = null] = measured.toSorted((a, b) => rankOf(a) - rankOf(b) || a.margin - b.margin);
  const outcome = worst?.outcome ?? "inconclusive";
  return {
    outcome: unmeasured.length === 0 ? outcome : "inconclusive",
    measured: outcome,
    worst,
    holding: measured.filter((one) => one.outcome === "held").length,
    of: measured.length,
    unmeasured,
  };
}

const UNDECIDED = { outcome: "inconclusive", reason: null, margin: -Infinity } as const;

function absent(absences: readonly Absence[]): ClaimFinding {
  return { ...UNDECIDED, found: { code: "absent", absences } };
}

/** One for each cell, pair or four of cells; at least one. */
function findingsOf(says: Claim["says"], ground: Ground): ClaimFinding[] {
  switch (says.kind) {
    case "compare":
    case "within":
      return comparedFindings(says, ground);
    case "ratios":
      return ratiosFindings(says, ground);
    case "correlation":
      return correlationFindings(says, ground);
    case "warmup": {
      const chosen = chosenBy(says.selector, ground);
      return "none" in chosen
        ? [absent(chosen.none)]
        : chosen.members.map((member) => warmupFinding(member, says.label));
    }
  }
}

// Two sides: of two figures their ratio is held against what is claimed of it, a figure against a quantity by itself.

/** A quantity, or a peak of throughput, which cannot be exceeded here. */
interface Constant extends Pick<Amount, "name" | "place" | "range" | "opens"> {
  readonly cell: null;
  /** Why a claim of it, which is inconclusive, is not for the runs to decide; null: it is. */
  readonly why: Reason | null;
}

type Side = Amount | Constant;

interface Held {
  readonly of: Side;
  /** Null: nothing. */
  readonly to: Side | null;
  readonly allowed: Allowed;
}

function comparedFindings(says: Compare | Within, ground: Ground): ClaimFinding[] {
  const { left, right } = says;
  // Of left over right, without their factors.
  const limit = factorOf(right) / factorOf(left);
  const allowed = says.kind === "compare"
    ? allowedBy(says.relation, limit)
    : allowedAround(limit, says.toleranceRatio);
  return left.kind !== "figure" && right.kind === "figure"
    ? findingsBetween(right, left, { allowed: inverted(allowed), ground })
    : findingsBetween(left, right, { allowed, ground });
}

function factorOf(side: ClaimSide): number {
  return side.kind === "quantity" ? 1 : side.factor;
}

function findingsBetween(
  left: ClaimSide,
  right: ClaimSide,
  { allowed, ground }: { readonly allowed: Allowed; readonly ground: Ground },
): ClaimFinding[] {
  const pairs = sidePairs(left, right, ground);
  if ("none" in pairs) return [absent(pairs.none)];
  const unit = left.kind === "figure" ? left.unit : "perSec";
  return pairs.map(([of, to]) => {
    if ("none" in of || "none" in to) return absent(absencesIn([of, to]));
    if (of.cell !== null && right.kind === "quantity") {
      const { value, text } = right;
      const held = { of, to: null, allowed: scaled(allowed, value) };
      const limit = { value, text, allowed: held.allowed };
      const { interval } = of.range;
      return {
        found: { code: "value", of: sideFound(of, unit), interval, limit },
        ...decided(of.range, held),
      };
    }
    const ratio = of.cell !== null && to.cell !== null
      ? ratioOfAmounts(of, to, ground.ratioOf)
      : quotientOf(of.range, to.range);
    const held = { of, to, allowed };
    return {
      found: {
        code: "ratio",
        of: claimSide(left, of, unit),
        to: claimSide(right, to, unit),
        ...{ ratio, allowed, isOfSessions: false },
      },
      ...ratio === null ? bothZero(held) : decided(ratio, held),
    };
  });
}

/** What is claimed of each other: of two figures in each pair of their cells, of one in each cell, of constants once. */
function sidePairs(
  left: ClaimSide,
  right: ClaimSide,
  ground: Ground,
): (readonly [Side | Absent, Side | Absent])[] | Absent {
  if (left.kind !== "figure") return [[constantOf(left, ground), constantOf(right, ground)]];
  if (right.kind !== "figure") {
    const chosen = chosenBy(left.selector, ground);
    const to = constantOf(right, ground);
    if ("none" in chosen) return chosen;
    // Without the constant it does not matter what there is of the figure.
    return chosen.members.map((member) => ["none" in to ? to : amountOf(left.figure, member), to]);
  }
  const pairs = figurePairs(left, right, ground);
  if ("none" in pairs) return pairs;
  return pairs.map(([of, to]) => [amountOf(left.figure, of), amountOf(right.figure, to)]);
}

function claimSide({ kind }: ClaimSide, side: Side, unit: FigureUnit): FoundSide {
  const found = sideFound(side, unit);
  return kind === "quantity" ? { ...found, value: null } : found;
}

function isAmount(side: Side | null): side is Amount {
  return side !== null && side.cell !== null;
}

/** 0 is at most 0 however often it is taken, and never more; a peak of 0 says nothing. */
function bothZero({ of, to, allowed }: Held): ClaimDecision {
  const amounts = [of, to].filter(isAmount);
  if (amounts.length < 2) return UNDECIDED;
  if (!amounts.every(({ range, opens }) => range.interval !== null && opens.length === 0)) {
    return { outcome: "inconclusive", reason: whyNoInterval(amounts), margin: 0 };
  }
  return { outcome: allowed.isClosed ? "held" : "broken", reason: null, margin: 0 };
}

/** The outcome, and where there is none, why. */
function decided({ value, interval }: Range, { of, to, allowed }: Held): ClaimDecision {
  const margin = marginOf(value, allowed);
  const amounts = [of, to].filter(isAmount);
  const opens = [...of.opens, ...(to?.opens ?? []).map(turned)];
  const checked = interval && check(interval, allowed, opens);
  if (checked !== null && checked.outcome !== "inconclusive") {
    return { outcome: checked.outcome, reason: null, margin };
  }
  const [why = null] = [of, to].flatMap((one) =>
    one === null || isAmount(one) ? [] : one.why ?? []
  );
  const reason = amounts.some(({ range }) => range.interval === null)
    ? whyNoInterval(amounts)
    : checked?.open?.why ?? why ??
      { code: "across-limit" as const, more: amounts.length > 0 ? "runs" as const : null };
  return { outcome: "inconclusive", reason, margin };
}

const LEVEL = 0.95;

function constantOf(side: ClaimSide, { results }: Ground): Constant | Absent {
  const constant = (
    place: string,
    { value, interval }: Range,
    { opens = [], why = null }: Partial<Pick<Constant, "opens" | "why">> = {},
  ): Constant => {
    const range = { value, interval, isAtLeast: false, byRun: [] };
    return { cell: null, name: "", place, range, opens, why };
  };
  if (side.kind === "quantity") {
    return constant(side.text, { value: side.value, interval: exactly(side.value) });
  }
  const name = side.kind === "ceiling" ? `ceiling(${side.of})` : side.figure;
  const peak = side.kind === "ceiling" ? results.peakThroughput?.[side.of] : null;
  if (!peak || side.kind !== "ceiling") return { none: [{ code: "peak-not-measured", name }] };
  const { perSec: value, rounds = [] } = peak;
  if (rounds.length > 1) {
    const { interval } = meanRange(rounds, LEVEL);
    return constant(name, { value, interval }, { opens: peakOpens(name, rounds, results) });
  }
  // The best of many slices, as a busy moment makes a generator slower but never faster.
  return side.of === "generator"
    ? constant(name, { value, interval: { low: value, high: Infinity } }, {
      why: { code: "at-least", name },
    })
    : constant(name, { value, interval: null }, { why: { code: "measured-once", name } });
}

/** Rounds of a peak throughput that differ by more were disturbed: on a quiet machine they differ by some percent. */
const ROUNDS_RATIO = 1.5;

/** Of a peak throughput that was measured on a busy machine, as its rounds or the runs after it show: it may be any. */
export function peakOpens(
  name: string,
  rounds: readonly number[],
  { runs }: Pick<Ruled, "runs">,
): Open[] {
  const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
  const invalid = runs.filter((run) => !isUndisturbed(run)).length;
  const open = { toward: "either", mostRatio: Infinity } as const;
  if (high > ROUNDS_RATIO * low) {
    return [{ ...open, why: { code: "rounds-differ", name, low, high } }];
  }
  return 2 * invalid > runs.length
    ? [{ ...open, why: { code: "busy-peak", name, invalid, runs: runs.length } }]
    : [];
}

// Two ratios: whether one figure changes by more than another. All four figures are drawn by the same repetitions, so
// that what moves several of them alike cancels.

function ratiosFindings(says: Ratios, ground: Ground): ClaimFinding[] {
  const found = sidesIn(says).map(({ selector }) => chosenBy(selector, ground));
  const chosen = found.flatMap((one) => "none" in one ? [] : [one]);
  if (chosen.length < found.length) return [absent(absencesIn(found))];
  const [of, to, otherOf, otherTo] = chosen;
  const [above, below, others] = [
    pairsOf(of, otherOf),
    pairsOf(to, otherTo),
    pairsOf(otherOf, otherTo),
  ];
  const fours = pairsOf(of, to).flatMap(([one, other]) =>
    others.filter(([third, fourth]) =>
      above.some(([a, b]) => a === one && b === third) &&
      below.some(([a, b]) => a === other && b === fourth)
    ).map((pair) => [one, other, ...pair])
  );
  return fours.length === 0
    ? [absent([{ code: "no-four" }])]
    : fours.map((members) => ratiosFinding(says, members));
}

/** By how a figure is in the ratio of ratios. */
const POWERS = [1, -1, -1, 1];

function ratiosFinding(says: Ratios, members: readonly Member[]): ClaimFinding {
  const { left, relation, right } = says;
  const sides = sidesIn(says);
  const found = sides.map(({ figure }, i) => amountOf(figure, members[i]));
  const amounts = found.flatMap((one) => "none" in one ? [] : [one]);
  if (amounts.length < found.length) return absent(absencesIn(found));
  if (amounts.some(({ range }) => range.value <= 0)) return absent([{ code: "figure-zero" }]);
  const ratio = ratioOfRatios(amounts);
  const limit = right.of.factor / right.to.factor / (left.of.factor / left.to.factor);
  const allowed = allowedBy(relation, limit);
  const opens = amounts.flatMap((amount) => amount.opens)
    .map((open): Open => ({ ...open, toward: "either", mostRatio: Infinity }));
  const outcome = ratio.interval === null
    ? "inconclusive"
    : check(ratio.interval, allowed, opens).outcome;
  const why: Reason = ratio.interval === null
    ? whyNoInterval(amounts)
    : opens[0]?.why ?? { code: "across-limit", more: "runs" };
  const figures = amounts.map((one, i) => sideFound(one, sides[i].unit));
  return {
    found: { code: "ratios", figures, ratio, allowed },
    outcome,
    reason: outcome === "inconclusive" ? why : null,
    margin: marginOf(ratio.value, allowed),
  };
}

function ratioOfRatios(amounts: readonly Amount[]): Range {
  const value = amounts.reduce((product, { range }, i) => product * range.value ** POWERS[i], 1);
  const terms = amounts.flatMap(({ drawn }, i) =>
    drawn === null ? [] : [{ estimate: drawn, power: POWERS[i] }]
  );
  if (terms.length < amounts.length) return { value, interval: null };
  const interval = contrastOf(terms, { confidence: amounts[0].cell.level });
  return { value: interval?.value ?? value, interval };
}

/** A rank correlation: one over all cells that were measured, and an absence for each that was not. */
function correlationFindings(says: Correlation, ground: Ground): ClaimFinding[] {
  const chosen = chosenBy(says.selector, ground);
  if ("none" in chosen) return [absent(chosen.none)];
  const measured = chosen.members.filter(({ cell }) => cell !== null);
  return [
    ...measured.length === 0 ? [] : [correlationFinding(says, measured)],
    ...chosen.members.filter(({ cell }) => cell === null).map(unmeasured),
  ];
}

function unmeasured({ label: cell, missingReason: why }: Member): ClaimFinding {
  return absent([{ code: "cell-not-measured", cell, why }]);
}

function correlationFinding(says: Correlation, members: readonly Member[]): ClaimFinding {
  const { figures, relation, limit } = says;
  const both = members.flatMap((member) => {
    const [one, other] = figures.map((figure) => amountOf(figure, member));
    return "none" in one || "none" in other ? [] : [[one.range.value, other.range.value]];
  });
  const counts = { cells: both.length, without: members.length - both.length };
  const value = spearmanRho(both.map(([one]) => one), both.map(([, other]) => other));
  if (Number.isNaN(value)) return absent([{ code: "no-order", figures, ...counts }]);
  const interval = spearmanInterval(value, both.length);
  const outcome = interval === null ? "inconclusive" : sideOf(interval, allowedBy(relation, limit));
  const why: Reason = interval === null
    ? { code: "few-cells", least: LEAST_CORRELATED }
    : { code: "across-limit", more: "cells" };
  return {
    found: { code: "correlation", figures, relation, limit, rho: { value, interval }, ...counts },
    outcome,
    reason: outcome === "inconclusive" ? why : null,
    margin: isBelow(relation) ? limit - value : value - limit,
  };
}

// What runs do over time: most runs of every cell must have the label, surely, by the interval of their share.

const MOST = allowedBy(">", 0.5);

function warmupFinding(member: Member, label: WarmupClaim["label"]): ClaimFinding {
  const { cell, label: name } = member;
  if (cell === null) return unmeasured(member);
  const labels = cell.runs.flatMap(({ warmup }) => warmup?.label ?? []);
  if (labels.length === 0) return absent([{ code: "load-changes", cell: name }]);
  const labelled = labels.filter((one) => one !== "too-short");
  const of = labelled.length;
  if (of === 0) return absent([{ code: "runs-too-short", cell: name }]);
  const count = labelled.filter((one) => one === label).length;
  const value = count / of;
  // One run says nothing about the next.
  const interval = of === 1 ? null : shareInterval(count, of);
  const outcome = interval === null ? "inconclusive" : sideOf(interval, MOST);
  const why: Reason = { code: interval === null ? "one-run" : "few-runs" };
  return {
    found: { code: "warmup", cell: name, label, count, of, share: { value, interval } },
    outcome,
    reason: outcome === "inconclusive" ? why : null,
    margin: value - 0.5,
  };
}
