/** What stands between two figures that are compared, besides what their runs show. */
import {
  commonOf,
  type ConfidenceInterval,
  over,
  ratioInterval,
  type Variance,
} from "../../runner/stats/confidence/confidence_interval.ts";
import type { ComparisonJudgement, VerdictReason } from "../../runner/stats/comparison/verdict.ts";
import { type TwoGroups, twoGroupsOf } from "../../runner/stats/comparison/two_groups.ts";

import type { Unsteady } from "../cells/cells.ts";
import {
  type ExactTest,
  mannWhitney,
  MOST_PAIRS,
  signFlip,
} from "../../runner/stats/comparison/significance_tests.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";

/**
 * Nothing, as they were measured in one experiment; two sessions, and nobody knows by how much sessions differ; or so
 * much variance of the logarithm of their ratio (none where each side has sessions of its own: their spread is in its
 * standard error).
 */
export type Between =
  | { readonly kind: "one-session" }
  | { readonly kind: "unknown" }
  | { readonly kind: "known"; readonly variances: readonly Variance[] };

export const ONE_SESSION: Between = { kind: "one-session" };

/** Standard deviation of ln ratio by sessions alone, where it was added; null where none was. */
export function sessionStdevOf(between: Between): number | null {
  if (between.kind !== "known" || between.variances.length === 0) return null;
  return Math.sqrt(between.variances.reduce((sum, { variance }) => sum + variance, 0));
}

// What a comparison of two sides may say at all, whatever its interval.

export interface Reserve {
  readonly between: Between;
  readonly groups: TwoGroups | null;
  readonly unsteady: Unsteady | null;
  /** Whether the difference is larger than all that the sides stray within their runs. */
  readonly isBeyondStray: boolean;
  readonly openAbove: OpenAbove;
}

/** Sides whose figure is a lower bound: new over base may be smaller where the base is one, larger where the new is. */
export interface OpenAbove {
  readonly base: boolean;
  readonly next: boolean;
}

/** What no number of runs can decide comes before what they say. */
export function reserved(
  judged: ComparisonJudgement,
  { between, groups, unsteady, isBeyondStray, openAbove }: Reserve,
): ComparisonJudgement {
  if (unsteady !== null && !isBeyondStray) return { verdict: "inconclusive", reason: "unsteady" };
  if (groups !== null) return { verdict: "inconclusive", reason: "groups" };
  const isOpen = {
    better: openAbove.base,
    worse: openAbove.next,
    equivalent: openAbove.base || openAbove.next,
    inconclusive: openAbove.base || openAbove.next,
  };
  if (isOpen[judged.verdict]) return { verdict: "inconclusive", reason: "at-least" };
  if (between.kind !== "unknown" || judged.verdict === "inconclusive") return judged;
  return {
    verdict: judged.verdict === "equivalent" ? "equivalent" : "inconclusive",
    reason: "sessions",
  };
}

/** Of a figure whose own runs decide nothing. */
export const UNTESTED = {
  interval: null,
  p: null,
  adjustedP: null,
  exact: null,
  pairs: null,
  runs: null,
  pairingGain: null,
  between: null,
  groups: null,
  isAheadInHalves: false,
  verdict: "inconclusive",
  smallestChange: null,
  runsNeeded: null,
} as const;

/** Of sides that have no interval. @param figures Of each side; 0 where there is none. */
export function untested(
  { base, next }: { readonly base: number; readonly next: number },
  openAbove: OpenAbove,
): typeof UNTESTED & { readonly ratio: number | null; readonly reason: VerdictReason } {
  if (!(base > 0 && next > 0)) return { ...UNTESTED, ratio: null, reason: "nothing" };
  const isOpen = next > base ? openAbove.base : openAbove.next;
  return { ...UNTESTED, ratio: next / base, reason: isOpen ? "at-least" : "one-run" };
}

// Sides that ran in the same repetitions: what their pairs say one by one.

export interface Pairing {
  /** How many. */
  readonly pairs: number;
  /** The logarithm of new over base in each of them. */
  readonly logRatios: readonly number[];
  /** Of the same repetitions. */
  readonly sides: readonly [base: Estimate, next: Estimate];
}

/** Null where the sides share fewer than two repetitions. */
export function pairingOf(next: Estimate, base: Estimate): Pairing | null {
  if (next.session === null || next.session !== base.session) return null;
  const common = commonOf([next, base]);
  if (common.length < 2) return null;
  const [to, of] = [over(base, common), over(next, common)];
  if (to === null || of === null) return null;
  const logRatios = of.byRun.map((value, i) => Math.log(value / to.byRun[i]));
  return { pairs: common.length, logRatios, sides: [to, of] };
}

/** The interval of two sides, and what it rests on. */
export interface TestedSides {
  readonly interval: ConfidenceInterval;
  readonly pairing: Pairing | null;
  readonly sides: readonly [base: Estimate, next: Estimate];
}

/** Runs a side up to which the exact test of runs is quick (20 ms); its cost grows with their fourth power. */
export const MOST_COUNTED = 40;

/** Whether the sides differ by more than the margin, toward where the ratio is; null where there is too much to count. */
export function exactTest(
  { interval, pairing, sides: [base, next] }: TestedSides,
  marginRatio: number,
): ExactTest | null {
  const edge = Math.sign(Math.log(interval.value)) * Math.log1p(marginRatio);
  if (pairing !== null) {
    if (pairing.pairs > MOST_PAIRS) return null;
    return signFlip(pairing.logRatios.map((log) => log - edge));
  }
  if (Math.max(next.byRun.length, base.byRun.length) > MOST_COUNTED) return null;
  return mannWhitney(next.byRun, base.byRun.map((value) => value * Math.exp(edge)));
}

/** Two kinds of pairs; or two kinds of runs on a side, where there are no pairs. */
export function groupsIn({ pairing, sides }: TestedSides): TwoGroups | null {
  return pairing === null
    ? twoGroupsOf(sides[1].byRun) ?? twoGroupsOf(sides[0].byRun)
    : twoGroupsOf(pairing.logRatios.map(Math.exp));
}

/** The variance that the ratio would have, were the runs no pairs, over the one that it has; null where that is 0. */
export function gainOf({ sides: [to, of] }: Pairing): number | null {
  const paired = ratioInterval(of, to)?.logStandardError ?? 0;
  if (paired === 0) return null;
  return (of.logStandardError ** 2 + to.logStandardError ** 2) / paired ** 2;
}
