/** Thresholds judged by the interval over runs; of one run, or of an extreme, by what was measured. */
import type { Threshold } from "../../runner/result.ts";
import { distanceTo } from "./distance.ts";
import { type Evidence, fact, holds, sideOf, tested, undecided } from "./evidence.ts";
import type { Ends, FigureRange, JudgedCell } from "./range.ts";
import { endlessText, runsText } from "./remedies.ts";

export type LimitThreshold = Threshold & { readonly against: "limit" };

export interface Measured {
  readonly cell: JudgedCell;
  readonly range: FigureRange;
  /** The figure in words. */
  readonly found: string;
}

/** Lower bounds leave open how large the figure is, so they can't show that it is small, only that it is large. */
export function overRuns(threshold: LimitThreshold, { cell, range, found }: Measured): Evidence {
  const { relation, limit } = threshold;
  const evidence = range.interval === null
    ? fact(holds(range.value, relation, limit) ? "pass" : "fail", found)
    : byInterval(threshold, { cell, found, value: range.value, interval: range.interval });
  const unknown = relation === "<" || relation === "<=" ? "pass" : "fail";
  return range.isAtLeast && evidence.outcome === unknown
    ? undecided(found, endlessText(cell.runs))
    : evidence;
}

function byInterval(
  { relation, limit }: LimitThreshold,
  { cell: { runs, level }, found, value, interval }: {
    readonly cell: JudgedCell;
    readonly found: string;
    readonly value: number;
    readonly interval: Ends;
  },
): Evidence {
  const { p, runsNeeded } = distanceTo(limit, { value, interval, runs: runs.length, level });
  const outcome = sideOf(interval, (end) => holds(end, relation, limit));
  return tested(found, { outcome, p, remedy: runsText(runsNeeded) });
}
