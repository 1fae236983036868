/**
 * Judges thresholds: pass, fail or inconclusive. A threshold (a gate) is decided if the 95 % interval of its figure
 * lies on one side of the limit. The rate or an extreme of a single run is taken as measured. A missing measurement
 * fails, because a gate that checked nothing must not pass. A busy machine makes a target slower than usual: a gate
 * that passes in spite of this has passed, but one that fails is inconclusive unless it also fails without the
 * disturbed runs.
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
import type { JudgedCell, JudgedRun, Range } from "../figures/range.ts";
import {
  type Amount,
  contentionToward,
  openAbove,
  ratioOfAmounts,
  ratioOfFigure,
  requestsOpen,
  sideFound,
  whyUnmeasured,
} from "./amounts.ts";
import {
  failureDispersion,
  latencyDispersion,
  oneRunEvidence,
  type ShareTerms,
} from "./one_run.ts";
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
import { type Absent, type Allowed, asksForMore, type Found, type Reason } from "./reasons.ts";
import {
  absent,
  allowedBy,
  BEYOND_CONTENTION_RATIO,
  check,
  distanceTo,
  type Distant,
  type Evidence,
  exactly,
  fact,
  isAllowed,
  isBelow,
  type Open,
  raisedTo,
  sideOf,
  type Tested,
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
import { groupsReason } from "./bimodal_runs.ts";
import {
  disturbedOpens,
  isRatioInTurns,
  loadSecondsFor,
  type SlicedOf,
  turnsIn,
  turnsOf,
} from "./slices.ts";
import { isUndisturbed } from "./disturbed_runs.ts";

export type ThresholdOutcome = "pass" | "fail" | "inconclusive";

/** A threshold as judged for one cell, or for one pair of compared cells. */
export interface Gate {
  /** The threshold as written. */
  readonly threshold: string;
  /** "" for a single measurement. */
  readonly scenario: string;
  readonly label: string;
  readonly evidence: Evidence;
}

interface GateOptions {
  /** The results with which thresholds compare figures; if null, thresholds that need a baseline are left out. */
  readonly baseline?: Grouped | null;
  /** Earlier sessions of each side, and earlier sessions of the same targets under the same conditions. */
  readonly before?: MeasuredSessions;
}

/**
 * Judges each threshold for each cell, before Holm's correction, so that the caller can still add hypotheses to the
 * family.
 */
export function gatesOf(
  thresholds: readonly Threshold[],
  scenarios: readonly ScenarioRuns[],
  results: Ruled,
  { baseline = null, before: sessions = { bases: [], nexts: [], earlier: [] } }: GateOptions = {},
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
      // A gate that checked nothing must not pass.
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

/** Judges thresholds for a single measurement; these do not name cells. */
export function measurementGates(
  thresholds: readonly Threshold[],
  measurement: Measurement,
  baseline: Grouped | null,
): Gate[] {
  const results = { runs: [runAlone(measurement, "")] };
  return judgeTogether(gatesOf(thresholds, groupRuns(results), results, { baseline }))
    .map((gate) => ({ ...gate, scenario: "", label: measurement.url }));
}

/** A cell, or two cells that are compared. */
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
  const [member] = place;
  const { cell: measured } = member;
  if (measured === null) return absent(whyUnmeasured(member));
  const cell = { ...measured, level: decidingLevel(measured) };
  const range = rangeOf(threshold.figure, cell);
  if ("none" in range) return absent([{ code: "nothing-to-judge", why: range.none }]);
  return threshold.against === "limit"
    ? limitEvidence(threshold, cell, range)
    : baselineEvidence(threshold, { cell, range: overRounds(range, cell) }, before(measured));
}

/**
 * A target that has not settled in most of its runs has shown no lasting figure, so no gate on such a figure can pass.
 * Evidence that would pass, or that asks for more runs, becomes inconclusive: further runs of the same length would
 * show no more, but longer ones give the target time to settle.
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

// Effects of a busy machine, which can make a target seem slower than it is but never faster.

/**
 * Confirms an outcome that a busy machine may have caused: it stands only if the undisturbed runs alone lead to the
 * same one.
 */
