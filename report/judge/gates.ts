/**
 * Thresholds × results → pass, fail or inconclusive. A gate opens, or shuts, by evidence: where the 95 % interval of its
 * figure lies on one side of the limit. The rate or the extreme of one run is what it is. What was not measured fails: a
 * gate that looked at nothing must not open. On a busy machine a target is slower than it is: what passes in spite of
 * that passes, and what fails is inconclusive unless it fails without the disturbed runs, too.
 */
import type { FigureName, FigureUnit } from "../../base/figures/figure.ts";
import type { Measurement, Relation, Threshold } from "../../runner/result/result.ts";
import { holmOfKnown } from "../../runner/stats/comparison/significance_tests.ts";
import { twoGroupsOf } from "../../runner/stats/comparison/two_groups.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import {
  pooled,
  pooledShare,
  type Proportion,
  requestsToDecide,
  shareP,
} from "../../runner/stats/confidence/proportion_interval.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import { type Grouped, groupRuns, type ScenarioRuns, unsteadyOf } from "../cells/cells.ts";
import { type FigureRange, FIGURES, rangeOf, ratioRangeOf } from "../figures/figures.ts";
import type { JudgedCell, Range } from "../figures/range.ts";
import { matchCells, namedCells } from "../cells/match.ts";
import { percentileBounds } from "../figures/pool.ts";
import { type Between, ONE_SESSION } from "./between.ts";
import { isUndisturbed } from "./disturbed.ts";
import {
  chosenBy,
  type Claimed,
  figurePairs,
  type Ground,
  groundOf,
  type Member,
} from "./ground.ts";
import {
  allowedShare,
  percentileIn,
  type PercentileOf,
  shareOf,
  sharesBeyond,
  shareTest,
  type Tested,
} from "./percentile_limits.ts";
import {
  type Absence,
  allowedBy,
  type Amount,
  amountOf,
  BEYOND_CONTENTION_RATIO,
  check,
  contentionToward,
  distanceTo,
  exactly,
  isAllowed,
  isBelow,
  type Open,
  type Outcome,
  ratioOfAmounts,
  type Reason,
  requestsOpen,
  sideOf,
  turned,
  whyNoInterval,
} from "./rules.ts";
import type { RatioOf } from "./ratio_of.ts";
import { areOneSession, betweenOf, type SessionSpread } from "./sessions.ts";

export type ThresholdOutcome = "pass" | "fail" | "inconclusive";

const OUTCOMES: Readonly<Record<Outcome, ThresholdOutcome>> = {
  held: "pass",
  broken: "fail",
  inconclusive: "inconclusive",
};

/** What was found; `findings/gate_sentences.ts` has the words. */
export type GateFound =
  | { readonly code: "absent"; readonly absence: Absence }
  | {
    readonly code: "figure";
    readonly figure: string;
    readonly unit: FigureUnit;
    readonly range: FigureRange;
  }
  | { readonly code: "share"; readonly figure: string; readonly range: Range }
  | {
    readonly code: "baseline";
    readonly figure: string;
    readonly unit: FigureUnit;
    readonly now: FigureRange;
    readonly before: FigureRange;
    /** Null: they have none. */
    readonly ratio: Range | null;
    readonly marginRatio: number;
    /** Whether it is known of these two sessions alone. */
    readonly isOfSessions: boolean;
  }
  | {
    readonly code: "cells";
    readonly of: Amount;
    readonly to: Amount;
    readonly unit: FigureUnit;
    /** Null: they have none. */
    readonly ratio: Range | null;
    readonly relation: Relation;
    readonly factor: number;
  };

/** A threshold held against a cell, or against one of several places that it names. */
export interface JudgedGate {
  /** The threshold, as it was written. */
  readonly threshold: string;
  /** "" for a single measurement. */
  readonly scenario: string;
  readonly label: string;
  readonly outcome: ThresholdOutcome;
  readonly found: GateFound;
  /** Why it is inconclusive; null where it is decided. */
  readonly reason: Reason | null;
}

export interface GateEvidence {
  /** By itself. */
  readonly outcome: Outcome;
  readonly found: GateFound;
  /** Why it is inconclusive; null where it is not. */
  readonly reason: Reason | null;
  /**
   * Two-sided probability of a figure as far on the wrong side, were it at the limit; 1 on the right side. Null
   * where nothing is estimated: the fact of a measurement is as it is, whatever else is judged.
   */
  readonly p: number | null;
  /** What would decide it; null where nothing is known to. */
  readonly remedy: Reason | null;
}

