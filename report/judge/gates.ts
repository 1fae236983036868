/**
 * Thresholds × results → pass, fail or inconclusive. A gate opens, or shuts, by evidence: where the 95 % interval of its
 * figure lies on one side of the limit. The rate or the extreme of one run is what it is. What was not measured fails: a
 * gate that looked at nothing must not open. On a busy machine a target is slower than it is: what passes in spite of
 * that passes, and what fails is inconclusive unless it fails without the disturbed runs, too.
 */
import type { FigureName, FigureUnit } from "../../base/figures/figure.ts";
import type { Distribution, Measurement, Threshold } from "../../runner/result/result.ts";
import { holmOfKnown } from "../../runner/stats/comparison/significance_tests.ts";
import { type SessionContrast, sessionsToDecide } from "../../runner/stats/comparison/sessions.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import {
  ratioInterval,
  studentInterval,
} from "../../runner/stats/confidence/confidence_interval.ts";
import {
  pooled,
  pooledShare,
  type Proportion,
  requestsToDecide,
  shareP,
} from "../../runner/stats/confidence/proportion_interval.ts";
import { countBeyond, decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { PERCENTILES, supportsPercentile } from "../../runner/stats/quantile.ts";
import { type Grouped, groupRuns, type ScenarioRuns, unsteadyOf } from "../cells/cells.ts";
import { cellsOf, matchCells } from "../cells/match.ts";
import { runAlone } from "../cells/measured.ts";
import { type FigureRange, FIGURES, rangeOf } from "../figures/figures.ts";
import type { Ends, JudgedCell, JudgedRun, Range } from "../figures/range.ts";
import {
  type Amount,
  contentionToward,
  isUndisturbed,
  openAbove,
  ratioOfAmounts,
  ratioOfFigure,
  requestsOpen,
  sideFound,
} from "./amounts.ts";
import { failureDispersion, latencyDispersion, oneRunEvidence } from "./one_run.ts";
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
  type Absent,
  type Allowed,
  asksForMore,
  type Found,
  type Outcome,
  type Reason,
} from "./found.ts";
import {
  absent,
  allowedBy,
  BEYOND_CONTENTION_RATIO,
  check,
  distanceTo,
  type Evidence,
  exactly,
  fact,
  isAllowed,
  isBelow,
  type Open,
  raisedTo,
  sideOf,
  tested,
  turned,
  undecided,
} from "./rules.ts";
import { type Between, contrastIn, type GroupPair, ONE_SESSION, slicedRatio } from "./ratio_of.ts";
import {
  areRounds,
  decidingAmount,
  decidingLevel,
  decidingRatioOf,
  overRounds,
  secondsOfRounds,
  sharesOver,
  whyUndecided,
} from "./rounds.ts";
import { type MeasuredSessions, sessionPairs } from "./sessions.ts";
import { groupsBehind } from "./ruled_groups.ts";
import {
  disturbedOpens,
  isRatioInTurns,
  loadSecondsFor,
  type SlicedOf,
  turnsIn,
  turnsOf,
} from "./slices.ts";

export type ThresholdOutcome = "pass" | "fail" | "inconclusive";

/** A threshold judged for a cell, or for one of several places that it names. */
export interface Gate {
  /** The threshold, as it was written. */
  readonly threshold: string;
  /** "" for a single measurement. */
  readonly scenario: string;
  readonly label: string;
  /** What the measurements say of it. */
  readonly evidence: Evidence;
}

interface GateOptions {
  /** Null: there is none, and thresholds that need it are left out. */
  readonly baseline?: Grouped | null;
  /** Sessions of either side before the baseline and the results, and others in which nothing but the session differed. */
  readonly before?: MeasuredSessions;
}

const NO_OTHERS: MeasuredSessions = { bases: [], nexts: [], earlier: [] };