function withoutContention(
  threshold: Threshold,
  { place, own }: { readonly place: Place; readonly own: Evidence },
  again: Ground,
): Evidence {
  if (!isDoubtful(threshold, own, place)) return own;
  const kept = place.flatMap(({ label }) => again.members.filter((one) => one.label === label));
  const { outcome: without } = evidenceOf(threshold, kept, { ...again, before: () => null });
  if (without === own.outcome) return own;
  const runs = place.flatMap(({ cell }) => cell?.runs ?? []);
  const invalid = runs.filter((run) => !isUndisturbed(run)).length;
  return undecided(own.found, { code: "busy-machine", invalid, runs: runs.length, without });
}

/**
 * Whether the outcome might be different on a quiet machine. The ratio of two sides loaded in turns is not doubtful,
 * because disturbances affect both alike.
 */
function isDoubtful(threshold: Threshold, { outcome, found }: Evidence, place: Place): boolean {
  if (threshold.against === "baseline" || outcome === "inconclusive") return false;
  if (found.code === "absent") return false;
  // The figure, or the ratio, as a multiple of the threshold's limit.
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

/**
 * Adds that the disturbance must be removed first if all runs were disturbed, because more or longer runs would be
 * useless as long as it lasts.
 */
function validFirst(threshold: Threshold, place: Place, evidence: Evidence): Evidence {
  const runs = place.flatMap(({ cell }) => cell?.runs ?? []);
  const { reason } = evidence;
  if (reason === null || !asksForMore(reason) || runs.some(isUndisturbed)) return evidence;
  if (threshold.against === "baseline" || contentionIn(threshold, place).length === 0) {
    return evidence;
  }
  return undecided(evidence.found, { code: "not-valid", runs: runs.length, remedy: reason });
}

/** How contention may have affected the figures of a threshold. */
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

/**
 * How contention may have changed a figure of a cell. Only figures of speed are in doubt, because a failure is a
 * failure whatever caused it.
 */
function contentionOpens(figure: FigureName, { cell }: Member): Pick<Open, "toward">[] {
  const toward = FIGURES[figure].contention === "fails" ? null : contentionToward(figure);
  return toward === null || cell === null || cell.runs.every(isUndisturbed) ? [] : [{ toward }];
}

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

/**
 * Judges a figure by its interval over runs or, if it has none (a single run, or an extreme), by its measured value.
 */
function overRuns(
  { relation, limit, unit }: LimitThreshold,
  { cell, range, found }: MeasuredFigure,
  opens: readonly Open[],
): Evidence {
  const allowed = allowedBy(relation, limit);
  const { value, interval } = range;
  const groups = groupsReason([{ amount: { range, cell }, power: 1 }], { allowed, unit });
  if (groups !== null) return undecided(found, groups);
  const { outcome, open } = check(interval ?? exactly(value), allowed, opens);
  if (open !== null) return undecided(found, open.why);
  if (interval === null) return fact(outcome, found);
  return tested(found, { outcome, ...byRuns(limit, { value, interval }, [cell]) });
}

type Certainty = Omit<Tested, "outcome">;
type Interval = Pick<Distant, "value" | "interval">;

/** The p-value and remedy of a verdict that rests on the runs of one cell, or of two compared cells. */
function byRuns(limit: number, range: Interval, cells: readonly JudgedCell[]): Certainty {
  const runs = Math.min(...cells.map((cell) => cell.runs.length));
  const { p, runsNeeded } = distanceTo(limit, { ...range, runs, level: cells[0].level });
  const remedy: Reason = areRounds(cells[0])
    ? { code: "longer", seconds: secondsOfRounds(cells[0], runsNeeded) }
    : { code: "more-runs", runs: runsNeeded, isEachSide: cells.length > 1 };
  return { p, remedy };
}

/** The p-value and remedy of a verdict that rests on sessions. */
function bySessions(
  limit: number,
  range: Interval,
  contrast: SessionContrast,
  level: number,
): Certainty {
  const { base, next } = contrast.sessions;
  const { p } = distanceTo(limit, { ...range, runs: base + next, level });
  const sessions = sessionsToDecide(contrast, Math.abs(Math.log(range.value / limit)));
  return { p, remedy: { code: "more-sessions", sessions } };
}

/**
 * Judges shares of requests (`success >= 99.9%`, `5xx < 0.1%`). A share is judged by the interval of the counts over
 * all runs, or of the clusters of a single run. A limit of 0 % or 100 % is different: no number of requests proves that
 * none will ever fail, so it is a demand on the requests that were measured, and the counts alone decide.
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
  return pooledEvidence({ sure: shares, most: shares }, { limit, allowed, level, found, like });
}

/**
 * Judges a share of requests from the requests of all runs together.
 * @param shares `sure` and `most`, as in `oneRunEvidence`.
 */
function pooledEvidence(
  { sure, most }: Readonly<Record<"sure" | "most", readonly Proportion[]>>,
  { limit, allowed, level, found, like }: ShareTerms,
): Evidence {
  const { value, low } = pooledShare(sure, level);
  const interval = { low, high: pooledShare(most, level).high };
  const requests = requestsToDecide(sure, limit, level);
  return tested(found({ value, interval }), {
    outcome: sideOf(interval, allowed),
    p: raisedTo(level, shareP(allowed.high === Infinity ? most : sure, limit)),
    remedy: { code: "more-requests", requests, seconds: null, like },
  });
}

// Percentiles of a single run are judged by how many requests took longer than the limit: the p99
// is below 50 ms if less than 1 % of the requests take 50 ms or more. Slow requests come in queues
// and bursts, so the run counts only for as many requests as it has clusters of slow ones: see
// `one_run.ts`.

const OF_REQUESTS = ["latency", "service", "firstByte", "connect"] as const;

interface Percentile {
  readonly of: typeof OF_REQUESTS[number];
  /** From 0 to 100. */
  readonly percentile: number;
}

/** The request times and the percentile that a figure denotes; null if it is not a percentile of request times. */
function timesOf(figure: FigureName): Percentile | null {
  const { distribution, statistic } = FIGURES[figure];
  const of = OF_REQUESTS.find((one) => one === distribution);
  return of === undefined || typeof statistic !== "number" ? null : { of, percentile: statistic };
}

/**
 * Judges a percentile by its interval over the runs or, with too few runs for that interval, by counts of requests.
 * Nothing is decided if latencies that are only lower bounds could move the percentile across the limit.
 */
function percentileEvidence(
  threshold: LimitThreshold,
  { of, percentile }: Percentile,
  measured: MeasuredFigure,
): Evidence {
  const { cell: { runs, level }, cell, range, found } = measured;
  const { relation, limit } = threshold;
  // What counts as beyond the limit, such as 50 ms or more for a threshold of `< 50ms`.
  const beyond = allowedBy(relation === "<" || relation === ">=" ? ">=" : ">", limit);
  const isBeyond = (ms: number): boolean => isAllowed(ms, beyond);
  const shares = runs.filter((run) => run[of].count > 0)
    .map((run) => beyondOf(of, run, { ms: limit, isBeyond }));
  // For each run, the share of requests that is certainly beyond the limit, and the largest
  // possible share, for which every lower bound counts as beyond it.
  const [sure, most] = [
    sharesOver(cell, shares.map((one) => one.sure)),
    sharesOver(cell, shares.map((one) => one.most)),
  ];
  // 0.01 for p99; computed without the rounding error of 1 − 0.99.
  const allowed = Number(((100 - percentile) / 100).toPrecision(12));
  const terms: ShareTerms = {
    ...{ level, like: null, found: () => found, limit: allowed },
    allowed: allowedBy(isBelow(relation) ? "<=" : ">", allowed),
  };
  const [run] = runs;
  const isOnly = runs.length === 1;
  const dispersion = isOnly
    ? latencyDispersion(run, percentile, of === "latency" ? isBeyond : null)
    : null;
  const levelAfterS = dispersion?.levelAfterS ?? null;
  const lasting = (evidence: Evidence): Evidence => {
    if (levelAfterS === 0) return evidence;
    const own = steadily(evidence, [threshold.figure, cell]);
    return own === evidence || levelAfterS === null
      ? own
      : undecided(found, { code: "wanders", seconds: loadSecondsFor(levelAfterS, run) });
  };
  const { of: count, count: longer } = pooled(sure);
  const isSupported = supportsPercentile(count, percentile);
  if (isSupported && range.interval !== null) {
    if (pooled(most).count === longer) return lasting(overRuns(threshold, measured, []));
    const open = openAbove(threshold.figure, "", cell);
    const evidence = overRuns(threshold, measured, [open]);
    // The percentile is certainly beyond the limit only if enough requests are, even if every lower
    // bound is the true latency.
    const isLarge = isBelow(relation) === (evidence.outcome === "broken");
    return evidence.outcome === "inconclusive" || !isLarge || longer / count > allowed
      ? lasting(evidence)
      : undecided(found, open.why);
  }
  const judgeBy = (most: readonly Proportion[]): Evidence =>
    isOnly
      ? oneRunEvidence({ sure: sure[0], most: most[0] }, { ...terms, run, dispersion })
      : pooledEvidence({ sure, most }, terms);
  const evidence = judgeBy(most);
  if (evidence.outcome !== "broken" && !isSupported) {
    const needed = Math.ceil(1_000 / Math.min(percentile, 100 - percentile) * (1 - 1e-9));
    return undecided(found, { code: "few-requests", percentile, needed, count });
  }
  if (evidence.outcome !== "inconclusive") return lasting(evidence);
  // Without lower bounds, the threshold would be decided, so they are given as the reason.
  if (judgeBy(sure).outcome !== "inconclusive") return undecided(found, requestsOpen(runs));
  if (!isOnly) return lasting(evidence);
  const independent = dispersion === null
    ? presumedIndependent(run, limit)
    : dispersion.effective * KNOWN_RATIO;
  const isFar = pooled(most).count <= allowed * count &&
    range.value * farWithin(allowed, independent) <= limit;
  if (isFar) return lasting(fact(isBelow(relation) ? "held" : "broken", found));
  return levelAfterS === null ? lasting(evidence) : evidence;
}

/** Only this share of the effective number of independent samples is relied on, because that number is an estimate. */
const KNOWN_RATIO = 0.3;
/**
 * A run may be too short to show how long its requests depend on each other. Requests are then assumed to be
 * independent if they are farther apart in time than this, or than the limit if that is longer.
 */
const FORGOTTEN_MS = 500;
/**
 * For a percentile to count as far below its limit, the limit must be at least this many times as large, however many
 * independent stretches the run has.
 */
const LEAST_FAR = 10;

/**
 * In a closed loop, as many requests as there are connections are always in flight, so no request is fast merely
 * because few others are in progress. This many requests on each connection count as one independent stretch.
 */
const ROUNDS = 10;

function presumedIndependent({ elapsedS, load, requests }: JudgedRun, limitMs: number): number {
  const byTime = elapsedS * 1_000 / Math.max(FORGOTTEN_MS, limitMs);
  if (load.kind !== "closed") return byTime;
  return Math.max(byTime, requests.completed / load.connections / ROUNDS);
}

/**
 * How many times smaller than its limit a percentile must be for the threshold to hold with fewer than ten clusters.
 * Latencies in queues are roughly exponential. If the true percentile were at the limit, the level in one independent
 * stretch would be below 1/k of the limit with probability 1 − allowed^(1/k). The result is the k for which all
 * stretches of a run (at least one) would be that low in less than 5 % of runs, but at least `LEAST_FAR`.
 */
function farWithin(allowed: number, independent: number): number {
  const one = SIGNIFICANCE ** (1 / Math.max(1, independent));
  return Math.max(LEAST_FAR, Math.log(allowed) / Math.log1p(-one));
}

interface TimeLimit {
  readonly ms: number;
  /** Whether a time is beyond the limit. The threshold's relation decides whether a time equal to the limit is. */
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
  // How many of the latencies below the limit are only lower bounds. If results record only the
  // number of lower bounds, all of these are taken to be below the limit.
  const bounds = {
    latency: censored - (censoredHistogram === undefined ? 0 : countIn(censoredHistogram)),
    // A request that was never sent has no service time.
    service: Math.max(0, censored - dropped),
    ...{ firstByte: 0, connect: 0 },
  };
  const most = sure + Math.min(count - sure, bounds[of]);
  return { sure: { count: sure, of: count }, most: { count: most, of: count } };
}

/**
 * The share of requests beyond the limit, for results without a histogram. The logarithm of the share is interpolated
 * linearly between the stored percentiles, because tails are roughly exponential.
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

// Thresholds on the ratio of two figures: those of a cell and its counterpart in a baseline, or
// those of two cells.

interface Sides {
  readonly of: Side;
  readonly to: Side;
  readonly unit: FigureUnit;
  readonly limit: number;
  readonly allowed: Allowed;
}

type Side = Pick<Amount, "figure" | "name" | "place" | "range" | "cell">;

/**
 * Judges the interval of the ratio. If the sides were measured in two sessions, more than the target may have changed.
 * Unless it is known how much sessions differ, the ratio is valid only for these two sessions, so nothing is decided.
 * @param why The reason to give if there is no ratio.
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
  const certainty = contrast === null
    ? byRuns(limit, { value, interval }, [of.cell, to.cell])
    : bySessions(limit, { value, interval }, contrast, of.cell.level);
  return steadily(tested(found(ratio), { outcome, ...certainty }), [of.figure, of.cell], [
    to.figure,
    to.cell,
  ]);
}

/** Why the ratio decides nothing, if the runs of a side, or their ratios, fall into two groups; otherwise null. */
function groupsOf({ of, to, ...rule }: Sides, sliced: SlicedOf | null): Reason | null {
  const terms = [{ amount: of, power: 1 }, { amount: to, power: -1 }];
  return groupsReason(terms, { ...rule, sliced: turnsOf(of.figure, sliced) });
}

/** A cell's counterpart in the baseline, and what else separates the two cells, such as the session. */
interface Counterpart extends Pick<GroupPair, "sliced"> {
  readonly cell: JudgedCell;
  readonly between: (figure: FigureName) => Between;
}

/** Finds a cell's counterpart in the baseline; null if there is none. */
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
    ? groupsOf(sides, base.sliced ?? null)
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

/** Judges a threshold such as `rate(cached) > 2 × rate(plain)` for a pair of cells, by the interval of their ratio. */
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
  // The place is left out, because the report names the first cell next to the threshold.
  const sides = { of: { ...of, place: "" }, to, unit, limit, allowed };
  const groups = groupsOf(sides, sliced);
  const ratio = groups === null
    ? ratioOfAmounts(of, to, decidingRatioOf(ratioOf, sliced, of.cell))
    : null;
  const isOf0 = Math.max(of.range.value, to.range.value) === 0;
  return ratioEvidence(sides, ratio, {
    why: groups ?? (isOf0 ? { code: "no-ratio" } : whyUndecided([of, to])),
    opens: [...of.opens, ...to.opens.map(turned), ...disturbedOpens(figure, sliced)],
  });
}

/** The unadjusted p-values of all gates that are tests, not facts. */
export function gatePs(gates: readonly Gate[]): number[] {
  return gates.flatMap(({ evidence: { p } }) => p ?? []);
}

/**
 * Judges all thresholds as one family, because a single exit code covers them all. A failure needs a p-value of at most
 * 5 % after Holm's correction, so a build that meets its thresholds fails in at most 5 % of cases, however many
 * thresholds it has. A pass depends only on the gate's own interval. Facts are not tests and do not raise any p-value.
 * @param besides p-values of further hypotheses that decide the same exit code.
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

/** The worst outcome: fail before inconclusive before pass. It is pass if there are no gates. */
export function worstOf(
  outcomes: readonly { readonly outcome: ThresholdOutcome }[],
): ThresholdOutcome {
  const order = ["fail", "inconclusive"] as const;
  return order.find((one) => outcomes.some(({ outcome }) => outcome === one)) ?? "pass";
}
