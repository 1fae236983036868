/**
 * Thresholds × results → pass, fail or inconclusive. A gate opens, or shuts, by evidence: where the 95 % interval of its
 * figure lies on one side of the limit. The rate or the extreme of one run is what it is. What was not measured fails: a
 * gate that looked at nothing must not open. On a busy machine a target is slower than it is: what passes in spite of
 * that passes, and what fails is inconclusive unless it fails without the disturbed runs, too.
 */
import type { FigureName } from "../../base/figures/figure.ts";
import type { Measurement, Threshold } from "../../runner/result/result.ts";
import { holmOfKnown } from "../../runner/stats/comparison/significance_tests.ts";
import { twoGroupsOf } from "../../runner/stats/comparison/two_groups.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import { ratioInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import {
  pooled,
  pooledShare,
  requestsToDecide,
  shareP,
} from "../../runner/stats/confidence/proportion_interval.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import { type Grouped, groupRuns, type ScenarioRuns, unsteadyOf } from "../cells/cells.ts";
import { cellsOf, matchCells } from "../cells/match.ts";
import { runAlone } from "../cells/measured.ts";
import { type FigureRange, FIGURES, rangeOf } from "../figures/figures.ts";
import type { JudgedCell, Range } from "../figures/range.ts";
import {
  amountOf,
  contentionToward,
  isUndisturbed,
  openAbove,
  ratioOfAmounts,
  ratioOfFigure,
  requestsOpen,
  sideFound,
  whyNoInterval,
} from "./amounts.ts";
import { type Between, ONE_SESSION, type RatioOf } from "./ratio_of.ts";
import {
  absencesIn,
  chosenBy,
  figurePairs,
  type Ground,
  groundBy,
  groundOf,
  type Member,
  type Ruled,
} from "./ground.ts";
import {
  allowedShare,
  percentileIn,
  type PercentileOf,
  sharesBeyond,
  shareTest,
  type Tested,
} from "./percentile_limits.ts";
import type { Absence, Absent, Found, Outcome, Reason } from "./found.ts";
import {
  allowedBy,
  BEYOND_CONTENTION_RATIO,
  check,
  distanceTo,
  type Distant,
  exactly,
  isAllowed,
  isBelow,
  type Open,
  sideOf,
  turned,
} from "./rules.ts";
import { areOneSession, betweenOf, type SessionSpread } from "./sessions.ts";

export type ThresholdOutcome = "pass" | "fail" | "inconclusive";

const OUTCOMES: Readonly<Record<Outcome, ThresholdOutcome>> = {
  held: "pass",
  broken: "fail",
  inconclusive: "inconclusive",
};

/** A threshold held against a cell, or against one of several places that it names. */
export interface JudgedGate {
  /** The threshold, as it was written. */
  readonly threshold: string;
  /** "" for a single measurement. */
  readonly scenario: string;
  readonly label: string;
  readonly outcome: ThresholdOutcome;
  readonly found: Found;
  /** Why it is inconclusive; null where it is decided. */
  readonly reason: Reason | null;
}