/** What holds or does not hold of the requests that were measured, whatever others would have done. */
export function fact(outcome: Outcome, found: GateFound): GateEvidence {
  return { outcome, found, reason: null, p: null, remedy: null };
}

function absent(absence: Absence): GateEvidence {
  return fact("broken", { code: "absent", absence });
}

function undecided(found: GateFound, why: Reason): GateEvidence {
  return { outcome: "inconclusive", found, reason: why, p: null, remedy: null };
}

/** What was estimated, and lies on one side of the limit or across it. */
export function tested(found: GateFound, { outcome, p, remedy }: Tested): GateEvidence {
  const why = outcome === "inconclusive" ? remedy : null;
  return { outcome, found, reason: why, p: outcome === "broken" ? p : 1, remedy };
}

/** A threshold on a cell, with what the measurements say of it by itself. */
export interface Gate extends Pick<JudgedGate, "threshold" | "scenario" | "label"> {
  readonly evidence: GateEvidence;
}

export interface GateOptions {
  /** Null: there is none, and thresholds that need it are left out. */
  readonly baseline?: Grouped | null;
  /** By how much sessions differ. Default: nobody knows. */
  readonly spread?: SessionSpread;
}

/** Every threshold on every cell, before Holm's method: what else decides with them may still be added. */
export function gatesOf(
  thresholds: readonly Threshold[],
  scenarios: readonly ScenarioRuns[],
  results: Claimed & Grouped,
  { baseline = null, spread = () => null }: GateOptions = {},
): Gate[] {
  if (thresholds.length === 0) return [];
  const placesOf = (groups: readonly ScenarioRuns[], measured: Claimed & Grouped): Places => ({
    cells: gatedCells(groups, measured, { baseline, spread }),
    ground: groundOf(groups, measured),
    hasBaseline: baseline !== null,
  });
  const runs = results.runs.filter(isUndisturbed);
  const places = placesOf(scenarios, results);
  if (runs.length === results.runs.length) return gatesIn(thresholds, places, null);
  const kept = { ...results, runs };
  return gatesIn(thresholds, places, placesOf(groupRuns(kept), kept));
}

/** Of a single measurement. */
export function measurementGates(
  thresholds: readonly Threshold[],
  measurement: Measurement,
  baseline: Grouped | null,
): JudgedGate[] {
  const bases = baseline === null ? [] : namedCells(groupRuns(baseline));
  const place = { scenario: "", label: measurement.url };
  const cell = { ...place, runs: [measurement], estimates: new Map(), level: 0.95 };
  const gated: GatedCell = {
    cell,
    baseline: bases.length === 1 ? { ...bases[0].cell, level: cell.level } : null,
    between: () => ({ kind: "unknown" }),
  };
  const places = { cells: [gated], ground: null, hasBaseline: baseline !== null };
  return judgeTogether(gatesIn(thresholds, places, { ...places, cells: [] }));
}

/** Where thresholds are held against what. */
interface Places {
  readonly cells: readonly GatedCell[];
  /** What thresholds that name their cells find these in; null: a single measurement, which has none to name. */
  readonly ground: Ground | null;
  readonly hasBaseline: boolean;
}

/** A cell with its counterpart in the baseline; null when that has none. */
interface GatedCell {
  readonly cell: JudgedCell;
  readonly baseline: JudgedCell | null;
  /** What stands between the two, besides what their runs show. */
  readonly between: (figure: FigureName) => Between;
}

function gatedCells(
  scenarios: readonly ScenarioRuns[],
  results: Grouped,
  { baseline, spread }: Required<GateOptions>,
): GatedCell[] {
  const cells = namedCells(scenarios);
  const bases = baseline === null ? [] : namedCells(groupRuns(baseline));
  const { pairs } = matchCells(bases, cells);
  const isOne = baseline !== null && areOneSession(baseline, results);
  const between = (figure: FigureName): Between => {
    const { estimate } = FIGURES[figure];
    return isOne ? ONE_SESSION : betweenOf(estimate === null ? null : spread(estimate), 2);
  };
  return cells.map((named) => {
    const base = pairs.find(({ next }) => next === named)?.base;
    const { cell } = named;
    return { cell, baseline: base ? { ...base.cell, level: cell.level } : null, between };
  });
}

