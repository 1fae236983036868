/** Thresholds judged by the interval over runs; of one run, or of an extreme, by what was measured. */
import type { Threshold } from "../../../runner/result/result.ts";
import { type TwoGroups, twoGroupsOf } from "../../../runner/stats/comparison/two_groups.ts";
import { type Ends, type FigureRange, figureText, type JudgedCell } from "../runs/figure_range.ts";
import { distanceTo } from "./distance.ts";
import { type Evidence, fact, holds, sideOf, tested, undecided } from "./evidence.ts";
import { endlessText, runsText } from "./remedies.ts";

export type LimitThreshold = Threshold & { readonly against: "limit" };

export interface Measured {
  readonly cell: JudgedCell;
  readonly range: FigureRange;
  /** The figure in words. */
  readonly found: string;
}

/** Lower bounds leave open how large the figure is, so they can't show that it is small, only that it is large. */
export function overRuns(threshold: LimitThreshold, measured: Measured): Evidence {
  const { relation, limit } = threshold;
  const { cell, range, found } = measured;
  const { interval } = range;
  const evidence = interval === null
    ? fact(holds(range.value, relation, limit) ? "pass" : "fail", found)
    : byInterval(threshold, { ...measured, interval });
  const unknown = relation === "<" || relation === "<=" ? "pass" : "fail";
  return range.isAtLeast && evidence.outcome === unknown
    ? undecided(found, endlessText(cell.runs))
    : evidence;
}

/**
 * Of runs of two kinds the interval does not cover the truth as often as it says: they decide only where all of them
 * are on the same side.
 */
function byInterval(
  { relation, limit, unit }: LimitThreshold,
  { cell, range: { value, byRun }, found, interval }: Measured & { readonly interval: Ends },
): Evidence {
  const isRight = (one: number): boolean => holds(one, relation, limit);
  const groups = twoGroupsOf(byRun);
  if (groups !== null && byRun.some(isRight) && !byRun.every(isRight)) {
    return undecided(found, groupsText(groups, unit));
  }
  const { level, runs: { length: runs } } = cell;
  const { p, runsNeeded } = distanceTo(limit, { value, interval, runs, level });
  return tested(found, { outcome: sideOf(interval, isRight), p, remedy: runsText(runsNeeded) });
}

/** `runs fall into two groups: 4 near 12.0 ms, 1 near 80.1 ms`. */
export function groupsText(groups: TwoGroups, unit: Threshold["unit"]): string {
  const near = groups.map(({ count, value }) =>
    `${count} near ${figureText({ value, interval: null }, unit)}`
  );
  return `runs fall into two groups: ${near.join(", ")}`;
}