export interface GateEvidence {
  /** By itself. */
  readonly outcome: Outcome;
  readonly found: Found;
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
export function fact(outcome: Outcome, found: Found): GateEvidence {
  return { outcome, found, reason: null, p: null, remedy: null };
}

function absent(...absences: readonly Absence[]): GateEvidence {
  return fact("broken", { code: "absent", absences });
}

function undecided(found: Found, reason: Reason): GateEvidence {
  return { outcome: "inconclusive", found, reason, p: null, remedy: null };
}

/** What was estimated, and lies on one side of the limit or across it. */
export function tested(found: Found, { outcome, p, remedy }: Tested): GateEvidence {
  const reason = outcome === "inconclusive" ? remedy : null;
  return { outcome, found, reason, p: outcome === "broken" ? p : 1, remedy };
}

/** Tested by an interval over runs. */
function testedByRuns(
  found: Found,
  outcome: Outcome,
  { limit, isEachSide = false, ...distant }: Distant & { limit: number; isEachSide?: boolean },
): GateEvidence {
  const { p, runsNeeded } = distanceTo(limit, distant);
  return tested(found, { outcome, p, remedy: { code: "more-runs", runs: runsNeeded, isEachSide } });
}

/** A threshold on a cell, with what the measurements say of it by itself. */
export interface Gate extends Pick<JudgedGate, "threshold" | "scenario" | "label"> {
  readonly evidence: GateEvidence;
}

interface GateOptions {
  /** Null: there is none, and thresholds that need it are left out. */
  readonly baseline?: Grouped | null;
  /** By how much sessions differ. Default: nobody knows. */
  readonly spread?: SessionSpread;
}

/** Every threshold on every cell, before Holm's method: what else decides with them may still be added. */
export function gatesOf(
  thresholds: readonly Threshold[],
  scenarios: readonly ScenarioRuns[],
  results: Ruled,
  { baseline = null, spread = () => null }: GateOptions = {},
): Gate[] {
  const judged = thresholds.filter(({ against }) => against !== "baseline" || baseline !== null);
  if (judged.length === 0) return [];
  const ground = groundOf(scenarios, results);
  const again = groundBy(isUndisturbed, ground);
  const before = baselineOf(scenarios, results, { baseline, spread });
  return judged.flatMap((threshold): Gate[] => {
    const { text } = threshold;
    const places = placesOf(threshold, ground);
    // A gate that looked at nothing must not open.
    if ("none" in places) {
      return [{ threshold: text, scenario: "", label: "", evidence: absent(places.none[0]) }];
    }
    return places.map((place) => {
      const [{ scenario, name: label }] = place;
      const own = evidenceOf(threshold, place, { ...ground, before });
      const evidence = again === null ? own : withoutContention(threshold, { place, own }, again);
      return { threshold: text, scenario, label, evidence };
    });
  });
}

/** Of a single measurement, whose thresholds name no cells. */
export function measurementGates(
  thresholds: readonly Threshold[],
  measurement: Measurement,
  baseline: Grouped | null,
): JudgedGate[] {
  const results = { runs: [runAlone(measurement, "")] };
  return judgeTogether(gatesOf(thresholds, groupRuns(results), results, { baseline }))
    .map((gate) => ({ ...gate, scenario: "", label: measurement.url }));
}

/** A cell; or two that are held against each other. */
type Place = readonly Member[];

function placesOf(threshold: Threshold, ground: Ground): readonly Place[] | Absent {
  if (threshold.against === "cells") return figurePairs(threshold, threshold.to, ground);
  const { selector } = threshold;
  const chosen = selector === undefined
    ? { members: ground.members.filter(({ cell, isStep }) => cell !== null && !isStep) }
    : chosenBy(selector, ground);
  if ("none" in chosen) return chosen;
  return chosen.members.length === 0
    ? { none: [{ code: "nothing-measured" }] }
    : chosen.members.map((member) => [member]);
}

function evidenceOf(
  threshold: Threshold,
  place: Place,
  { ratioOf, before }: Pick<Ground, "ratioOf"> & { readonly before: BaselineOf },
): GateEvidence {
  if (threshold.against === "cells") return pairEvidence(threshold, place, ratioOf);
  const [{ cell, label, missingReason }] = place;
  if (cell === null) {
    return absent({ code: "cell-not-measured", cell: label, why: missingReason });
  }
  return threshold.against === "limit"
    ? limitEvidence(threshold, cell)
    : baselineEvidence(threshold, cell, before);
}

// What a busy machine may have decided: it makes a target slower than it is, never faster.

/** An outcome that a busy machine may have made stands where the undisturbed runs alone come to the same. */
function withoutContention(
  threshold: Threshold,
  { place, own }: { readonly place: Place; readonly own: GateEvidence },
  again: Ground,
): GateEvidence {
  if (threshold.against === "baseline" || !isDoubtful(threshold, own, place)) return own;
  const kept = place.flatMap(({ label }) =>
    again.members.filter((one) => one.label === label && one.cell !== null)
  );
  const without = kept.length < place.length
    ? "inconclusive"
    : evidenceOf(threshold, kept, { ...again, before: () => null }).outcome;
  if (without === own.outcome) return own;
  const runs = place.flatMap(({ cell }) => cell?.runs ?? []);
  const invalid = runs.filter((run) => !isUndisturbed(run)).length;
  return undecided(own.found, { code: "busy-machine", invalid, runs: runs.length, without });
}

/** Whether the outcome could be another on a quiet machine. */
function isDoubtful(
  threshold: Exclude<Threshold, { readonly against: "baseline" }>,
  { outcome, found }: GateEvidence,
  [of, to]: Place,
): boolean {
  if (outcome === "inconclusive" || found.code === "absent") return false;
  // How many times a figure is beyond its limit, or the limit beyond it.
  const times = found.code === "value" && threshold.against === "limit"
    ? (found.of.value ?? NaN) / threshold.limit
    : found.code === "ratio" && threshold.against === "cells"
    ? (found.ratio?.value ?? 1) / threshold.factor
    : 1;
  if (Math.max(times, 1 / times) >= BEYOND_CONTENTION_RATIO) return false;
  const opens = [
    ...contentionOpens(threshold.figure, of),
    ...threshold.against === "cells" ? contentionOpens(threshold.to.figure, to).map(turned) : [],
  ];
  const isRaised = isBelow(threshold.relation) === (outcome === "held");
  return opens.some(({ toward }) => toward === "either" || (toward === "more") === isRaised);
}

/** A request that failed did fail, so only figures of speed are open. */
function contentionOpens(figure: FigureName, { cell }: Member): Pick<Open, "toward">[] {
  const toward = FIGURES[figure].contention === "fails" ? null : contentionToward(figure);
  return toward === null || cell === null || cell.runs.every(isUndisturbed) ? [] : [{ toward }];
}

// Thresholds with a limit, such as `p99 < 50ms`.

type LimitThreshold = Extract<Threshold, { readonly against: "limit" }>;

function limitEvidence(threshold: LimitThreshold, cell: JudgedCell): GateEvidence {
  const { figure, unit } = threshold;
  const range = rangeOf(figure, cell);
  if ("none" in range) return absent({ code: "nothing-to-judge", why: range.none });
  if (FIGURES[figure].counted !== null) return countEvidence(threshold, cell);
  const of = sideFound({ name: figure, place: "", range }, unit);
  const found = { code: "value", of, interval: range.interval, limit: null } as const;
  const percentile = percentileIn(figure);
  const opens = range.isAtLeast ? [openAbove(figure, "", cell)] : [];
  const evidence = percentile === null
    ? overRuns(threshold, { cell, range, found }, opens)
    : percentileEvidence(threshold, percentile, { cell, range, found });
  return steadily(evidence, [figure, cell]);
}

interface MeasuredFigure {
  readonly cell: JudgedCell;
  readonly range: FigureRange;
  readonly found: Found;
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
  return testedByRuns(found, outcome, { limit, value, interval, runs, level });
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

/**
 * Percentiles of times: by requests as long as they are too few for the interval over the runs to say anything, and not
 * where lower bounds could move it across the limit.
 */
function percentileEvidence(
  threshold: LimitThreshold,
  { of, percentile }: PercentileOf,
  measured: MeasuredFigure,
): GateEvidence {
  const { cell, range, found } = measured;
  const { runs, level } = cell;
  const shares = sharesBeyond(threshold, of, runs);
  const allowed = allowedShare(percentile);
  const { of: count, count: sure } = pooled(shares.sure);
  const isMovable = pooled(shares.most).count > sure;
  const isSupported = supportsPercentile(count, percentile);
  if (isSupported && range.interval !== null) {
    if (!isMovable) return overRuns(threshold, measured, []);
    const open = openAbove(threshold.figure, "", cell);
    const evidence = overRuns(threshold, measured, [open]);
    // Beyond the limit only where it is so even with every lower bound as a value.
    const isLarge = isBelow(threshold.relation) === (evidence.outcome === "broken");
    return evidence.outcome === "inconclusive" || !isLarge || sure / count > allowed
      ? evidence
      : undecided(found, open.why);
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

/**
 * Shares of requests (`success >= 99.9%`, `5xx < 0.1%`): by the interval of the counts of all runs. A limit of 0 % or
 * 100 % is no estimate but a demand on every request that was measured, and judged by the counts alone: no number of
 * requests proves that none will ever fail.
 */
function countEvidence(
  { figure, relation, limit }: LimitThreshold,
  { runs, level }: JudgedCell,
): GateEvidence {
  const { counted } = FIGURES[figure];
  const counts = runs.flatMap((run) => counted?.(run) ?? []).filter(({ of }) => of > 0);
  const allowed = allowedBy(relation, limit);
  const { value, ...interval } = pooledShare(counts, level);
  const found = (share: Range): Found => ({ code: "share", name: figure, share });
  if (limit === 0 || limit === 1) {
    return fact(sideOf(exactly(value), allowed), found({ value, interval: null }));
  }
  const { count, of } = pooled(counts);
  const isFlawless = Math.min(count, of - count) === 0;
  const isOfErrors = figure === "success" || figure === "errors";
  return tested(found({ value, interval }), {
    outcome: sideOf(interval, allowed),
    p: shareP(counts, limit),
    remedy: {
      code: "more-requests",
      requests: requestsToDecide(counts, limit, level),
      like: !isFlawless ? null : isOfErrors ? "without a failure" : "like these",
    },
  });
}

// Thresholds such as `p99 not worse than baseline by 5%`, held against a cell and its counterpart. Where these were
// measured at different times, more may have changed than the target: unless it is known by how much sessions differ,
// "worse" then is sure of these two sessions only, and does not fail.

type BaselineThreshold = Extract<Threshold, { readonly against: "baseline" }>;

/** A cell's counterpart, and what stands between the two besides what their runs show; null when it has none. */
type BaselineOf = (cell: JudgedCell) =>
  | { readonly cell: JudgedCell; readonly between: (figure: FigureName) => Between }
  | null;

function baselineOf(
  scenarios: readonly ScenarioRuns[],
  results: Ruled,
  { baseline, spread }: Required<GateOptions>,
): BaselineOf {
  if (baseline === null) return () => null;
  const { pairs } = matchCells(cellsOf(groupRuns(baseline)), cellsOf(scenarios));
  const isOne = areOneSession(baseline, results);
  const between = (figure: FigureName): Between => {
    const { estimate } = FIGURES[figure];
    return isOne ? ONE_SESSION : betweenOf(estimate === null ? null : spread(estimate), 2);
  };
  return (cell) => {
    const base = pairs.find(({ next }) => next === cell)?.base;
    return base === undefined ? null : { cell: { ...base, level: cell.level }, between };
  };
}

function baselineEvidence(
  { figure, unit, marginRatio, better }: BaselineThreshold,
  cell: JudgedCell,
  before: BaselineOf,
): GateEvidence {
  const now = rangeOf(figure, cell);
  if ("none" in now) return absent({ code: "nothing-to-judge", why: now.none });
  const base = before(cell);
  if (base === null) return absent({ code: "no-baseline", why: "the baseline has no such cell" });
  const baseline = base.cell;
  const then = rangeOf(figure, baseline);
  if ("none" in then) return absent({ code: "no-baseline", why: then.none });
  const isLower = better === "lower";
  const limit = isLower ? 1 + marginRatio : 1 / (1 + marginRatio);
  const allowed = allowedBy(isLower ? "<=" : ">=", limit);
  const found = (ratio: Range | null, isOfSessions = false): Found => ({
    code: "ratio",
    of: sideFound({ name: figure, place: "", range: now }, unit),
    to: sideFound({ name: figure, place: "the baseline", range: then }, unit),
    ...{ ratio, allowed, isOfSessions, verb: "allowed" },
  });
  const runs = Math.min(cell.runs.length, baseline.runs.length);
  if (runs < 2) return undecided(found(null), { code: "one-run-a-side" });
  const open = [...now.isAtLeast ? cell.runs : [], ...then.isAtLeast ? baseline.runs : []];
  if (open.length > 0) return undecided(found(null), requestsOpen(open));
  const groups = twoGroupsOf(now.byRun) ?? twoGroupsOf(then.byRun);
  if (groups !== null) return undecided(found(null), { code: "groups", groups, unit });
  const between = base.between(figure);
  const sides = [{ cell, range: now }, { cell: baseline, range: then }] as const;
  const ratio = ratioOfFigure(figure, sides, (of, to) =>
    ratioInterval(of, to, {
      confidence: cell.level,
      between: between.kind === "known" ? between.variances : [],
    }));
  if (!ratio?.interval || ratio.value === 0 || ratio.value === Infinity) {
    return undecided(found(null), { code: "no-interval" });
  }
  const { value, interval } = ratio;
  const outcome = sideOf(interval, allowed);
  const isUnknown = between.kind === "unknown";
  if (isUnknown && outcome === "broken") {
    return undecided(found(ratio), { code: "other-session" });
  }
  const evidence = testedByRuns(found(ratio, isUnknown && outcome === "held"), outcome, {
    ...{ limit, value, interval, runs, level: cell.level, isEachSide: true },
  });
  return steadily(evidence, [figure, cell], [figure, baseline]);
}

/**
 * Thresholds of one figure against another (`rate(cached) > 2 × rate(plain)`), for each pair of cells that agrees in all
 * else, by the interval of their ratio.
 */
function pairEvidence(
  { figure, relation, factor, unit, to: { figure: other } }: Extract<
    Threshold,
    { readonly against: "cells" }
  >,
  [left, right]: Place,
  ratioOf: RatioOf,
): GateEvidence {
  const [of, to] = [amountOf(figure, left), amountOf(other, right)];
  if ("none" in of || "none" in to) return absent(absencesIn([of, to])[0]);
  const allowed = allowedBy(relation, factor);
  const found = (ratio: Range | null): Found => ({
    code: "ratio",
    of: sideFound({ ...of, place: "" }, unit),
    to: sideFound(to, unit),
    ...{ ratio, allowed, isOfSessions: false, verb: "allowed" },
  });
  const groups = twoGroupsOf(of.range.byRun) ?? twoGroupsOf(to.range.byRun);
  if (groups !== null) return undecided(found(null), { code: "groups", groups, unit });
  const ratio = ratioOfAmounts(of, to, ratioOf);
  if (ratio === null) return undecided(found(null), { code: "no-ratio" });
  const { value, interval } = ratio;
  if (interval === null) return undecided(found(null), whyNoInterval([of, to]));
  const { outcome, open } = check(interval, allowed, [...of.opens, ...to.opens.map(turned)]);
  if (open !== null) return undecided(found(ratio), open.why);
  const runs = Math.min(of.cell.runs.length, to.cell.runs.length);
  const { level } = of.cell;
  const evidence = testedByRuns(found(ratio), outcome, {
    ...{ limit: factor, value, interval, runs, level, isEachSide: true },
  });
  return steadily(evidence, [figure, of.cell], [other, to.cell]);
}

/** The p-values of the gates that are tests, as they are. */
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
  const order = ["fail", "inconclusive"] as const;
  return order.find((one) => outcomes.some(({ outcome }) => outcome === one)) ?? "pass";
}