/** Every threshold on every cell, before Holm's method: what else decides with them may still be added. */
export function gatesOf(
  thresholds: readonly Threshold[],
  scenarios: readonly ScenarioRuns[],
  results: Ruled,
  { baseline = null, before: sessions = NO_OTHERS }: GateOptions = {},
): Gate[] {
  const judged = thresholds.filter(({ against }) => against !== "baseline" || baseline !== null);
  if (judged.length === 0) return [];
  const ground = groundOf(scenarios, results);
  const again = groundBy(isUndisturbed, ground);
  const before = baselineOf(scenarios, results, { baseline, before: sessions });
  return judged.flatMap((threshold): Gate[] => {
    const places = placesOf(threshold, ground);
    const gate = (
      [{ scenario, name: label }]: readonly Pick<Member, "scenario" | "name">[],
      evidence: Evidence,
    ): Gate => ({
      ...{ threshold: threshold.text, scenario, label },
      // A gate that looked at nothing must not open.
      evidence: evidence.found.code === "absent" ? fact("broken", evidence.found) : evidence,
    });
    if ("none" in places) return [gate([{ scenario: "", name: "" }], absent([places.none[0]]))];
    return places.map((place) => {
      const own = evidenceOf(threshold, place, { ...ground, before });
      return gate(
        place,
        again === null
          ? own
          : validFirst(threshold, place, withoutContention(threshold, { place, own }, again)),
      );
    });
  });
}

/** Thresholds of a single measurement, which name no cells. */
export function measurementGates(
  thresholds: readonly Threshold[],
  measurement: Measurement,
  baseline: Grouped | null,
): Gate[] {
  const results = { runs: [runAlone(measurement, "")] };
  return judgeTogether(gatesOf(thresholds, groupRuns(results), results, { baseline }))
    .map((gate) => ({ ...gate, scenario: "", label: measurement.url }));
}

/** A cell; or two that are compared with each other. */
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
): Evidence {
  if (threshold.against === "cells") return pairEvidence(threshold, place, ratioOf);
  const [{ cell: measured, label, missingReason: why }] = place;
  if (measured === null) return absent([{ code: "cell-not-measured", cell: label, why }]);
  const cell = { ...measured, level: decidingLevel(measured) };
  const range = rangeOf(threshold.figure, cell);
  if ("none" in range) return absent([{ code: "nothing-to-judge", why: range.none }]);
  return threshold.against === "limit"
    ? limitEvidence(threshold, cell, range)
    : baselineEvidence(threshold, { cell, range: overRounds(range, cell) }, before(measured));
}

/**
 * What lasts as long as the load is not a figure of the target where it changes all the while: no gate opens by it, nor by
 * more of the same.
 */
function steadily(
  evidence: Evidence,
  ...figures: readonly (readonly [FigureName, JudgedCell])[]
): Evidence {
  const [unsteady] = figures.flatMap(([figure, { runs }]) =>
    FIGURES[figure].isLasting ? unsteadyOf(runs) ?? [] : []
  );
  const { outcome, reason } = evidence;
  const mayOpen = outcome === "held" || (reason !== null && asksForMore(reason));
  return unsteady !== undefined && mayOpen
    ? undecided(evidence.found, { code: "unsteady", unsteady })
    : evidence;
}

// What a busy machine may have decided: it makes a target slower than it is, never faster.

