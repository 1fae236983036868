/** Thresholds judged by the interval over runs; of one run, or of an extreme, by what was measured. */
import type { Threshold } from "../../runner/result.ts";
import { runsToDecide } from "../../runner/stats/runs_needed.ts";
import { tQuantile, twoSidedP } from "../../runner/stats/student_t.ts";
import { SIGNIFICANCE } from "../../runner/stats/verdict.ts";
import { type Evidence, fact, holds, sideOf, type Tested, tested, undecided } from "./evidence.ts";
import type { FigureRange, JudgedCell, Range } from "./range.ts";
import { endlessText, runsText } from "./remedies.ts";

export type LimitThreshold = Threshold & { readonly against: "limit" };

export interface Measured {
  readonly cell: JudgedCell;
  readonly range: FigureRange;
  /** The figure in words. */
  readonly found: string;
}

/** Lower bounds leave open how large the figure is, so they can't show that it is small, only that it is large. */
export function overRuns(
  { relation, limit }: LimitThreshold,
  { cell, range, found }: Measured,
): Evidence {
  const isRight = (value: number): boolean => holds(value, relation, limit);
  const evidence = range.interval === null
    ? fact(isRight(range.value) ? "pass" : "fail", found)
    : tested(found, {
      outcome: sideOf(range.interval, isRight),
      ...testOf({ ...range, interval: range.interval }, limit, cell),
    });
  const unknown = relation === "<" || relation === "<=" ? "pass" : "fail";
  return range.isAtLeast && evidence.outcome === unknown
    ? undecided(found, endlessText(cell.runs))
    : evidence;
}

/**
 * How far the limit is from the value, in standard errors, these read off the end of the interval that is on the same
 * side: so p is below 5 % where the limit is outside the 95 % interval, however lopsided that is. Where an
 * interval of more than 95 % has to be called one of 95 %, p is raised alike.
 */
function testOf(
  { value, interval: { low, high } }: Range & { interval: { low: number; high: number } },
  limit: number,
  { runs, level }: JudgedCell,
): Omit<Tested, "outcome"> {
  const degreesOfFreedom = runs.length - 1;
  const distance = Math.abs(limit - value);
  const reach = limit < value ? value - low : high - value;
  const quantile = tQuantile(level, degreesOfFreedom);
  if (reach === 0) return { p: distance === 0 ? 1 : 0, remedy: "" };
  const p = twoSidedP(quantile * distance / reach, degreesOfFreedom) * SIGNIFICANCE / (1 - level);
  const standardError = reach / quantile;
  const needed = runsToDecide({ distance, standardError, runs: runs.length, confidence: level });
  return { p: Math.min(1, p), remedy: runsText(needed) };
}
