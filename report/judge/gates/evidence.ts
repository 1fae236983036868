/** What the measurements say of one threshold on one cell, before it is judged beside the others. */
import {
  type ConfidenceInterval,
  pValueOf,
} from "../../../runner/stats/confidence/confidence_interval.ts";
import type { Measurement, Relation, Threshold } from "../../../runner/result/result.ts";
import { formatCount } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { runsToDecide, SIGNIFICANCE } from "../../../runner/stats/comparison/verdict.ts";
import { tQuantile } from "../../../runner/stats/confidence/student_t.ts";
import { type TwoGroups, twoGroupsOf } from "../../../runner/stats/comparison/two_groups.ts";
import type { Ends, JudgedCell } from "../../figures/range.ts";
import type { FigureRange } from "../../figures/figures.ts";
import { figureRangeText } from "../../writing/figure_text.ts";

export type ThresholdOutcome = "pass" | "fail" | "inconclusive";

export interface ThresholdEvidence {
  /** By itself. */
  readonly outcome: ThresholdOutcome;
  /** What was found, and what would decide it where that is open. */
  readonly found: string;
  /**
   * Two-sided probability of a figure as far on the wrong side, were it at the limit; 1 on the right side. Null
   * where nothing is estimated: the fact of a measurement is as it is, whatever else is judged.
   */
  readonly p: number | null;
  /** What would decide it, if it is not decided: `about 12 runs would decide`; "" where nothing is known to. */
  readonly remedy: string;
}

/** What holds or does not hold of the requests that were measured, whatever others would have done. */
export function fact(outcome: ThresholdOutcome, found: string): ThresholdEvidence {
  return { outcome, found, p: null, remedy: "" };
}

/** @param why Verdict first, then what would decide it. */
export function undecided(found: string, why: string): ThresholdEvidence {
  return { outcome: "inconclusive", found: `${found}: ${why}`, p: null, remedy: "" };
}

export interface TestedFigure {
  readonly outcome: ThresholdOutcome;
  /** Of the figure being at the limit, in either direction. */
  readonly p: number;
  readonly remedy: string;
}

/** What was estimated, and lies on one side of the limit or across it. */
export function tested(found: string, { outcome, p, remedy }: TestedFigure): ThresholdEvidence {
  return {
    outcome,
    found: outcome === "inconclusive" && remedy !== "" ? `${found}: ${remedy}` : found,
    p: outcome === "fail" ? p : 1,
    remedy,
  };
}

/** The right side is a half-line, so both ends on it are all of the interval on it. */
export function sideOf({ low, high }: Ends, isRight: (value: number) => boolean): ThresholdOutcome {
  const [lowIsRight, highIsRight] = [isRight(low), isRight(high)];
  if (lowIsRight !== highIsRight) return "inconclusive";
  return lowIsRight ? "pass" : "fail";
}

export function holds(value: number, relation: Relation, limit: number): boolean {
  switch (relation) {
    case "<":
      return value < limit;
    case "<=":
      return value <= limit;
    case ">":
      return value > limit;
    case ">=":
      return value >= limit;
  }
}

// What would decide a threshold that is not decided, in words.

/** More of them are no advice. */
const MOST_REQUESTS = 1e9;

/** `about 3,840 requests without a failure would decide`. */
export function requestsText(count: number, clause = ""): string {
  if (!(count <= MOST_REQUESTS)) return "it lies at the limit, where no number of requests decides";
  return ["about", formatCount(roundedUp(count)), "requests", clause, "would decide"]
    .filter(Boolean).join(" ");
}

/** `about 12 runs would decide`. */
export function runsText(count: number | null, where = ""): string {
  if (count === null) return "it lies so near the limit that 1,000 runs would not decide";
  return ["about", formatCount(count), "runs", where, "would decide"].filter(Boolean).join(" ");
}

/** To three digits: no estimate is better. */
function roundedUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 2);
  return Math.ceil(count / step) * step;
}

/** Of a capacity that is a lower bound. */
const LIMITED = "something else than the target ended a search, so it may be more";