/** @param again The same by the runs that nothing disturbed; null where that is all. */
function gatesIn(
  thresholds: readonly Threshold[],
  places: Places,
  again: Places | null,
): Gate[] {
  return thresholds.filter(({ against }) => against !== "baseline" || places.hasBaseline)
    .flatMap((threshold) => {
      const placed = placedGates(threshold, places);
      const sure = again === null || threshold.against === "baseline"
        ? placed
        : withoutContention(threshold, placed, again);
      return sure.map(({ scenario, label, evidence }): Gate => ({
        threshold: threshold.text,
        scenario,
        label,
        evidence,
      }));
    });
}

/** What a threshold found in a place of the results. */
interface Placed extends Pick<JudgedGate, "scenario" | "label"> {
  readonly evidence: GateEvidence;
  /** The cells behind it, that of the figure first. */
  readonly cells: readonly JudgedCell[];
}

function placedGates(threshold: Threshold, { cells, ground }: Places): Placed[] {
  if (threshold.against === "cells") return ground === null ? [] : pairGates(threshold, ground);
  if (cells.length === 0) return [nowhere({ code: "nothing-measured" })];
  const judged = (gated: GatedCell): Placed => ({
    scenario: gated.cell.scenario,
    label: gated.cell.label,
    evidence: threshold.against === "limit"
      ? limitEvidence(threshold, gated.cell)
      : baselineEvidence(threshold, gated),
    cells: [gated.cell],
  });
  if (threshold.selector === undefined || ground === null) return cells.map(judged);
  const chosen = chosenBy(threshold.selector, ground);
  if ("none" in chosen) return [nowhere(chosen.none)];
  return chosen.members.map((member): Placed => {
    const { cell: named, missingReason } = member;
    const place = placeOf(member);
    if (named === null) {
      return {
        ...place,
        evidence: absent({ code: "cell-not-measured", cell: "it", why: missingReason }),
        cells: [],
      };
    }
    const gated = cells.find(({ cell }) =>
      cell.scenario === named.scenario && cell.label === named.label
    );
    if (gated !== undefined) return { ...judged(gated), ...place };
    // A step is no cell of its own, but has figures as one has.
    const evidence = threshold.against === "limit"
      ? limitEvidence(threshold, named)
      : absent({ code: "nothing-measured" });
    return { ...place, evidence, cells: [named] };
  });
}

function placeOf({ scenario, label }: Member): Pick<Placed, "scenario" | "label"> {
  return { scenario, label: label.slice(`${scenario}, `.length) };
}

/** A gate that looked at nothing must not open. */
function nowhere(absence: Absence): Placed {
  return { scenario: "", label: "", evidence: absent(absence), cells: [] };
}

// What a busy machine may have decided: it makes a target slower than it is, never faster.

type OwnThreshold = Exclude<Threshold, { readonly against: "baseline" }>;

/** Outcomes that a busy machine may have made stand where the undisturbed runs alone come to the same. */
function withoutContention(
  threshold: OwnThreshold,
  placed: readonly Placed[],
  again: Places,
): Placed[] {
  if (!placed.some((one) => isDoubtful(threshold, one))) return [...placed];
  const undisturbed = placedGates(threshold, again)
    .filter(({ evidence }) => evidence.found.code !== "absent");
  return placed.map((one) => {
    if (!isDoubtful(threshold, one)) return one;
    const { outcome = "inconclusive" } = undisturbed.find((other) => areOfOnePlace(one, other))
      ?.evidence ?? {};
    return outcome === one.evidence.outcome ? one : doubted(one, outcome);
  });
}

function areOfOnePlace(one: Placed, other: Placed): boolean {
  return one.scenario === other.scenario && one.label === other.label &&
    one.cells.every(({ scenario, label }, i) =>
      other.cells[i]?.scenario === scenario && other.cells[i].label === label
    );
}

/** Whether the outcome could be another on a quiet machine. */
function isDoubtful(
  threshold: OwnThreshold,
  { evidence: { outcome, found }, cells: [of, to] }: Placed,
): boolean {
  if (outcome === "inconclusive" || found.code === "absent") return false;
  if (beyondLimit(threshold, found) >= BEYOND_CONTENTION_RATIO) return false;
  const opens = [
    ...contentionOpens(threshold.figure, of),
    ...threshold.against === "cells" ? contentionOpens(threshold.to.figure, to).map(turned) : [],
  ];
  const isRaised = isBelow(threshold.relation) === (outcome === "held");
  return opens.some(({ toward }) => toward === "either" || (toward === "more") === isRaised);
}

