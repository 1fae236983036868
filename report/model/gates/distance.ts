/** How surely a figure lies on its side of a limit, and how many runs would decide it. */
import { runsToDecide, SIGNIFICANCE } from "../../../runner/stats/comparison/verdict.ts";
import { type Interval, pValueOf } from "../../../runner/stats/confidence/confidence_interval.ts";
import { tQuantile } from "../../../runner/stats/confidence/student_t.ts";
import type { Ends } from "../runs/figure_range.ts";

export interface Distant {
  readonly value: number;
  readonly interval: Ends;
  /** Of each side. */
  readonly runs: number;
  /** Of the interval. */
  readonly level: number;
}

export interface Distance {
  /** Two-sided, of the figure being at the limit: 5 % at the most where the limit is outside the interval. */
  readonly p: number;
  /** Null where more than 1,000 would be needed. */
  readonly runsNeeded: number | null;
}

/**
 * In standard errors, these read off the end of the interval that is on the limit's side. Where an interval of more
 * than 95 % has to be called one of 95 %, p is raised alike.
 */
export function distanceTo(limit: number, { value, interval, runs, level }: Distant): Distance {
  const end = limit < value ? interval.low : interval.high;
  const degreesOfFreedom = interval.degreesOfFreedom ?? runs - 1;
  // Ends at 0 or below have no logarithm: errors that large are taken as they are.
  const reach = end > 0 && value > 0 ? Math.abs(Math.log(value / end)) : Math.abs(1 - end / value);
  const ratio: Interval = {
    value: value / limit,
    low: interval.low / limit,
    high: interval.high / limit,
    logStandardError: reach / tQuantile(level, degreesOfFreedom),
    degreesOfFreedom,
  };
  if (value === limit) return { p: 1, runsNeeded: null };
  const p = pValueOf(ratio) * SIGNIFICANCE / (1 - level);
  return { p: Math.min(1, p), runsNeeded: runsToDecide(ratio, { runs, marginRatio: 0 }) };
}
