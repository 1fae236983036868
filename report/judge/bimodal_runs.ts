/**
 * Whether the runs behind a comparison or a rule are of two kinds: by their figures, or as some have no steady part. The mean of
 * such runs is nobody's, and how often either kind comes is not known, so no interval of them decides anything. Only where all
 * of them lie on the same side of what decides does it not matter how often either comes.
 */
import {
  knownGroupsOf,
  type RunCluster,
  type TwoGroups,
  twoGroupsOf,
} from "../../runner/stats/comparison/bimodality.ts";
import { leastRankP } from "../../runner/stats/comparison/significance_tests.ts";
import { SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import { meanOf } from "../../runner/stats/quantile.ts";
import type { Ends } from "../figures/range.ts";

/** Runs of two kinds. */
export interface RunGroups {
  /** What falls into them: the runs of a side, or the ratios of pairs. */
  readonly of: "base" | "next" | "ratios";
  /** The larger first. */
  readonly clusters: TwoGroups;
  /** Runs of the side that count whole, as they have no steady part; null where the figures alone tell the groups apart. */
  readonly unsettled: RunCluster | null;
}

/** A figure of each run of a side. */
export interface GroupedRuns extends Pick<Estimate, "byRun" | "repetitions"> {
  /** Repetitions of its runs without a steady part, in a cell whose other runs give the figures of theirs. */
  readonly wholeRuns: readonly number[];
}

/**
 * @param sides By name: of several groups, those of the first are told.
 * @param logRatios One for each repetition in which all sides ran, where they are compared pair by pair; null where they are not.
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

/** Runs without a steady part beside those that have one; null if there is none, or it makes no difference. */
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
 * Whether the ratio of any run of `of` to any run of `to` lies on the same side of the limit or margin that decides, and
 * that is not chance.
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

/** Likewise for sides that are compared pair by pair: whether the ratios of all pairs lie on the same side. */
export function arePairsOneSided(
  logRatios: readonly number[],
  isOneSided: (ends: Ends) => boolean,
): boolean {
  const [low, high] = [Math.min(...logRatios), Math.max(...logRatios)].map(Math.exp);
  return isOneSided({ low, high }) && 2 ** (1 - logRatios.length) <= SIGNIFICANCE;
}