/** A request that failed did fail, so only figures of speed are open. */
function contentionOpens(
  figure: FigureName,
  cell: JudgedCell | undefined,
): Pick<Open, "toward">[] {
  const toward = FIGURES[figure].contention === "fails" ? null : contentionToward(figure);
  return toward === null || cell === undefined || cell.runs.every(isUndisturbed)
    ? []
    : [{ toward }];
}

/** How many times a figure is beyond its limit, or the limit beyond it. */
function beyondLimit(threshold: OwnThreshold, found: GateFound): number {
  const times = found.code === "figure" && threshold.against === "limit"
    ? found.range.value / threshold.limit
    : found.code === "cells" && threshold.against === "cells"
    ? (found.ratio?.value ?? 1) / threshold.factor
    : 1;
  return Math.max(times, 1 / times);
}

function doubted(placed: Placed, without: Outcome): Placed {
  const { evidence: { found }, cells } = placed;
  const runs = cells.flatMap((cell) => cell.runs);
  const invalid = runs.filter((run) => !isUndisturbed(run)).length;
  const why = { code: "busy-machine", invalid, runs: runs.length, without } as const;
  return { ...placed, evidence: undecided(found, why) };
}

// Thresholds with a limit, such as `p99 < 50ms`.

type LimitThreshold = Extract<Threshold, { readonly against: "limit" }>;

function limitEvidence(threshold: LimitThreshold, cell: JudgedCell): GateEvidence {
  const { figure, unit } = threshold;
  const range = rangeOf(figure, cell);
  if ("none" in range) return absent({ code: "nothing-to-judge", why: range.none });
  const { counted } = FIGURES[figure];
  if (counted !== null) return countEvidence(threshold, cell.runs.map(counted), cell.level);
  const found: GateFound = { code: "figure", figure, unit, range };
  const measured = { cell, range, found };
  const percentile = percentileIn(figure);
  const evidence = percentile === null
    ? overRuns(threshold, measured, range.isAtLeast ? [openAbove(figure, cell)] : [])
    : percentileEvidence(threshold, percentile, measured);
  return steadily(evidence, [figure, cell]);
}

/** Lower bounds leave open how large the figure is, so they can't show that it is small, only that it is large. */
function openAbove(figure: FigureName, { runs }: JudgedCell): Open {
  const why: Reason = figure === "capacity" ? { code: "at-least", name: "it" } : requestsOpen(runs);
  return { toward: "more", mostRatio: Infinity, why };
}

interface MeasuredFigure {
  readonly cell: JudgedCell;
  readonly range: FigureRange;
  readonly found: GateFound;
}

/**
 * By the interval over runs; of one run, or of an extreme, by the measured value. Of runs of two kinds the interval does
 * not cover the truth as often as it says: they decide only where all of them are on the same side.
 */
function overRuns(
  { relation, limit, unit }: LimitThreshold,
  { cell, range, found }: MeasuredFigure,
  opens: readonly Open[],
): GateEvidence {
  const { value, interval, byRun } = range;
  const allowed = allowedBy(relation, limit);
  const groups = interval && twoGroupsOf(byRun);
  if (groups && new Set(byRun.map((one) => isAllowed(one, allowed))).size > 1) {
    return undecided(found, { code: "groups", groups, unit });
  }
  const { outcome, open } = check(interval ?? exactly(value), allowed, opens);
  if (open !== null) return undecided(found, open.why);
  if (interval === null) return fact(outcome, found);
  const { level, runs: { length: runs } } = cell;
  const { p, runsNeeded } = distanceTo(limit, { value, interval, runs, level });
  return tested(found, { outcome, p, remedy: moreRuns(runsNeeded) });
}

function moreRuns(runs: number | null, isEachSide = false): Reason {
  return { code: "more-runs", runs, isEachSide };
}

/** What lasts as long as the load is no figure of the target where it changes all the while: no gate opens by it. */
function steadily(
  evidence: GateEvidence,
  ...figures: readonly (readonly [FigureName, JudgedCell])[]
): GateEvidence {
  if (evidence.outcome !== "held") return evidence;
  const [unsteady] = figures.flatMap(([figure, { runs }]) =>
    FIGURES[figure].isLasting ? unsteadyOf(runs) ?? [] : []
  );
  return unsteady === undefined
    ? evidence
    : undecided(evidence.found, { code: "unsteady", unsteady });
}

// Percentiles of times: by requests as long as they are too few for the interval over the runs to say anything, and not
// where lower bounds could move it across the limit.

