/** What was found of a claim, in one cell or over several. */
import type { Relation } from "../../../runner/result/result.ts";
import type { Range } from "../runs/figure_range.ts";

export const CLAIM_OUTCOMES = ["not reproduced", "inconclusive", "reproduced"] as const;
export type ClaimOutcome = typeof CLAIM_OUTCOMES[number];

/** In one cell, or one pair of cells. */
export interface ClaimFinding {
  readonly outcome: ClaimOutcome;
  /** The ratio or figure with its interval: `2.14× [2.01, 2.28]`; "" where there is none. */
  readonly found: string;
  /** The figures with their units, in a sentence without a full stop. */
  readonly sentence: string;
  /** How far inside of what is claimed; below 0 outside. Only its order counts. */
  readonly margin: number;
}

/** Nothing decides it. */
export function undecidedClaim(sentence: string): ClaimFinding {
  return { outcome: "inconclusive", found: "", sentence, margin: -Infinity };
}

/** The worst of at least one: by its outcome first, then by its margin. */
export function worstFinding(findings: readonly ClaimFinding[]): ClaimFinding {
  return findings.reduce((worst, one) => isWorse(one, worst) ? one : worst);
}

function isWorse(one: ClaimFinding, other: ClaimFinding): boolean {
  const rank = ({ outcome }: ClaimFinding): number => CLAIM_OUTCOMES.indexOf(outcome);
  return rank(one) === rank(other) ? one.margin < other.margin : rank(one) < rank(other);
}

/** What a claim allows a figure or a ratio to be: one range of numbers. */

export interface Allowed {
  /** -Infinity: no limit below. */
  readonly low: number;
  /** Infinity: no limit above. */
  readonly high: number;
  /** Whether the limits themselves are allowed. */
  readonly isClosed: boolean;
}

export function allowedBy(relation: Relation, limit: number): Allowed {
  const isClosed = relation.endsWith("=");
  return relation.startsWith("<")
    ? { low: -Infinity, high: limit, isClosed }
    : { low: limit, high: Infinity, isClosed };
}

export function allowedAround(value: number, toleranceRatio: number): Allowed {
  return { low: value * (1 - toleranceRatio), high: value * (1 + toleranceRatio), isClosed: true };
}

/** What the reciprocal may be. */
export function inverted({ low, high, isClosed }: Allowed): Allowed {
  return {
    low: high === Infinity ? -Infinity : 1 / high,
    high: low <= 0 ? Infinity : 1 / low,
    isClosed,
  };
}

/** The same of what is so many times as large. */
export function scaled({ low, high, isClosed }: Allowed, factor: number): Allowed {
  const times = (limit: number): number => Number.isFinite(limit) ? limit * factor : limit;
  return { low: times(low), high: times(high), isClosed };
}

/** The whole interval inside, the whole interval outside, or neither. */
export function claimOutcome(interval: Range["interval"], allowed: Allowed): ClaimOutcome {
  if (interval === null) return "inconclusive";
  const { low, high } = interval;
  if (isAbove(low, allowed) && isBelow(high, allowed)) return "reproduced";
  return isAbove(high, allowed) && isBelow(low, allowed) ? "inconclusive" : "not reproduced";
}

function isAbove(value: number, { low, isClosed }: Allowed): boolean {
  return value > low || (value === low && isClosed);
}

function isBelow(value: number, { high, isClosed }: Allowed): boolean {
  return value < high || (value === high && (isClosed || high === Infinity));
}

/** The distance to the nearer limit, on the logarithmic scale; below 0 outside. */
export function marginOf(value: number, { low, high }: Allowed): number {
  const above = low <= 0 ? Infinity : Math.log(value / low);
  const below = high === Infinity ? Infinity : Math.log(high / value);
  return Math.min(above, below);
}

/** `2×`, as people write it. */
export function timesText(limit: number): string {
  return `${Number(limit.toPrecision(4))}×`;
}

/** `more than 2×`, `from 0.95× to 1.05×`. @param text Of a limit. */
export function allowedText(
  { low, high, isClosed }: Allowed,
  text: (limit: number) => string,
): string {
  if (high === Infinity) return `${isClosed ? "at least" : "more than"} ${text(low)}`;
  if (low <= 0) return `${isClosed ? "at most" : "less than"} ${text(high)}`;
  return `from ${text(low)} to ${text(high)}`;
}
