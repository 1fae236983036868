/**
 * The rule engine of claims, thresholds and published figures: a value with its interval is compared with the range
 * that a rule allows. The whole interval inside: held; the whole interval outside: broken; otherwise inconclusive, with
 * the reason. An effect that may move the true value from the measured one by more than chance (requests that never
 * ended, wrong responses, a busy machine) opens the interval on that side. Claims, thresholds and published figures are
 * policies over this: they choose what to compare, and what to do without an interval.
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

/** The ratio between a measured and a published figure from which on the difference matters: see `published.ts`. */
export const FAR_RATIO = 1.25;

/** A figure this many times beyond a limit would be beyond it on a quiet machine, too. */
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

/** The range for the reciprocal. */
export function inverted({ low, high, isClosed }: Allowed): Allowed {
  return {
    low: high === Infinity ? -Infinity : 1 / high,
    high: low <= 0 ? Infinity : 1 / low,
    isClosed,
  };
}

/** The range for a value `factor` times as large. */
export function scaled({ low, high, isClosed }: Allowed, factor: number): Allowed {
  const times = (limit: number): number => Number.isFinite(limit) ? limit * factor : limit;
  return { low: times(low), high: times(high), isClosed };
}

/** Whether the interval lies wholly inside, wholly outside, or neither. */
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

/** Distance to the nearer limit on a logarithmic scale; below 0 outside. */
export function marginOf(value: number, { low, high }: Allowed): number {
  const above = low <= 0 ? Infinity : Math.log(value / low);
  const below = high === Infinity ? Infinity : Math.log(high / value);
  return Math.min(above, below);
}

/** What measurements show about a rule in one place. */
export interface Evidence {
  readonly outcome: Outcome;
  readonly found: Found;
  /** Why the outcome is inconclusive; null if it is conclusive, or if nothing was found. */
  readonly reason: Reason | null;
  /**
   * The two-sided probability of a figure as far on the wrong side if the true value were at the limit; 1 on the right
   * side. Null for a fact, which is no estimate and so does not depend on what else is judged.
   */
  readonly p: number | null;
  /** What would decide the rule; null if nothing is known to. */
  readonly remedy: Reason | null;
}

/** A statement about the measured requests themselves, which further requests could not change. */
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

/** Evidence from an estimate that lies on one side of the limit, or across it. */
export function tested(found: Found, { outcome, p, remedy }: Tested): Evidence {
  const reason = outcome === "inconclusive" ? remedy : null;
  return { outcome, found, reason, p: outcome === "broken" ? p : 1, remedy };
}

/** How the true value may differ beyond what the interval says. */
export interface Open {
  readonly toward: "more" | "less" | "either";
  /** By which factor the value may be larger or smaller, at most. */
  readonly mostRatio: number;
  readonly why: Reason;
}

/** The doubt about the reciprocal of a value, given that about the value. */
export function turned<T extends Pick<Open, "toward">>(open: T): T {
  const turn = { more: "less", less: "more", either: "either" } as const;
  return { ...open, toward: turn[open.toward] };
}

/** The outcome, and the doubt that makes it inconclusive; null if the interval alone does, or if it is conclusive. */
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

/** Raises p to match an interval that is computed at `level` but called a 95 % interval. */
export function raisedTo(level: number, p: number): number {
  return Math.min(1, p * SIGNIFICANCE / (1 - level));
}

/** A value with its interval, from `runs` runs on each side. */
export interface Distant {
  readonly value: number;
  readonly interval: Ends;
  readonly runs: number;
  /** Confidence level of the interval. */
  readonly level: number;
}

/**
 * How surely a value lies on its side of a limit: p is the two-sided p-value of the true value being at the limit, at
 * most 5 % if the limit is outside the interval. Also how many runs would decide it: null if more than 1,000 would be
 * needed. The distance is in standard errors, which are read off the end of the interval on the limit's side.
 */
export function distanceTo(
  limit: number,
  { value, interval, runs, level }: Distant,
): { readonly p: number; readonly runsNeeded: number | null } {
  if (value === limit) return { p: 1, runsNeeded: null };
  const end = limit < value ? interval.low : interval.high;
  const degreesOfFreedom = interval.degreesOfFreedom ?? runs - 1;
  if (value === 0 || value === Infinity) {
    // 0 and ∞ have no logarithm, so 0 is judged on a linear scale, and ∞ by its reciprocal.
    const reaches = value === 0 ? limit / end : end / limit;
    const p = twoSidedP(reaches * tQuantile(level, degreesOfFreedom), degreesOfFreedom);
    return { p: raisedTo(level, p), runsNeeded: null };
  }
  // Ends at 0 or below have no logarithm, so errors that large are used on a linear scale.
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