function percentileEvidence(
  threshold: LimitThreshold,
  { of, percentile }: PercentileOf,
  measured: MeasuredFigure,
): GateEvidence {
  const { cell: { runs, level }, range, found } = measured;
  const shares = sharesBeyond(threshold, of, runs);
  const allowed = allowedShare(percentile);
  const { of: count, count: sure } = pooled(shares.sure);
  const isMovable = pooled(shares.most).count > sure;
  const isSupported = supportsPercentile(count, percentile);
  if (isSupported && range.interval !== null) {
    if (!isMovable) return overRuns(threshold, measured, []);
    const { value, atMost } = of === "latency"
      ? percentileBounds(runs, percentile)
      : { value: 1, atMost: Infinity };
    const why = requestsOpen(runs);
    const open: Open = { toward: "more", mostRatio: atMost / value, why };
    const evidence = overRuns(threshold, measured, [open]);
    // Beyond the limit only where it is so even with every lower bound as a value.
    const isLarge = isBelow(threshold.relation) === (evidence.outcome === "broken");
    return evidence.outcome === "inconclusive" || !isLarge || shareOf(shares.sure) > allowed
      ? evidence
      : undecided(found, why);
  }
  const test = shareTest(threshold, shares, { allowed, level });
  if (test.outcome === "broken") return tested(found, test);
  if (!isSupported) {
    const needed = Math.ceil(1_000 / Math.min(percentile, 100 - percentile) * (1 - 1e-9));
    return undecided(found, { code: "few-requests", percentile, needed, count });
  }
  // Without the bounds it would be decided, so they are what is in the way.
  const without = shareTest(threshold, { ...shares, most: shares.sure }, { allowed, level });
  return test.outcome === "inconclusive" && without.outcome !== "inconclusive"
    ? undecided(found, requestsOpen(runs))
    : tested(found, test);
}

// Shares of requests: `success >= 99.9%`, `5xx < 0.1%`.

/**
 * By the interval of the counts of all runs. A limit of 0 % or 100 % is no estimate but a demand on every request
 * that was measured, and judged by the counts alone: no number of requests proves that none will ever fail.
 */
function countEvidence(
  { figure, relation, limit }: LimitThreshold,
  counted: readonly Proportion[],
  level: number,
): GateEvidence {
  const counts = counted.filter(({ of }) => of > 0);
  const allowed = allowedBy(relation, limit);
  const { value, ...interval } = pooledShare(counts, level);
  const found = (range: Range): GateFound => ({ code: "share", figure, range });
  if (limit === 0 || limit === 1) {
    return fact(sideOf(exactly(value), allowed), found({ value, interval: null }));
  }
  const { count, of } = pooled(counts);
  const isFlawless = Math.min(count, of - count) === 0;
  const like = !isFlawless
    ? null
    : figure === "success" || figure === "errors"
    ? "without a failure"
    : "like these";
  return tested(found({ value, interval }), {
    outcome: sideOf(interval, allowed),
    p: shareP(counts, limit),
    remedy: {
      code: "more-requests",
      requests: requestsToDecide(counts, limit, level),
      like,
    },
  });
}

// Thresholds such as `p99 not worse than baseline by 5%`, held against a cell and its counterpart. Where these were
// measured at different times, more may have changed than the target: unless it is known by how much sessions differ,
// "worse" then is sure of these two sessions only, and does not fail.

type BaselineThreshold = Extract<Threshold, { readonly against: "baseline" }>;

function baselineEvidence(
  { figure, unit, marginRatio, better }: BaselineThreshold,
  { cell, baseline, between }: GatedCell,
): GateEvidence {
  const now = rangeOf(figure, cell);
  if ("none" in now) return absent({ code: "nothing-to-judge", why: now.none });
  if (baseline === null) {
    return absent({ code: "no-baseline", why: "the baseline has no such cell" });
  }
  const before = rangeOf(figure, baseline);
  if ("none" in before) return absent({ code: "no-baseline", why: before.none });
  const known = { figure, unit, now, before, marginRatio };
  const found = (ratio: Range | null, isOfSessions = false): GateFound => ({
    code: "baseline",
    ...known,
    ratio,
    isOfSessions,
  });
  const runs = Math.min(cell.runs.length, baseline.runs.length);
  if (runs < 2) return undecided(found(null), { code: "one-run-a-side" });
  const open = [...now.isAtLeast ? cell.runs : [], ...before.isAtLeast ? baseline.runs : []];
  if (open.length > 0) return undecided(found(null), requestsOpen(open));
  const groups = twoGroupsOf(now.byRun) ?? twoGroupsOf(before.byRun);
  if (groups !== null) return undecided(found(null), { code: "groups", groups, unit });
  const sessions = between(figure);
  const more = sessions.kind === "known" ? sessions.variances : [];
  const ratio = ratioRangeOf(figure, cell, baseline, more);
  if (ratio === null || ratio.interval === null) {
    return undecided(found(null), { code: "no-interval" });
  }
  const { value, interval } = ratio;
  const isUnknown = sessions.kind === "unknown";
  const allowed = better === "lower"
    ? allowedBy("<=", 1 + marginRatio)
    : allowedBy(">=", 1 / (1 + marginRatio));
  const outcome = sideOf(interval, allowed);
  if (isUnknown && outcome === "broken") {
    return undecided(found(ratio), { code: "other-session" });
  }
  const limit = better === "lower" ? allowed.high : allowed.low;
  const { p, runsNeeded } = distanceTo(limit, { value, interval, runs, level: cell.level });
  const remedy = moreRuns(runsNeeded, true);
  const evidence = tested(found(ratio, isUnknown && outcome === "held"), { outcome, p, remedy });
  return steadily(evidence, [figure, cell], [figure, baseline]);
}

