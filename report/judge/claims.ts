/**
 * Judges the claims of an experiment as reproduced, not reproduced or inconclusive. A claim is judged in every cell
 * that its selectors select, and the worst cell decides, because the claim must hold in each of them. Intervals over
 * the runs decide, so one run of each cell decides nothing. A claim about speed rests on undisturbed runs, with one
 * exception: the ratio of targets that take turns can be decided on a busy machine, because a disturbance affects both
 * targets alike. A claim about something that contention can't affect can also be decided on a busy machine.
 */
import type {
  Claim,
  ClaimSide,
  Compare,
  Correlation,
  FigureSide,
  Ratios,
  Run,
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
import { type Ends, meanRange, quotientOf, type Range } from "../figures/range.ts";
import { type Amount, amountOf, ratioOfAmounts, sideFound, whyUnmeasured } from "./amounts.ts";
import {
  absencesIn,
  chosenBy,
  figurePairs,
  type Ground,
  groundBy,
  groundOf,
  type Member,
  type MemberPair,
  pairsOf,
  type Ruled,
} from "./ground.ts";
import type { Absence, Absent, Allowed, Found, FoundSide, Outcome, Reason } from "./reasons.ts";
import {
  absent,
  allowedAround,
  allowedBy,
  check,
  type Evidence,
  exactly,
  fact,
  inverted,
  marginOf,
  type Open,
  scaled,
  turned,
  undecided,
} from "./rules.ts";
import { decidingAmount, decidingRatioOf, whyUndecided } from "./rounds.ts";
import { groupsReason } from "./bimodal_runs.ts";
import { disturbedOpens, isMovedAlike, isRatioInTurns, turnsIn, turnsOf } from "./slices.ts";
import { isBusyAtMost, isUndisturbed, type RunFilter } from "./disturbed_runs.ts";

type LoadTerm = NonNullable<NonNullable<Claim["given"]>["load"]>["term"];

export const CLAIM_OUTCOMES = {
  held: "reproduced",
  broken: "not reproduced",
  inconclusive: "inconclusive",
} as const satisfies Record<Outcome, string>;

export type ClaimOutcome = typeof CLAIM_OUTCOMES[Outcome];

export interface ClaimVerdict {
  /** Inconclusive if any cell was not measured, whatever the measured cells show. */
  readonly outcome: Outcome;
  /** The outcome over the measured cells. */
  readonly measured: Outcome;
  /** The evidence of the cell that decides; null if there is no evidence. */
  readonly worst: Evidence | null;
  /** `holding` is the number of measured cells in which the claim holds; `of` is the number of all measured cells. */
  readonly holding: number;
  readonly of: number;
  readonly unmeasured: readonly Absence[];
}

/** Reasons why a claim stays inconclusive although its figures would decide it. */
export type ClaimDoubt =
  | Extract<Reason, { readonly code: "busy-machine" }>
  /** The claim was published for a different setup: more cores, a longer load, or a condition that was not met here. */
  | { readonly code: "fewer-cores"; readonly least: number; readonly cores: number }
  | {
    readonly code: "shorter-load";
    readonly term: LoadTerm;
    readonly leastMs: number;
    readonly ms: number;
  }
  | { readonly code: "given"; readonly text: string; readonly met: ClaimVerdict };

export interface JudgedClaim {
  readonly claim: Claim;
  readonly outcome: ClaimOutcome;
  readonly verdict: ClaimVerdict;
  readonly doubt: ClaimDoubt | null;
  /**
   * False if the claim is inconclusive whatever its runs show, because the experiment does not meet the conditions for
   * which the claim was published.
   */
  readonly isDecidable: boolean;
}

/** Judges all claims of an experiment. @param scenarios The scenarios in the results. */
export function judgeClaims(scenarios: readonly ScenarioRuns[], results: Ruled): JudgedClaim[] {
  const claims = results.experiment?.claims ?? [];
  if (claims.length === 0) return [];
  const ground = groundOf(scenarios, results);
  const byFilter = new Map<RunFilter, Ground | null>();
  return claims.map((claim) => {
    const counts = countsFor(claim, ground);
    const again = byFilter.getOrInsertComputed(counts, () => groundBy(counts, ground));
    const verdict = verdictOf(claim.says, ground);
    const given = givenDoubt(claim, ground);
    const doubt = given ?? (again && runsDoubt(claim, verdict, { counts, ground, again }));
    const outcome = CLAIM_OUTCOMES[doubt === null ? verdict.outcome : "inconclusive"];
    return { claim, outcome, verdict, doubt, isDecidable: given === null };
  });
}

const isValid: RunFilter = ({ generator: { trust } }) => trust === "valid";

/**
 * Selects the runs that decide a claim. A claim about speed uses all undisturbed runs, even those without a steady
 * state, because it is about whole runs and the interval shows how much they differ. If it only compares targets that
 * took turns, it uses all runs whose disturbances affected both targets alike. A claim about warm-up labels uses valid
 * runs only, because a run without a steady state may have ended too soon to be labelled. Any other claim also uses
 * runs of an overloaded generator or machine, because contention does not affect its figures.
 */
function countsFor({ says }: Claim, ground: Ground): RunFilter {
  if (says.kind === "warmup") return isValid;
  const figures = says.kind === "correlation"
    ? says.figures
    : sidesIn(says).map(({ figure }) => figure);
  const isOfSpeed = figures.some((figure) =>
    ["slows", "moves"].includes(FIGURES[figure].contention)
  );
  if (!isOfSpeed) return isBusyAtMost;
  return areInTurns(says, ground) ? isMovedAlike : isUndisturbed;
}

/** Whether the claim only compares targets that were loaded in alternating slices. */
function areInTurns(says: Claim["says"], ground: Ground): boolean {
  if (says.kind !== "compare" && says.kind !== "within") return false;
  const { left, right } = says;
  if (left.kind !== "figure" || right.kind !== "figure") return false;
  const pairs = figurePairs(left, right, ground);
  return !("none" in pairs) &&
    pairs.every(([of, to]) => isRatioInTurns([left.figure, right.figure], [of.cell, to.cell]));
}

/** Whether the claim is about how latency falls from the beginning of a run to its end. */
export function isOfSettling({ says }: Claim): boolean {
  const figures = sidesIn(says).map(({ figure }) => figure);
  return figures.includes("initial") && figures.includes("final");
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

/**
 * How the setup of this experiment differs from the one for which the claim was published; null if it meets the claim's
 * conditions, if the claim has none, or if there are no runs to check.
 */
function givenDoubt({ given, says }: Claim, ground: Ground): ClaimDoubt | null {
  if (given === undefined) return null;
  if (given.cores !== undefined) {
    const { machine } = ground.results;
    const cores = machine?.allowedCores ?? machine?.cores ?? Infinity;
    return cores < given.cores ? { code: "fewer-cores", least: given.cores, cores } : null;
  }
  if (given.load !== undefined) {
    const { term, leastMs } = given.load;
    const ms = Math.min(...runsBehind(says, ground).map((run) => MS_OF[term](run)));
    return ms < leastMs ? { code: "shorter-load", term, leastMs, ms } : null;
  }
  const met = given.says && verdictOf(given.says, ground);
  return !met || met.outcome === "held" ? null : { code: "given", text: given.text, met };
}

/**
 * The value of each load term in a run, in milliseconds. The duration of a load that ends after a number of requests is
 * the time that it took.
 */
const MS_OF: Readonly<Record<LoadTerm, (run: Run) => number>> = {
  timeout: ({ load }) => load.timeout,
  duration: ({ load, elapsedS }) =>
    1_000 *
    (load.kind === "phases"
      ? load.phases.reduce((sum, { durationS }) => sum + durationS, 0)
      : load.durationS ?? elapsedS),
};

/** The runs of all cells to which a claim refers. */
function runsBehind(says: Claim["says"], ground: Ground): Run[] {
  const selectors = says.kind === "correlation"
    ? [says.selector, says.other ?? says.selector]
    : says.kind === "warmup"
    ? [says.selector]
    : sidesIn(says).map((one) => one.selector);
  const members = selectors.map((selector) => chosenBy(selector, ground))
    .flatMap((chosen) => "none" in chosen ? [] : chosen.members);
  return [...new Set(members)].flatMap(({ cell }) => cell?.runs ?? []);
}

/**
 * Doubt because some runs do not count towards the claim; null if the outcome is inconclusive anyway, or the same
 * without those runs.
 * @param again The cells with only the runs that count.
 */
function runsDoubt(
  { says }: Claim,
  { outcome }: ClaimVerdict,
  { counts, ground, again }: {
    readonly counts: RunFilter;
    readonly ground: Ground;
    readonly again: Ground;
  },
): ClaimDoubt | null {
  if (outcome === "inconclusive") return null;
  const runs = runsBehind(says, ground);
  const invalid = runs.filter((run) => !counts(run)).length;
  const without = invalid === 0 ? outcome : verdictOf(says, again).outcome;
  return without === outcome ? null : { code: "busy-machine", invalid, runs: runs.length, without };
}

/** Absences which mean that a cell or a peak was not measured. */
const UNMEASURED: readonly Absence["code"][] = [
  "cell-not-measured",
  "nothing-measured",
  "none-selected",
  "peak-not-measured",
];

const WORST_FIRST: readonly Outcome[] = ["broken", "inconclusive", "held"];

function verdictOf(says: Claim["says"], ground: Ground): ClaimVerdict {
  const findings = findingsOf(says, ground);
  const missing = ({ found }: Evidence): readonly Absence[] =>
    found.code === "absent" ? found.absences.filter(({ code }) => UNMEASURED.includes(code)) : [];
  const unmeasured = findings.flatMap(missing);
  const measured = findings.filter((finding) => missing(finding).length === 0);
  const rankOf = ({ outcome }: Evidence): number => WORST_FIRST.indexOf(outcome);
  const [worst = null] = measured.toSorted((a, b) =>
    rankOf(a) - rankOf(b) || marginIn(a.found) - marginIn(b.found)
  );
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

/** How far the value lies inside the claimed range; negative if outside. Used only to find the worst cell. */
function marginIn(found: Found): number {
  switch (found.code) {
    case "value":
      return found.limit === null ? 0 : marginOf(found.of.value ?? NaN, found.limit.allowed);
    case "ratio":
    case "ratios":
      return found.ratio === null ? 0 : marginOf(found.ratio.value, found.allowed);
    case "correlation":
      return Math.min(found.rho.value - found.allowed.low, found.allowed.high - found.rho.value);
    case "warmup":
      return found.share.value;
    case "share":
    case "absent":
      return -Infinity;
  }
}

/** Evidence for each cell, pair of cells, or group of four cells that the claim is about; at least one item. */
function findingsOf(says: Claim["says"], ground: Ground): Evidence[] {
  if (says.kind === "compare" || says.kind === "within") return comparedFindings(says, ground);
  if (says.kind === "ratios") return ratiosFindings(says, ground);
  if (says.kind === "correlation") return correlationFindings(says, ground);
  const chosen = chosenBy(says.selector, ground);
  if ("none" in chosen) return [absent(chosen.none)];
  return chosen.members.map((member) => warmupFinding(member, says.label));
}

/**
 * Judges a claim by an interval over the runs.
 *
 * @param why The reason if the interval alone leaves the claim inconclusive.
 * @param groups The reason if the runs fall into two groups, because then no interval over them decides; otherwise
 * null.
 */
function byInterval(
  found: Found,
  interval: Ends | null,
  { allowed, why, groups = null, opens = [] }: {
    readonly allowed: Allowed;
    readonly why: Reason;
    readonly groups?: Reason | null;
    readonly opens?: readonly Open[];
  },
): Evidence {
  if (groups !== null) return undecided(found, groups);
  if (interval === null) return undecided(found, why);
  const { outcome, open } = check(interval, allowed, opens);
  return outcome === "inconclusive" ? undecided(found, open?.why ?? why) : fact(outcome, found);
}

// Claims with two sides, which compare two figures, or a figure and a constant.

/**
 * A side of a claim that is not a figure of a cell: a quantity stated in the claim, or a peak throughput that was
 * measured on this machine.
 */
interface Constant extends Pick<Amount, "name" | "place" | "range" | "opens"> {
  readonly cell: null;
  /** Why an inconclusive claim about the constant can't be decided by more runs; null if it can. */
  readonly why: Reason | null;
}

type Side = Amount | Constant;

function comparedFindings(says: Compare | Within, ground: Ground): Evidence[] {
  const factors = [says.right, says.left].map((side) => side.kind === "quantity" ? 1 : side.factor);
  // The claim multiplies each side by a factor; this is the limit for left figure ÷ right figure
  // that follows from both factors.
  const limit = factors[0] / factors[1];
  const written = says.kind === "compare"
    ? allowedBy(says.relation, limit)
    : allowedAround(limit, says.toleranceRatio);
  const isTurned = says.left.kind !== "figure" && says.right.kind === "figure";
  const [left, right] = isTurned ? [says.right, says.left] : [says.left, says.right];
  const allowed = isTurned ? inverted(written) : written;
  const pairs = sidePairs(left, right, ground);
  if ("none" in pairs) return [absent(pairs.none)];
  const unit = left.kind === "figure" ? left.unit : "perSec";
  return pairs.map(({ of, to, sliced }) => {
    if ("none" in of || "none" in to) return absent(absencesIn([of, to]));
    if (of.cell !== null && right.kind === "quantity") {
      const { value, text } = right;
      const limit = { value, text, allowed: scaled(allowed, value) };
      const { interval } = of.range;
      const why = whyOpen([of], of.range);
      const found = { code: "value", of: sideFound(of, unit), interval, limit } as const;
      const groups = groupsReason([{ amount: of, power: 1 }], { allowed: limit.allowed, unit });
      return byInterval(found, interval, {
        ...{ allowed: limit.allowed, why, groups },
        opens: of.opens,
      });
    }
    const ratio = of.cell !== null && to.cell !== null
      ? ratioOfAmounts(of, to, decidingRatioOf(ground.ratioOf, sliced, of.cell))
      : quotientOf(of.range, to.range);
    const [one, other] = [of, to].map((side): FoundSide => ({
      ...sideFound(side, unit),
      ...side === to && right.kind === "quantity" && { value: null },
    }));
    const found = { code: "ratio", of: one, to: other, ratio, allowed } as const;
    const opens = [
      ...[...of.opens, ...to.opens.map(turned)],
      ...of.cell === null ? [] : disturbedOpens(of.figure, sliced),
    ];
    const terms = [of, to].flatMap((side, i) =>
      side.cell === null ? [] : [{ amount: side, power: i === 0 ? 1 : -1 }]
    );
    const groups = groupsReason(terms, {
      // Dividing all runs by the same constant can't split them into groups, so the figures stay as
      // they are, and the allowed range is multiplied by the constant instead.
      allowed: to.cell === null ? scaled(allowed, to.range.value) : allowed,
      unit,
      sliced: of.cell === null ? null : turnsOf(of.figure, sliced),
    });
    // Two figures that are certainly 0 satisfy "at most" and "at least" with any factor, but no
    // strict inequality. A constant such as a peak throughput, which has no cell, is never certain.
    const isSureOf0 = ratio === null && opens.length === 0 &&
      [of, to].every(({ cell, range }) => cell !== null && range.interval !== null);
    return isSureOf0
      ? fact(allowed.isClosed ? "held" : "broken", found)
      : byInterval(found, ratio?.interval ?? null, {
        allowed,
        why: whyOpen([of, to], ratio),
        groups,
        opens,
      });
  });
}

/** Why an interval over the runs is missing or contains the limit. */
function whyOpen(sides: readonly Side[], ratio: Range | null): Reason {
  const amounts = sides.filter((side) => side.cell !== null);
  if (amounts.some(({ range }) => range.interval === null)) return whyUndecided(amounts);
  const [why] = sides.flatMap((side) => side.cell === null ? side.why ?? [] : []);
  if (ratio === null) return sides.flatMap(({ opens }) => opens)[0]?.why ?? { code: "no-ratio" };
  return why ?? { code: "across-limit", more: amounts.length > 0 ? "runs" : null };
}

/** The two sides of a comparison in a claim. */
interface Compared {
  readonly of: Side | Absent;
  readonly to: Side | Absent;
  /** The alternating slices of the two sides; null if they were not loaded in turns. */
  readonly sliced: ReturnType<typeof turnsIn>;
}

/**
 * The sides to compare: two figures for each pair of cells, a figure and a constant for each cell, or two constants.
 */
function sidePairs(left: ClaimSide, right: ClaimSide, ground: Ground): Compared[] | Absent {
  if (left.kind !== "figure") {
    return [{ of: constantOf(left, ground), to: constantOf(right, ground), sliced: null }];
  }
  if (right.kind !== "figure") {
    const chosen = chosenBy(left.selector, ground);
    const to = constantOf(right, ground);
    if ("none" in chosen) return chosen;
    // If the constant was not measured, that is the reason given, even if the figure is missing,
    // too.
    return chosen.members.map((member) => (
      { of: "none" in to ? to : decidingAmount(left.figure, member), to, sliced: null }
    ));
  }
  const pairs = figurePairs(left, right, ground);
  if ("none" in pairs) return pairs;
  return pairs.map(([of, to]) => ({
    of: decidingAmount(left.figure, of),
    to: decidingAmount(right.figure, to),
    sliced: turnsIn([left.figure, right.figure], [of.cell, to.cell]),
  }));
}

function constantOf(side: ClaimSide, { results }: Ground): Constant | Absent {
  const constant = (
    place: string,
    { value, interval }: Range,
    open: Partial<Pick<Constant, "opens" | "why">> = {},
  ): Constant => {
    const range = { value, interval, isAtLeast: false, byRun: [], repetitions: [] };
    return { cell: null, name: "", place, range, opens: [], why: null, ...open };
  };
  if (side.kind === "quantity") {
    return constant(side.text, { value: side.value, interval: exactly(side.value) });
  }
  const name = side.kind === "ceiling" ? `ceiling(${side.of})` : side.figure;
  const peak = side.kind === "ceiling" ? results.peakThroughput?.[side.of] : null;
  if (!peak || side.kind !== "ceiling") return { none: [{ code: "peak-not-measured", name }] };
  const { perSec: value, rounds = [] } = peak;
  if (rounds.length > 1) {
    const { interval } = meanRange(rounds, { level: 0.95 });
    return constant(name, { value, interval }, { opens: peakOpens(name, rounds, results) });
  }
  // A generator's peak is the fastest of many slices. Contention makes slices slower, never faster,
  // so the peak is a lower bound.
  const isLeast = side.of === "generator";
  const interval = isLeast ? { low: value, high: Infinity } : null;
  const why = { code: isLeast ? "at-least" as const : "measured-once" as const, name };
  return constant(name, { value, interval }, { why });
}

/**
 * If the rounds in which a peak throughput was measured differ by more than this factor, they were disturbed. On a
 * quiet machine they differ by only a few per cent.
 */
const ROUNDS_RATIO = 1.5;

/**
 * Doubt about a peak throughput if the rounds in which it was measured, or the runs of the experiment, show that the
 * machine was busy. The true value may then be higher or lower by any factor.
 */
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

// Ratios of ratios, for claims that one figure changes by more than another. All four figures are
// resampled by the same repetitions, so variation that they share cancels.

function ratiosFindings(says: Ratios, ground: Ground): Evidence[] {
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

/** Exponents of the four figures in a ratio of ratios. */
const POWERS = [1, -1, -1, 1];

function ratiosFinding(says: Ratios, members: readonly Member[]): Evidence {
  const { left, relation, right } = says;
  const sides = sidesIn(says);
  const all = sides.map(({ figure }, i) => decidingAmount(figure, members[i]));
  const amounts = all.flatMap((one) => "none" in one ? [] : [one]);
  if (amounts.length < all.length) return absent(absencesIn(all));
  if (amounts.some(({ range }) => range.value <= 0)) return absent([{ code: "figure-zero" }]);
  const terms = amounts.flatMap(({ drawn }, i) =>
    drawn === null ? [] : [{ estimate: drawn, power: POWERS[i] }]
  );
  const interval = terms.length < amounts.length
    ? null
    : contrastOf(terms, { confidence: amounts[0].cell.level });
  const value = interval?.value ??
    amounts.reduce((product, { range }, i) => product * range.value ** POWERS[i], 1);
  const limit = right.of.factor / right.to.factor / (left.of.factor / left.to.factor);
  const allowed = allowedBy(relation, limit);
  const figures = amounts.map((one, i) => sideFound(one, sides[i].unit));
  const found = { code: "ratios", figures, ratio: { value, interval }, allowed } as const;
  const powered = amounts.map((amount, i) => ({ amount, power: POWERS[i] }));
  return byInterval(found, interval, {
    allowed,
    groups: groupsReason(powered, { allowed, unit: sides[0].unit }),
    opens: amounts.flatMap(({ opens }) => opens)
      .map((open): Open => ({ ...open, toward: "either", mostRatio: Infinity })),
    why: interval === null ? whyUndecided(amounts) : { code: "across-limit", more: "runs" },
  });
}

/** A rank correlation over all measured cells, or, with two selectors, over pairs of measured cells. */
function correlationFindings(says: Correlation, ground: Ground): Evidence[] {
  const { figures: [one, two], selector, other } = says;
  const pairs = other === undefined
    ? eachWithItself(chosenBy(selector, ground))
    : figurePairs({ figure: one, selector }, { figure: two, selector: other }, ground);
  if ("none" in pairs) return [absent(pairs.none)];
  const isMeasured = ({ cell }: Member): boolean => cell !== null;
  const measured = pairs.filter((pair) => pair.every(isMeasured));
  const missing = [...new Set(pairs.flat())].filter((member) => !isMeasured(member))
    .map((member) => absent(whyUnmeasured(member)));
  return [...measured.length === 0 ? [] : [correlationFinding(says, measured)], ...missing];
}

function eachWithItself(chosen: ReturnType<typeof chosenBy>): readonly MemberPair[] | Absent {
  return "none" in chosen ? chosen : chosen.members.map((member) => [member, member] as const);
}

function correlationFinding(
  { figures, relation, limit }: Correlation,
  pairs: readonly MemberPair[],
): Evidence {
  const both = pairs.flatMap((pair) => {
    const [one, other] = figures.map((figure, i) => amountOf(figure, pair[i]));
    return "none" in one || "none" in other ? [] : [[one.range.value, other.range.value]];
  });
  const counts = { cells: both.length, without: pairs.length - both.length };
  const value = spearmanRho(both.map(([one]) => one), both.map(([, other]) => other));
  if (Number.isNaN(value)) return absent([{ code: "no-order", figures, ...counts }]);
  const interval = spearmanInterval(value, both.length);
  const allowed = allowedBy(relation, limit);
  const found = {
    code: "correlation",
    figures,
    allowed,
    rho: { value, interval },
    ...counts,
  } as const;
  return byInterval(found, interval, {
    allowed,
    why: interval === null
      ? { code: "few-cells", least: LEAST_CORRELATED }
      : { code: "across-limit", more: "cells" },
  });
}

// Claims about the warm-up of runs. Such a claim holds in a cell if certainly more than half of the
// cell's runs have the claimed label, so the whole interval of their share must be above 0.5.

const MOST = allowedBy(">", 0.5);

function warmupFinding(member: Member, label: WarmupClaim["label"]): Evidence {
  if (member.cell === null) return absent(whyUnmeasured(member));
  const { label: cell, cell: { runs } } = member;
  const labels = runs.flatMap(({ warmup }) => warmup?.label ?? []);
  if (labels.length === 0) return absent([{ code: "load-changes", cell }]);
  const labelled = labels.filter((one) => one !== "too-short");
  const of = labelled.length;
  if (of === 0) return absent([{ code: "runs-too-short", cell }]);
  const count = labelled.filter((one) => one === label).length;
  // A single run says nothing about future runs.
  const interval = of === 1 ? null : shareInterval(count, of);
  const share = { value: count / of, interval };
  return byInterval({ code: "warmup", cell, label, count, of, share }, interval, {
    allowed: MOST,
    why: { code: interval === null ? "one-run" : "few-runs" },
  });
}
