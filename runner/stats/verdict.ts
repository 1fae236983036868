/** What a comparison says, in one word. */
import type { Interval } from "./interval.ts";
import type { MannWhitney } from "./mann_whitney.ts";
import { tQuantile } from "./student_t.ts";

export const VERDICTS = ["better", "worse", "equivalent", "inconclusive"] as const;
export type Verdict = typeof VERDICTS[number];

/** A difference is called real below this p: 1 false alarm in 20 comparisons. */
export const SIGNIFICANCE = 0.05;
/** How surely `smallestChangeOf` would have been seen, and `runsToDecide` decide. */
export const POWER = 0.8;

export interface Comparison {
  /** New over base. */
  readonly ratio: Interval;
  /** Of the ratio being 1 (`pValueOf`), raised by Holm's method over all cells that are compared. */
  readonly adjustedP: number;
  /** Of the same figure, run by run. */
  readonly mannWhitney: MannWhitney;
  /** Ratios from 1 / (1 + margin) to 1 + margin make no difference to the reader; 0.02 is 2 %. */
  readonly marginRatio: number;
  /** Which way is good: lower for latency, higher for a rate. */
  readonly better: "lower" | "higher";
}

/**
 * - equivalent: the whole interval is within the margin;
 * - better, worse: the estimate is beyond the margin, and both tests say that the difference is real. The
 *   interval leans on runs being about normally distributed, Mann-Whitney on nothing, but it is deaf under
 *   4 and 4 runs: then the interval decides alone;
 * - inconclusive: anything else. More runs, or a wider margin, would settle it.
 */
export function verdictOf(comparison: Comparison): Verdict {
  const { ratio, marginRatio, better } = comparison;
  const most = 1 + marginRatio;
  if (ratio.low >= 1 / most && ratio.high <= most) return "equivalent";
  const isBeyond = ratio.value > most || ratio.value < 1 / most;
  if (!isBeyond || !isReal(comparison)) return "inconclusive";
  return (ratio.value < 1) === (better === "lower") ? "better" : "worse";
}

function isReal({ ratio, adjustedP, mannWhitney }: Comparison): boolean {
  const excludesOne = ratio.low > 1 || ratio.high < 1;
  const agrees = mannWhitney.p <= SIGNIFICANCE || mannWhitney.leastP > SIGNIFICANCE;
  return excludesOne && adjustedP <= SIGNIFICANCE && agrees;
}

/**
 * The smallest change that the comparison would have called real in 80 of 100 repetitions, as a ratio less
 * one (0.03 for 3 %): what "inconclusive" and "equivalent" leave open. (t₀.₉₇₅ + t₀.₈) standard errors
 * (J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988).
 *
 * @param confidence Of the difference; more than 95 % where Holm's method, or looks at the runs, ask for more.
 */
export function smallestChangeOf(
  { logStandardError, degreesOfFreedom }: Interval,
  confidence = 1 - SIGNIFICANCE,
): number {
  // The one-sided 80 % point is the two-sided 60 % one.
  const errors = tQuantile(confidence, degreesOfFreedom) +
    tQuantile(2 * POWER - 1, degreesOfFreedom);
  return Math.expm1(errors * logStandardError);
}