/** An outcome that a busy machine may have made stands where the undisturbed runs alone come to the same. */
function withoutContention(
  threshold: Threshold,
  { place, own }: { readonly place: Place; readonly own: Evidence },
  again: Ground,
): Evidence {
  if (!isDoubtful(threshold, own, place)) return own;
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

/** Whether the outcome could be another on a quiet machine. Both sides of a busy session, or in turns, are compared as they are. */
function isDoubtful(threshold: Threshold, { outcome, found }: Evidence, place: Place): boolean {
  if (threshold.against === "baseline" || outcome === "inconclusive") return false;
  if (found.code === "absent") return false;
  // The figure as a multiple of its limit, or the other way around.
  const times = found.code === "value" && threshold.against === "limit"
    ? (found.of.value ?? NaN) / threshold.limit
    : found.code === "ratio" && threshold.against === "cells"
    ? (found.ratio?.value ?? 1) / threshold.factor
    : 1;
  if (Math.max(times, 1 / times) >= BEYOND_CONTENTION_RATIO) return false;
  const isRaised = isBelow(threshold.relation) === (outcome === "held");
  return contentionIn(threshold, place)
    .some(({ toward }) => toward === "either" || (toward === "more") === isRaised);
}

/** Where no run is valid, that is the reason: more of the same would be disturbed as well. */
function validFirst(threshold: Threshold, place: Place, evidence: Evidence): Evidence {
  const runs = place.flatMap(({ cell }) => cell?.runs ?? []);
  const { reason } = evidence;
  const isInVain = reason !== null && asksForMore(reason) && !runs.some(isUndisturbed) &&
    threshold.against !== "baseline" && contentionIn(threshold, place).length > 0;
  return isInVain ? undecided(evidence.found, { code: "not-valid", runs: runs.length }) : evidence;
}

/** What contention may have done to the figures of a rule. */
function contentionIn(
  threshold: Exclude<Threshold, { readonly against: "baseline" }>,
  [of, to]: Place,
): Pick<Open, "toward">[] {
  const { figure, against } = threshold;
  if (against !== "cells") return contentionOpens(figure, of);
  const { figure: other } = threshold.to;
  if (isRatioInTurns([figure, other], [of.cell, to.cell])) return [];
  return [...contentionOpens(figure, of), ...contentionOpens(other, to).map(turned)];
}

/** A request that failed did fail, so only figures of speed are open. */
function contentionOpens(figure: FigureName, { cell }: Member): Pick<Open, "toward">[] {
  const toward = FIGURES[figure].contention === "fails" ? null : contentionToward(figure);
  return toward === null || cell === null || cell.runs.every(isUndisturbed) ? [] : [{ toward }];
}

// Thresholds with a limit, such as `p99 < 50ms`.

type LimitThreshold = Extract<Threshold, { readonly against: "limit" }>;

function limitEvidence(
  threshold: LimitThreshold,
  cell: JudgedCell,
  ofRuns: FigureRange,
): Evidence {
  const { figure, unit } = threshold;
  if (FIGURES[figure].counted !== null) return countEvidence(threshold, cell);
  const range = overRounds(ofRuns, cell);
  const of = sideFound({ name: figure, place: "", range }, unit);
  const found = { code: "value", of, interval: range.interval, limit: null } as const;
  const measured = { cell, range, found };
  const times = timesOf(figure);
  if (times !== null) return percentileEvidence(threshold, times, measured);
  if (ofRuns.interval !== null && range.interval === null) {
    return undecided(found, { code: "few-rounds" });
  }
  const opens = range.isAtLeast ? [openAbove(figure, "", cell)] : [];
  return steadily(overRuns(threshold, measured, opens), [figure, cell]);
}

interface MeasuredFigure {
  readonly cell: JudgedCell;
  readonly range: FigureRange;
  readonly found: Found;
}

/** Judges by the interval over runs; one run, or an extreme, by the measured value. */
function overRuns(
  { relation, limit, unit }: LimitThreshold,
  { cell, range, found }: MeasuredFigure,
  opens: readonly Open[],
): Evidence {
  const allowed = allowedBy(relation, limit);
  const { value, interval } = range;
  const groups = groupsBehind([{ amount: { range, cell }, power: 1 }], allowed);
  if (groups !== null) return undecided(found, { code: "groups", groups, unit });
  const { outcome, open } = check(interval ?? exactly(value), allowed, opens);
  if (open !== null) return undecided(found, open.why);
  if (interval === null) return fact(outcome, found);
  return testedByRuns(limit, { value, interval }, { found, outcome, cells: [cell] });
}

/** Tested by an interval over the runs of one cell, or of two that are compared with each other. */
function testedByRuns(
  limit: number,
  range: { readonly value: number; readonly interval: Ends },
  { found, outcome, cells }: Pick<Evidence, "found" | "outcome"> & {
    readonly cells: readonly JudgedCell[];
  },
): Evidence {
  const runs = Math.min(...cells.map((cell) => cell.runs.length));
  const { p, runsNeeded } = distanceTo(limit, { ...range, runs, level: cells[0].level });
  const remedy: Reason = areRounds(cells[0])
    ? { code: "longer", seconds: secondsOfRounds(cells[0], runsNeeded) }
    : { code: "more-runs", runs: runsNeeded, isEachSide: cells.length > 1 };
  return tested(found, { outcome, p, remedy });
}

/** Tested by the interval of a ratio over sessions. */
function testedBySessions(
  limit: number,
  range: { readonly value: number; readonly interval: Ends },
  { found, outcome, contrast, level }: Pick<Evidence, "found" | "outcome"> & {
    readonly contrast: SessionContrast;
    readonly level: number;
  },
): Evidence {
  const { base, next } = contrast.sessions;
  const { p } = distanceTo(limit, { ...range, runs: base + next, level });
  const sessions = sessionsToDecide(contrast, Math.abs(Math.log(range.value / limit)));
  return tested(found, { outcome, p, remedy: { code: "more-sessions", sessions } });
}

/**
 * Shares of requests (`success >= 99.9%`, `5xx < 0.1%`): by the interval of the counts of all runs, of a single run by that of
 * its clusters. A limit of 0 % or 100 % is not an estimate but a demand on every request that was measured, and judged by the
 * counts alone: no number of requests proves that none will ever fail.
 */
function countEvidence(
  { figure, relation, limit }: LimitThreshold,
  cell: JudgedCell,
): Evidence {
  const { runs, level } = cell;
  const counts = runs.flatMap((run) => FIGURES[figure].counted?.(run) ?? [])
    .filter(({ of }) => of > 0);
  const allowed = allowedBy(relation, limit);
  const found = (share: Range): Found => ({ code: "share", name: figure, share });
  const { count, of } = pooled(counts);
  if (limit === 0 || limit === 1) {
    return fact(sideOf(exactly(count / of), allowed), found({ value: count / of, interval: null }));
  }
  const isFlawless = Math.min(count, of - count) === 0;
  const isOfErrors = figure === "success" || figure === "errors";
  const like = !isFlawless ? null : isOfErrors ? "without a failure" : "like these";
  if (runs.length === 1) {
    const [run] = runs;
    const dispersion = failureDispersion(run, counts[0], isOfErrors);
    const terms = { run, dispersion, limit, allowed, level, found, like } as const;
    return oneRunEvidence({ sure: counts[0], most: counts[0] }, terms);
  }
  const shares = sharesOver(cell, counts);
  const { value, ...interval } = pooledShare(shares, level);
  return tested(found({ value, interval }), {
    outcome: sideOf(interval, allowed),
    p: raisedTo(level, shareP(shares, limit)),
    remedy: {
      code: "more-requests",
      requests: requestsToDecide(shares, limit, level),
      seconds: null,
      like,
    },
  });
}

// Percentiles of one run: by how many requests took longer than the limit. The p99 is below 50 ms where less than 1 % of
// the requests take as long. Within a run they come in queues and bursts, so that it counts for as many as it has clusters
// of slow requests: see `one_run.ts`.

const OF_REQUESTS = ["latency", "service", "firstByte", "connect"] as const;

interface Percentile {
  readonly of: typeof OF_REQUESTS[number];
  /** 0–100. */
  readonly percentile: number;
}

/** Null for figures that are no percentiles of times of requests. */
function timesOf(figure: FigureName): Percentile | null {
  const { distribution, statistic } = FIGURES[figure];
  const of = OF_REQUESTS.find((one) => one === distribution);
  return of === undefined || typeof statistic !== "number" ? null : { of, percentile: statistic };
}

/**
 * Judges by requests while they are too few for the interval over the runs to say anything, unless lower bounds could
 * move it across the limit.
 */
function percentileEvidence(
  threshold: LimitThreshold,
  { of, percentile }: Percentile,
  measured: MeasuredFigure,
): Evidence {
  const { cell: { runs, level }, cell, range, found } = measured;
  const { relation, limit } = threshold;
  const lasting = (evidence: Evidence): Evidence => steadily(evidence, [threshold.figure, cell]);
  // Below 50 ms, and not below it or above it.
  const beyond = allowedBy(relation === "<" || relation === ">=" ? ">=" : ">", limit);
  const isBeyond = (ms: number): boolean => isAllowed(ms, beyond);
  const shares = runs.filter((run) => run[of].count > 0)
    .map((run) => beyondOf(of, run, { ms: limit, isBeyond }));
  // Shares surely beyond the limit in each run, and at most, if every lower bound below the limit is
  // beyond it.
  const [sure, most] = [
    sharesOver(cell, shares.map((one) => one.sure)),
    sharesOver(cell, shares.map((one) => one.most)),
  ];
  // 0.01 for p99, without the dust of 1 − 0.99.
  const allowed = Number(((100 - percentile) / 100).toPrecision(12));
  const { of: count, count: longer } = pooled(sure);
  const isSupported = supportsPercentile(count, percentile);
  if (isSupported && range.interval !== null) {
    if (pooled(most).count === longer) return lasting(overRuns(threshold, measured, []));
    const open = openAbove(threshold.figure, "", cell);
    const evidence = overRuns(threshold, measured, [open]);
    // Beyond the limit only where it is so even with every lower bound as a value.
    const isLarge = isBelow(relation) === (evidence.outcome === "broken");
    return evidence.outcome === "inconclusive" || !isLarge || longer / count > allowed
      ? lasting(evidence)
      : undecided(found, open.why);
  }
  if (runs.length === 1) {
    return onlyRunEvidence(threshold, { of, percentile }, {
      ...{ cell, found, isBeyond, allowed, isSupported, value: range.value },
      share: { sure: sure[0], most: most[0] },
    });
  }
  const outcomeAt = (most: readonly Proportion[]): Outcome => {
    const isFew = pooledShare(most, level).high <= allowed;
    const isMany = pooledShare(sure, level).low > allowed;
    return isFew || isMany ? isFew === isBelow(relation) ? "held" : "broken" : "inconclusive";
  };
  const outcome = outcomeAt(most);
  if (outcome !== "broken" && !isSupported) {
    const needed = Math.ceil(1_000 / Math.min(percentile, 100 - percentile) * (1 - 1e-9));
    return undecided(found, { code: "few-requests", percentile, needed, count });
  }
  // Without the bounds it would be decided, so they are what is in the way.
  if (outcome === "inconclusive" && outcomeAt(sure) !== "inconclusive") {
    return undecided(found, requestsOpen(runs));
  }
  const requests = requestsToDecide(sure, allowed, level);
  return lasting(tested(found, {
    outcome,
    p: raisedTo(level, shareP(isBelow(relation) ? sure : most, allowed)),
    remedy: { code: "more-requests", requests, seconds: null, like: null },
  }));
}

interface OnlyRun extends Pick<MeasuredFigure, "cell" | "found"> {
  /** Value of the percentile. */
  readonly value: number;
  readonly share: Readonly<Record<"sure" | "most", Proportion>>;
  readonly isBeyond: (ms: number) => boolean;
  /** Share of requests that may lie beyond. */
  readonly allowed: number;
  readonly isSupported: boolean;
}

function onlyRunEvidence(
  { figure, relation, limit: limitMs }: LimitThreshold,
  { of, percentile }: Percentile,
  { cell: { runs: [run], level }, cell, value, found, share, isBeyond, allowed, isSupported }:
    OnlyRun,
): Evidence {
  const isShort = isBelow(relation);
  const dispersion = latencyDispersion(run, percentile, of === "latency" ? isBeyond : null);
  const judgeBy = (most: Proportion): Evidence =>
    oneRunEvidence({ ...share, most }, {
      ...{ run, level, like: null, found: () => found, dispersion },
      limit: allowed,
      allowed: isShort
        ? { low: -Infinity, high: allowed, isClosed: true }
        : { low: allowed, high: Infinity, isClosed: false },
    });
  const evidence = judgeBy(share.most);
  const { count, of: requests } = share.most;
  if (evidence.outcome !== "broken" && !isSupported) {
    const needed = Math.ceil(1_000 / Math.min(percentile, 100 - percentile) * (1 - 1e-9));
    return undecided(found, { code: "few-requests", percentile, needed, count: requests });
  }
  const levelAfterS = dispersion?.levelAfterS ?? null;
  const lasting = (evidence: Evidence): Evidence => {
    if (levelAfterS === 0) return evidence;
    const own = steadily(evidence, [figure, cell]);
    return own === evidence || levelAfterS === null
      ? own
      : undecided(found, { code: "wanders", seconds: loadSecondsFor(levelAfterS, run) });
  };
  if (evidence.outcome !== "inconclusive") return lasting(evidence);
  // Without the bounds it would be decided, so they are what is in the way.
  if (judgeBy(share.sure).outcome !== "inconclusive") return undecided(found, requestsOpen([run]));
  const independent = dispersion === null
    ? presumedIndependent(run, limitMs)
    : dispersion.effective * KNOWN_RATIO;
  const isFar = count <= allowed * requests && value * farWithin(allowed, independent) <= limitMs;
  if (isFar) return lasting(fact(isShort ? "held" : "broken", found));
  return levelAfterS === null ? lasting(evidence) : evidence;
}

/** Share of the effective samples that is relied on, because they are an estimate. */
const KNOWN_RATIO = 0.3;
/** A run too short to show how long its requests depend on each other is taken to forget within this, and within the limit. */
const FORGOTTEN_MS = 500;
/** Nothing nearer to its limit is far from it, however many independent stretches the run has. */
const LEAST_FAR = 10;

/**
 * A closed loop always has as many requests in flight, so that none is fast because few came: so many rounds of all
 * its connections are taken for one stretch.
 */
const ROUNDS = 10;

function presumedIndependent({ elapsedS, load, requests }: JudgedRun, limitMs: number): number {
  const byTime = elapsedS * 1_000 / Math.max(FORGOTTEN_MS, limitMs);
  if (load.kind !== "closed") return byTime;
  return Math.max(byTime, requests.completed / load.connections / ROUNDS);
}

/**
 * How many times below its limit a percentile must be to hold without ten clusters. The level of a stretch of latencies
 * that are about exponential, as those of queues are, and have the percentile at the limit, is below 1/k of it in
 * 1 − allowed^(1/k). So many independent stretches, at least the run as a whole, are all below it in less than 5 %.
 */
function farWithin(allowed: number, independent: number): number {
  const one = SIGNIFICANCE ** (1 / Math.max(1, independent));
  return Math.max(LEAST_FAR, Math.log(allowed) / Math.log1p(-one));
}

interface TimeLimit {
  readonly ms: number;
  /** True for the limit itself, too, or not, and for all that is longer. */
  readonly isBeyond: (ms: number) => boolean;
}

function beyondOf(
  of: Percentile["of"],
  run: JudgedRun,
  limit: TimeLimit,
): Record<"sure" | "most", Proportion> {
  const { latency: { censored, max }, requests: { dropped }, censoredHistogram, [of]: { count } } =
    run;
  const countIn = (histogram: string): number =>
    countBeyond(decodeSparse(histogram), max, limit.isBeyond);
  const sure = of === "latency" ? countIn(run.histogram) : count * shareBeyond(run[of], limit);
  // Lower bounds below the limit; as many as there may be, where only their number is known.
  const bounds = {
    latency: censored - (censoredHistogram === undefined ? 0 : countIn(censoredHistogram)),
    // What was never sent has no service time.
    service: Math.max(0, censored - dropped),
    ...{ firstByte: 0, connect: 0 },
  };
  const most = sure + Math.min(count - sure, bounds[of]);
  return { sure: { count: sure, of: count }, most: { count: most, of: count } };
}

/**
 * Where the results keep no histogram: between the percentiles that they keep, along a straight line from the
 * logarithm of one's share to that of the next, as tails fall about exponentially.
 */
function shareBeyond({ count, min, max, percentiles }: Distribution, limit: TimeLimit): number {
  const points = [
    { ms: min, share: 1 },
    ...PERCENTILES.map((p) => ({ ms: percentiles[`${p}`], share: (100 - p) / 100 })),
    { ms: max, share: 1 / count },
  ].filter(({ share }) => share * count >= 1);
  const next = points.findIndex(({ ms }) => limit.isBeyond(ms));
  if (next <= 0) return next === -1 ? 0 : 1;
  const [from, to] = [points[next - 1], points[next]];
  const part = (limit.ms - from.ms) / (to.ms - from.ms);
  return from.share * (to.share / from.share) ** part;
}

// Thresholds on the ratio of two figures: of a cell against its counterpart in a baseline, or against another cell.

/** Two figures that are compared with each other. */
interface Sides {
  readonly of: Side;
  readonly to: Side;
  readonly unit: FigureUnit;
  readonly limit: number;
  readonly allowed: Allowed;
}

type Side = Pick<Amount, "figure" | "name" | "place" | "range" | "cell">;

/**
 * Judges by the interval of the ratio. Between sessions, more than the target may have changed: unless it is known how
 * much sessions differ, the ratio is sure of these two sessions only, and decides nothing.
 *
 * @param why Why they have none to judge by, if they have none.
 */
function ratioEvidence(
  { of, to, unit, limit, allowed }: Sides,
  ratio: Range | null,
  { why, opens = [], between = ONE_SESSION }: {
    readonly why: Reason;
    readonly opens?: readonly Open[];
    readonly between?: Between;
  },
): Evidence {
  const [one, other] = [of, to].map((side) => sideFound(side, unit));
  const found = (ratio: Range | null): Found => ({
    ...{ code: "ratio", of: one, to: other, ratio, allowed, verb: "allowed" },
  });
  if (!ratio?.interval) return undecided(found(null), why);
  const { value, interval } = ratio;
  const { outcome, open } = check(interval, allowed, opens);
  if (open !== null) return undecided(found(ratio), open.why);
  if (between.kind === "unknown") {
    return undecided(found(ratio), { code: "other-session", within: outcome });
  }
  const contrast = contrastIn(between);
  const evidence = contrast === null
    ? testedByRuns(limit, { value, interval }, {
      ...{ found: found(ratio), outcome },
      cells: [of.cell, to.cell],
    })
    : testedBySessions(limit, { value, interval }, {
      ...{ found: found(ratio), outcome, contrast },
      level: of.cell.level,
    });
  return steadily(evidence, [of.figure, of.cell], [to.figure, to.cell]);
}

/** Null if the runs of both sides are of one kind. */
function groupsReason({ of, to, unit, allowed }: Sides, sliced: SlicedOf | null): Reason | null {
  const terms = [{ amount: of, power: 1 }, { amount: to, power: -1 }];
  const groups = groupsBehind(terms, allowed, turnsOf(of.figure, sliced));
  return groups && { code: "groups", groups, unit };
}

/** A cell's counterpart, and what stands between the two besides what their runs show. */
interface Counterpart extends Pick<GroupPair, "sliced"> {
  readonly cell: JudgedCell;
  readonly between: (figure: FigureName) => Between;
}

/** Null when a cell has none. */
type BaselineOf = (cell: JudgedCell) => Counterpart | null;

function baselineOf(
  scenarios: readonly ScenarioRuns[],
  results: Ruled,
  { baseline, before: { bases, nexts, earlier } }: Required<GateOptions>,
): BaselineOf {
  if (baseline === null) return () => null;
  const { pairs } = matchCells(cellsOf(groupRuns(baseline)), cellsOf(scenarios));
  const compared = sessionPairs(pairs, {
    bases: [...bases, baseline],
    nexts: [...nexts, results],
    earlier,
  });
  return (cell) => {
    const at = pairs.findIndex(({ next }) => next === cell);
    if (at === -1) return null;
    const { between: betweenBy, sliced } = compared[at];
    const between = (figure: FigureName): Between => {
      const { estimate } = FIGURES[figure];
      if (betweenBy === undefined) return ONE_SESSION;
      return estimate === null ? { kind: "unknown" } : betweenBy(estimate);
    };
    return { cell: pairs[at].base, between, sliced };
  };
}

function baselineEvidence(
  { figure, unit, marginRatio, better }: Extract<Threshold, { readonly against: "baseline" }>,
  now: Pick<Side, "cell" | "range">,
  base: Counterpart | null,
): Evidence {
  if (base === null) return absent([{ code: "no-baseline", why: "the baseline has no such cell" }]);
  const { level } = now.cell;
  const cell = { ...base.cell, level };
  const then = rangeOf(figure, cell);
  if ("none" in then) return absent([{ code: "no-baseline", why: then.none }]);
  const isLower = better === "lower";
  const limit = isLower ? 1 + marginRatio : 1 / (1 + marginRatio);
  const sides: Sides = {
    of: { ...now, figure, name: figure, place: "" },
    to: { cell, range: overRounds(then, cell), figure, name: figure, place: "the baseline" },
    ...{ unit, limit, allowed: allowedBy(isLower ? "<=" : ">=", limit) },
  };
  const both = [sides.of, sides.to] as const;
  const open = both.flatMap(({ cell, range }) => range.isAtLeast ? cell.runs : []);
  const between = base.between(figure);
  const contrast = contrastIn(between);
  const why: Reason | null = both.some(({ cell }) => cell.runs.length < 2)
    ? { code: "one-run-a-side" }
    : open.length > 0
    ? requestsOpen(open)
    : contrast === null
    ? groupsReason(sides, base.sliced ?? null)
    : contrast.groups && { code: "session-groups", groups: contrast.groups };
  const ratio = why === null
    ? ratioOfFigure(figure, both, (of, to, drawn) => {
      if (contrast !== null) return studentInterval(contrast.value, contrast, level);
      const sliced = base.sliced?.(drawn);
      return sliced
        ? slicedRatio(sliced, [of, to], level)
        : ratioInterval(of, to, { confidence: level });
    })
    : null;
  const isFinite = ratio !== null && ratio.value > 0 && ratio.value < Infinity;
  return ratioEvidence(sides, isFinite ? ratio : null, {
    why: why ?? { code: areRounds(cell) ? "few-rounds" : "no-interval" },
    opens: disturbedOpens(figure, base.sliced ?? null),
    between,
  });
}

/** `rate(cached) > 2 × rate(plain)`, for each pair of cells that agrees in all else, by the interval of their ratio. */
function pairEvidence(
  { figure, relation, factor: limit, unit, to: { figure: other } }: Extract<
    Threshold,
    { readonly against: "cells" }
  >,
  [left, right]: Place,
  ratioOf: Ground["ratioOf"],
): Evidence {
  const [of, to] = [decidingAmount(figure, left), decidingAmount(other, right)];
  if ("none" in of || "none" in to) return absent([absencesIn([of, to])[0]]);
  const sliced = turnsIn([figure, other], [left.cell, right.cell]);
  const allowed = allowedBy(relation, limit);
  // The first cell is named beside the threshold.
  const sides = { of: { ...of, place: "" }, to, unit, limit, allowed };
  const groups = groupsReason(sides, sliced);
  const ratio = groups === null
    ? ratioOfAmounts(of, to, decidingRatioOf(ratioOf, sliced, of.cell))
    : null;
  const isOf0 = Math.max(of.range.value, to.range.value) === 0;
  return ratioEvidence(sides, ratio, {
    why: groups ?? (isOf0 ? { code: "no-ratio" } : whyUndecided([of, to])),
    opens: [...of.opens, ...to.opens.map(turned), ...disturbedOpens(figure, sliced)],
  });
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
export function judgeTogether(gates: readonly Gate[], besides: readonly number[] = []): Gate[] {
  const raised = holmOfKnown([...gates.map(({ evidence: { p } }) => p), ...besides]);
  const tests = raised.filter((p) => p !== null).length;
  return gates.map((gate, i) => {
    const { outcome, found, remedy } = gate.evidence;
    const isSure = outcome !== "broken" || (raised[i] ?? 0) <= SIGNIFICANCE;
    return isSure
      ? gate
      : { ...gate, evidence: undecided(found, { code: "family", tests, remedy }) };
  });
}

/** Fail before inconclusive before pass; pass of none. */
export function worstOf(
  outcomes: readonly { readonly outcome: ThresholdOutcome }[],
): ThresholdOutcome {
  const order = ["fail", "inconclusive"] as const;
  return order.find((one) => outcomes.some(({ outcome }) => outcome === one)) ?? "pass";
}