// Thresholds of one figure against another: `rate(cached) > 2 × rate(plain)`, for each pair of cells that agrees in all
// else, by the interval of their ratio.

type CellsThreshold = Extract<Threshold, { readonly against: "cells" }>;

function pairGates(threshold: CellsThreshold, ground: Ground): Placed[] {
  const pairs = figurePairs(threshold, threshold.to, ground);
  if ("none" in pairs) return [nowhere(pairs.none[0])];
  return pairs.map(({ left, right }) => {
    const of = amountOf(threshold.figure, left);
    const to = amountOf(threshold.to.figure, right);
    const evidence = "none" in of
      ? absent(of.none)
      : "none" in to
      ? absent(to.none)
      : pairEvidence(threshold, { of, to }, ground.ratioOf);
    const cells = [left, right].flatMap(({ cell }) => cell ?? []);
    return { ...placeOf(left), evidence, cells };
  });
}

function pairEvidence(
  { relation, factor, unit }: CellsThreshold,
  { of, to }: { readonly of: Amount; readonly to: Amount },
  ratioOf: RatioOf,
): GateEvidence {
  const found = (ratio: Range | null): GateFound => ({
    code: "cells",
    of,
    to,
    unit,
    ratio,
    relation,
    factor,
  });
  const groups = twoGroupsOf(of.range.byRun) ?? twoGroupsOf(to.range.byRun);
  if (groups !== null) return undecided(found(null), { code: "groups", groups, unit });
  const ratio = ratioOfAmounts(of, to, ratioOf);
  if (ratio === null) return undecided(found(null), { code: "no-ratio" });
  const { value, interval } = ratio;
  if (interval === null) return undecided(found(null), whyNoInterval([of, to]));
  const opens = [...of.opens, ...to.opens.map(turned)];
  const { outcome, open } = check(interval, allowedBy(relation, factor), opens);
  if (open !== null) return undecided(found(ratio), open.why);
  const runs = Math.min(of.cell.runs.length, to.cell.runs.length);
  const { p, runsNeeded } = distanceTo(factor, { value, interval, runs, level: of.cell.level });
  const evidence = tested(found(ratio), { outcome, p, remedy: moreRuns(runsNeeded, true) });
  return steadily(evidence, [of.figure, of.cell], [to.figure, to.cell]);
}

// All thresholds of a command together.

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
): JudgedGate[] {
  const raised = holmOfKnown([...gates.map(({ evidence: { p } }) => p), ...besides]);
  const tests = raised.filter((p) => p !== null).length;
  return gates.map(({ evidence: { outcome, found, reason, remedy }, ...named }, i) => {
    const isSure = outcome !== "broken" || (raised[i] ?? 0) <= SIGNIFICANCE;
    return isSure
      ? { ...named, outcome: OUTCOMES[outcome], found, reason }
      : { ...named, outcome: "inconclusive", found, reason: { code: "family", tests, remedy } };
  });
}

/** Fail before inconclusive before pass; pass of none. */
export function worstOf(
  outcomes: readonly { readonly outcome: ThresholdOutcome }[],
): ThresholdOutcome {
  const isThere = (outcome: ThresholdOutcome): boolean =>
    outcomes.some((one) => one.outcome === outcome);
  return isThere("fail") ? "fail" : isThere("inconclusive") ? "inconclusive" : "pass";
}
