/**
 * The rule engine for claims, thresholds and published figures, which compares a value's interval with the range that a
 * rule allows. If the whole interval is inside, the rule holds; if it is wholly outside, the rule is broken; otherwise,
 * the outcome is inconclusive for a stated reason. Some effects may shift the true value by more than chance: requests
 * that never ended, wrong responses, a busy machine. Such an effect extends the interval in the direction of the shift.
 * Claims, thresholds and published figures only choose what to compare, and what happens without an interval.
 */
import type { Relation } from "../../runner/result/result.ts";
import { runsToDecide, SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import {
  type ConfidenceInterval,
  pValueOf,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { tQuantile, twoSidedP } from "../../runner/stats/confidence/student_t.ts";
import type { Ends } from "../figures/range.ts";
import type { Absence, Allowed, Found, Outcome, Reason } from "./reasons.ts";

/**
 * The difference between a measured and a published figure matters if one is more than this many times the other: see
 * `published.ts`.
 */
export const FAR_RATIO = 1.25;

/** A figure that is beyond a limit by this factor would be beyond it on a quiet machine, too. */
export const BEYOND_CONTENTION_RATIO = 100;

export function allowedBy(relation: Relation, limit: number): Allowed {
  const isClosed = relation.endsWith("=");
  return isBelow(relation)
    ? { low: -Infinity, high: limit, isClosed }
    : { low: limit, high: Infinity, isClosed };
}

export function isBelow(relation: Relation): boolean {
  return relation.startsWith("<");
}

export function allowedAround(value: number, toleranceRatio: number): Allowed {
  return { low: value * (1 - toleranceRatio), high: value * (1 + toleranceRatio), isClosed: true };
}

/** The range that is allowed for the reciprocal of the value. */
export function inverted({ low, high, isClosed }: Allowed): Allowed {
  return {
    low: high === Infinity ? -Infinity : 1 / high,
    high: low <= 0 ? Infinity : 1 / low,
    isClosed,
  };
}

/** The range that is allowed for the value times `factor`. */
export function scaled({ low, high, isClosed }: Allowed, factor: number): Allowed {
  const times = (limit: number): number => Number.isFinite(limit) ? limit * factor : limit;
  return { low: times(low), high: times(high), isClosed };
}

/** "held" if the interval lies wholly inside the range, "broken" if wholly outside, otherwise "inconclusive". */
export function sideOf({ low, high }: Ends, allowed: Allowed): Outcome {
  const isAbove = (value: number): boolean =>
    value > allowed.low || (value === allowed.low && allowed.isClosed);
  const isUnder = (value: number): boolean =>
    value < allowed.high ||
    (value === allowed.high && (allowed.isClosed || allowed.high === Infinity));
  if (isAbove(low) && isUnder(high)) return "held";
  return isAbove(high) && isUnder(low) ? "inconclusive" : "broken";
}

export function isAllowed(value: number, allowed: Allowed): boolean {
  return sideOf(exactly(value), allowed) === "held";
}

export function exactly(value: number): Ends {
  return { low: value, high: value };
}

/** Distance of the value from the nearer limit on a logarithmic scale; negative outside the range. */
export function marginOf(value: number, { low, high }: Allowed): number {
  const above = low <= 0 ? Infinity : Math.log(value / low);
  const below = high === Infinity ? Infinity : Math.log(high / value);
  return Math.min(above, below);
}

/** What the measurements show about a rule for one cell or group of cells. */
export interface Evidence {
  readonly outcome: Outcome;
  readonly found: Found;
  /** Why the outcome is inconclusive; null if it is conclusive, or if nothing was found. */
  readonly reason: Reason | null;
  /**
   * Two-sided probability of a figure at least this far on the wrong side if the true value were at the limit; 1 if the
   * figure is on the right side. Null for a fact, which is not an estimate, so Holm's correction does not apply to it.
   */
  readonly p: number | null;
  /** What would decide the rule; null if unknown. */
  readonly remedy: Reason | null;
}

/** Evidence that is a fact about the measured requests themselves, which further requests could not change. */
export function fact(outcome: Outcome, found: Found): Evidence {
  return { outcome, found, reason: null, p: null, remedy: null };
}

/** Evidence that there is no value to compare with the rule. */
export function absent(absences: readonly Absence[]): Evidence {
  return fact("inconclusive", { code: "absent", absences });
}

export function undecided(found: Found, reason: Reason): Evidence {
  return { ...fact("inconclusive", found), reason };
}

export interface Tested extends Pick<Evidence, "outcome"> {
  readonly p: number;
  readonly remedy: Reason;
}

/** Evidence from an estimate, whose interval lies on one side of the limit or contains it. */
export function tested(found: Found, { outcome, p, remedy }: Tested): Evidence {
  const reason = outcome === "inconclusive" ? remedy : null;
  return { outcome, found, reason, p: outcome === "broken" ? p : 1, remedy };
}

/** How the true value may lie outside the interval. */
export interface Open {
  readonly toward: "more" | "less" | "either";
  /** The largest factor by which the true value may be larger or smaller. */
  readonly mostRatio: number;
  readonly why: Reason;
}

/** Turns a doubt about a value into the same doubt about its reciprocal. */
export function turned<T extends Pick<Open, "toward">>(open: T): T {
  const turn = { more: "less", less: "more", either: "either" } as const;
  return { ...open, toward: turn[open.toward] };
}

/**
 * The outcome, and the doubt that makes it inconclusive. `open` is null if the outcome is conclusive, or if the
 * interval alone is inconclusive.
 */
export function check(
  { low, high }: Ends,
  allowed: Allowed,
  opens: readonly Open[] = [],
): { readonly outcome: Outcome; readonly open: Open | null } {
  const outcome = sideOf({ low, high }, allowed);
  const [open = null] = opens;
  if (open === null || outcome === "inconclusive") return { outcome, open: null };
  const reach = (toward: Open["toward"]): number =>
    opens.filter((one) => one.toward === toward || one.toward === "either")
      .reduce((product, { mostRatio }) => product * mostRatio, 1);
  const up = reach("more");
  const widest = { low: low / reach("less"), high: up === Infinity ? Infinity : high * up };
  return sideOf(widest, allowed) === outcome
    ? { outcome, open: null }
    : { outcome: "inconclusive", open };
}

/** Raises p so that it agrees with an interval that is computed at `level` but serves as a 95 % interval. */
export function raisedTo(level: number, p: number): number {
  return Math.min(1, p * SIGNIFICANCE / (1 - level));
}

/** A value, its interval, and the number of runs on each side. */
export interface Distant {
  readonly value: number;
  readonly interval: Ends;
  readonly runs: number;
  /** Confidence level of the interval. */
  readonly level: number;
}

/**
 * How certainly a value lies on its side of a limit. `p` is the two-sided p-value for a true value at the limit, and is
 * at most 5 % if the limit is outside the interval. `runsNeeded` is the number of runs that would decide; null if it
 * exceeds 1,000. The standard error is derived from the end of the interval on the limit's side.
 */
export function distanceTo(
  limit: number,
  { value, interval, runs, level }: Distant,
): { readonly p: number; readonly runsNeeded: number | null } {
  if (value === limit) return { p: 1, runsNeeded: null };
  const end = limit < value ? interval.low : interval.high;
  const degreesOfFreedom = interval.degreesOfFreedom ?? runs - 1;
  if (value === 0 || value === Infinity) {
    // 0 and ∞ have no logarithm. 0 is compared on a linear scale, and ∞ by its reciprocal.
    const reaches = value === 0 ? limit / end : end / limit;
    const p = twoSidedP(reaches * tQuantile(level, degreesOfFreedom), degreesOfFreedom);
    return { p: raisedTo(level, p), runsNeeded: null };
  }
  // A large error can put an end at or below 0, which has no logarithm, so the error is then
  // computed on a linear scale.
  const reach = end > 0 && value > 0 ? Math.abs(Math.log(value / end)) : Math.abs(1 - end / value);
  const ratio: ConfidenceInterval = {
    value: value / limit,
    low: interval.low / limit,
    high: interval.high / limit,
    logStandardError: reach / tQuantile(level, degreesOfFreedom),
    degreesOfFreedom,
  };
  return {
    p: raisedTo(level, pValueOf(ratio)),
    runsNeeded: runsToDecide(ratio, { runs, marginRatio: 0 }),
  };
}