/** Of requests that are lower bounds. */
export function endlessText(runs: readonly Pick<Measurement, "latency">[]): string {
  const count = runs.reduce((sum, { latency: { censored } }) => sum + censored, 0);
  return `${counted(count, "request")} never ended, so it may be more`;
}

// How surely a figure lies on its side of a limit, and how many runs would decide it.

export interface Distant {
  readonly value: number;
  readonly interval: Ends;
  /** Of each side. */
  readonly runs: number;
  /** Of the interval. */
  readonly level: number;
}

export interface Distance {
  /** Two-sided, of the figure being at the limit: 5 % at the most where the limit is outside the interval. */
  readonly p: number;
  /** Null where more than 1,000 would be needed. */
  readonly runsNeeded: number | null;
}

/**
 * In standard errors, these read off the end of the interval that is on the limit's side. Where an interval of more
 * than 95 % has to be called one of 95 %, p is raised alike.
 */
export function distanceTo(limit: number, { value, interval, runs, level }: Distant): Distance {
  const end = limit < value ? interval.low : interval.high;
  const degreesOfFreedom = interval.degreesOfFreedom ?? runs - 1;
  // Ends at 0 or below have no logarithm: errors that large are taken as they are.
  const reach = end > 0 && value > 0 ? Math.abs(Math.log(value / end)) : Math.abs(1 - end / value);
  const ratio: ConfidenceInterval = {
    value: value / limit,
    low: interval.low / limit,
    high: interval.high / limit,
    logStandardError: reach / tQuantile(level, degreesOfFreedom),
    degreesOfFreedom,
  };
  if (value === limit) return { p: 1, runsNeeded: null };
  const p = pValueOf(ratio) * SIGNIFICANCE / (1 - level);
  return { p: Math.min(1, p), runsNeeded: runsToDecide(ratio, { runs, marginRatio: 0 }) };
}

// Thresholds judged by the interval over runs; of one run, or of an extreme, by the measured value.

export type LimitThreshold = Threshold & { readonly against: "limit" };

export interface MeasuredFigure {
  readonly cell: JudgedCell;
  readonly range: FigureRange;
  /** The figure in words. */
  readonly found: string;
}

/** Lower bounds leave open how large the figure is, so they can't show that it is small, only that it is large. */
export function overRuns(threshold: LimitThreshold, measured: MeasuredFigure): ThresholdEvidence {
  const { relation, limit } = threshold;
  const { cell, range, found } = measured;
  const { interval } = range;
  const evidence = interval === null
    ? fact(holds(range.value, relation, limit) ? "pass" : "fail", found)
    : byInterval(threshold, { ...measured, interval });
  const unknown = relation === "<" || relation === "<=" ? "pass" : "fail";
  return range.isAtLeast && evidence.outcome === unknown
    ? undecided(found, threshold.figure === "capacity" ? LIMITED : endlessText(cell.runs))
    : evidence;
}

/**
 * Of runs of two kinds the interval does not cover the truth as often as it says: they decide only where all of them
 * are on the same side.
 */
function byInterval(
  { relation, limit, unit }: LimitThreshold,
  { cell, range: { value, byRun }, found, interval }: MeasuredFigure & { readonly interval: Ends },
): ThresholdEvidence {
  const isRight = (one: number): boolean => holds(one, relation, limit);
  const groups = twoGroupsOf(byRun);
  if (groups !== null && byRun.some(isRight) && !byRun.every(isRight)) {
    return undecided(found, gateGroupsText(groups, unit));
  }
  const { level, runs: { length: runs } } = cell;
  const { p, runsNeeded } = distanceTo(limit, { value, interval, runs, level });
  return tested(found, { outcome: sideOf(interval, isRight), p, remedy: runsText(runsNeeded) });
}

/** `runs fall into two groups: 4 near 12.0 ms, 1 near 80.1 ms`. */
export function gateGroupsText(groups: TwoGroups, unit: Threshold["unit"]): string {
  const near = groups.map(({ count, value }) =>
    `${count} near ${figureRangeText({ value, interval: null }, unit)}`
  );
  return `runs fall into two groups: ${near.join(", ")}`;
}
