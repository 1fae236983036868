/**
 * Whether the runs behind a comparison or a rule are of two kinds: by their figures, or because some have no steady
 * part. The mean of such runs describes neither kind, and how often each kind occurs is unknown, so no interval over
 * the runs decides anything, unless all runs lie on the same side of the limit.
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

/** A figure of each run of a side. */
interface GroupedRuns extends Pick<Estimate, "byRun" | "repetitions"> {
  /** Repetitions whose run counts as a whole, because only the side's other runs have a steady part. */
  readonly wholeRuns: readonly number[];
}

/**
 * The two groups into which runs, or the ratios of pairs, fall; null if they are of one kind.
 *
 * @param sides The runs of each side. If several sides have groups, those of the first are returned.
 * @param logRatios One for each repetition in which all sides ran, if sides are compared pair by pair; otherwise null.
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

/** Runs without a steady part beside runs that have one; null if there are none, or if their figures do not differ. */
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
 * Whether the ratios of all runs of `of` to all runs of `to` lie on one side of the deciding limit or margin, and the
 * runs are too many for that to be chance.
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

/** For sides compared pair by pair: whether the ratios of all pairs lie on one side, and are too many for chance. */
export function arePairsOneSided(
  logRatios: readonly number[],
  isOneSided: (ends: Ends) => boolean,
): boolean {
  const [low, high] = [Math.min(...logRatios), Math.max(...logRatios)].map(Math.exp);
  return isOneSided({ low, high }) && 2 ** (1 - logRatios.length) <= SIGNIFICANCE;
}

// The runs behind a claim or threshold.

/** A figure of a rule, and its power in the quantity that the rule limits: 1, or -1 for the divisor of a ratio. */
export interface RuledTerm {
  readonly amount: Pick<Amount, "range" | "cell">;
  readonly power: number;
}

/**
 * The reason why a rule is open if the runs behind it fall into two groups; null if they are of one kind, if all of
 * them lie on the same side of the limit, or if no interval over runs decides the rule.
 *
 * @param sliced The turns that the two sides of a ratio took with each other; null if they took none.
 */
export function groupsReason(
  terms: readonly RuledTerm[],
  { allowed, unit, sliced = null }: {
    readonly allowed: Allowed;
    readonly unit: FigureUnit;
    readonly sliced?: Sliced | null;
  },
): Reason | null {
  // All slices of a single pair of processes are one sample, which can't fall into groups.
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

/** Logarithm of the ratio in each repetition; null for a single figure, or without common repetitions in one session. */
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
