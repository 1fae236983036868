/**
 * Detects whether the runs behind a comparison or a rule fall into two groups, either by their figures or because some
 * runs have no steady part. The mean of two groups describes neither, and the frequency of each is unknown, so an
 * interval over the runs decides nothing unless all runs lie on the same side of the limit.
 */
import type { FigureUnit } from "../../base/figures/figure.ts";
import { knownGroupsOf, twoGroupsOf } from "../../runner/stats/comparison/bimodality.ts";
import { leastRankP } from "../../runner/stats/comparison/significance_tests.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { commonOf } from "../../runner/stats/confidence/confidence_interval.ts";
import { meanOf } from "../../runner/stats/quantile.ts";
import type { Ends } from "../figures/range.ts";
import type { Amount } from "./amounts.ts";
import type { Allowed, Reason, RunGroups } from "./reasons.ts";
import { isAllowed, sideOf } from "./rules.ts";
import type { Sliced } from "./slices.ts";

/** One figure for each run of a side. */
interface GroupedRuns extends Pick<Estimate, "byRun" | "repetitions"> {
  /**
   * Repetitions whose run counts from beginning to end because it has no steady part. Empty if no run of the side has
   * one.
   */
  readonly wholeRuns: readonly number[];
}

/**
 * The two groups into which the runs, or the ratios of pairs, fall; null if they form a single group.
 *
 * @param sides The runs of each side. If several sides have groups, those of the first such side are returned.
 * @param logRatios The log ratio of each repetition in which all sides ran, if sides are compared pair by pair;
 * otherwise null.
 */
export function groupsAmong(
  sides: readonly (readonly ["base" | "next", GroupedRuns])[],
  logRatios: readonly number[] | null,
): RunGroups | null {
  const byFigure: readonly (readonly [RunGroups["of"], readonly number[]])[] = logRatios === null
    ? sides.map(([of, { byRun }]) => [of, byRun])
    : [["ratios", logRatios.map(Math.exp)]];
  for (const [of, runs] of sides) {
    const unsettled = unsettledIn(runs);
    if (unsettled !== null) return { of, ...unsettled };
  }
  for (const [of, values] of byFigure) {
    const clusters = twoGroupsOf(values);
    if (clusters !== null) return { of, clusters, unsettled: null };
  }
  return null;
}

/**
 * Separates runs without a steady part from those with one; null if either kind is missing, or if their figures do not
 * differ.
 */
function unsettledIn(
  { byRun, repetitions, wholeRuns }: GroupedRuns,
): Pick<RunGroups, "clusters" | "unsettled"> | null {
  const [unsettled, others] = [true, false].map((isWhole) =>
    byRun.filter((_, i) => wholeRuns.includes(repetitions[i]) === isWhole)
  );
  const clusters = byRun.every((value) => value > 0) ? knownGroupsOf([unsettled, others]) : null;
  if (clusters === null) return null;
  const value = Math.exp(meanOf(unsettled.map(Math.log)));
  return { clusters, unsettled: { count: unsettled.length, value } };
}

/**
 * Whether every ratio of a run in `of` to a run in `to` lies on the same side of the limit or margin, and there are
 * enough runs that this can't be chance.
 *
 * @param isOneSided Whether the lowest and the highest ratio lie on the same side.
 */
export function areOneSided(
  of: readonly number[],
  to: readonly number[],
  isOneSided: (ends: Ends) => boolean,
): boolean {
  const low = Math.min(...of) / Math.max(...to);
  const high = Math.max(...of) / Math.min(...to);
  return isOneSided({ low, high }) && leastRankP(of.length, to.length) <= SIGNIFICANCE;
}

/**
 * For sides compared pair by pair: whether the ratios of all pairs lie on the same side of the limit or margin, and
 * there are enough pairs that this can't be chance.
 */
export function arePairsOneSided(
  logRatios: readonly number[],
  isOneSided: (ends: Ends) => boolean,
): boolean {
  const [low, high] = [Math.min(...logRatios), Math.max(...logRatios)].map(Math.exp);
  return isOneSided({ low, high }) && 2 ** (1 - logRatios.length) <= SIGNIFICANCE;
}

// Groups among the runs behind a claim or threshold.

/** A figure in a rule, and its exponent in the quantity that the rule limits: 1, or −1 for the divisor of a ratio. */
export interface RuledTerm {
  readonly amount: Pick<Amount, "range" | "cell">;
  readonly power: number;
}

/**
 * The reason why a rule is inconclusive if its runs, or their ratios, fall into two groups. Null if they form a single
 * group, if all of them lie on the same side of the limit, or if the rule is not decided by an interval over runs.
 *
 * @param sliced The alternating slices of the two sides of a ratio; null if the sides did not take turns.
 */
export function groupsReason(
  terms: readonly RuledTerm[],
  { allowed, unit, sliced = null }: {
    readonly allowed: Allowed;
    readonly unit: FigureUnit;
    readonly sliced?: Sliced | null;
  },
): Reason | null {
  // All slices of a single pair of processes are one sample, so they can't fall into groups.
  const isOneSample = sliced !== null && sliced.alone !== null;
  if (
    terms.length === 0 || isOneSample || terms.some(({ amount }) => amount.range.interval === null)
  ) return null;
  const logs = logsByRepetition(terms);
  const isOneSided = (ends: Ends): boolean => sideOf(ends, allowed) !== "inconclusive";
  const [of, to] = terms.map(({ amount }) => amount.range.byRun);
  const areAllOneSided = terms.length === 1
    ? new Set(of.map((one) => isAllowed(one, allowed))).size === 1
    : terms.length === 2 && sliced === null
    ? areOneSided(of, to, isOneSided)
    : logs !== null && arePairsOneSided(logs, isOneSided);
  if (areAllOneSided) return null;
  const runs = terms.map(({ amount: { range, cell: { wholeRuns = [] } } }) =>
    ["next", { ...range, wholeRuns }] as const
  );
  const groups = groupsAmong(runs, logs);
  return groups && { code: "groups", groups, unit };
}

/**
 * Logarithm of the ratio in each repetition. Null if the rule has a single figure, or if the sides do not share at
 * least two repetitions of one session.
 */
function logsByRepetition(terms: readonly RuledTerm[]): number[] | null {
  const sessions = new Set(
    terms.map(({ amount }) => amount.cell.estimates.get("rate")?.session ?? null),
  );
  const common = commonOf(terms.map(({ amount }) => amount.range));
  if (terms.length === 1 || sessions.size > 1 || sessions.has(null) || common.length < 2) {
    return null;
  }
  return common.map((repetition) =>
    terms.reduce(
      (log, { amount: { range: { byRun, repetitions } }, power }) =>
        log + power * Math.log(byRun[repetitions.indexOf(repetition)]),
      0,
    )
  );
}
