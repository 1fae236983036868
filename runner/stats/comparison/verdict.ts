/** The verdict of a comparison as one code, and a code for why the verdict is inconclusive or limited. */
import type { ExactTest } from "./significance_tests.ts";
import type { ConfidenceInterval } from "../confidence/confidence_interval.ts";
import { tQuantile } from "../confidence/student_t.ts";

const VERDICTS = ["better", "worse", "equivalent", "inconclusive"] as const;
export type Verdict = typeof VERDICTS[number];

/**
 * Why a comparison is inconclusive, or what limits its verdict:
 * - nothing: a side has no such figure;
 * - one-run: a side has only one run, which says nothing about the next;
 * - silent: some runs of a side served nothing, so no ratio can be formed;
 * - few-runs: the interval contains no difference as well as differences that matter;
 * - margin: the sides certainly differ, but perhaps by less than matters;
 * - many, exact: the interval shows a difference, but Holm's correction or the exact test does not confirm it;
 * - sessions: the sides were measured in two sessions, and it is unknown how much sessions differ;
 * - groups: the runs fall into two groups;
 * - unsteady: most runs of a side have no steady state;
 * - at-least: the capacity of a side is only a lower bound, so the true difference is unknown;
 * - errors: so many responses were wrong that their speed says nothing;
 * - generator: the sides are alike, but the generator was the bottleneck in most runs of a side;
 * - unconfirmed: all blocks together are worse, but the fresh ones alone are not;
 * - few-slices: two running processes were loaded alternately, but in too few slices of time to tell;
 * - dependent-slices: two running processes were loaded alternately, but their slices depend on each other for too
 * long;
 * - disturbed: a side uses so much CPU time while the other is loaded that the verdict might be different without it.
 */
const VERDICT_REASONS = [
  "nothing",
  "one-run",
  "silent",
  "few-runs",
  "margin",
  "many",
  "exact",
  "sessions",
  "groups",
  "unsteady",
  "at-least",
  "errors",
  "generator",
  "unconfirmed",
  "few-slices",
  "dependent-slices",
  "disturbed",
] as const;
export type VerdictReason = typeof VERDICT_REASONS[number];

export interface ComparisonJudgement {
  readonly verdict: Verdict;
  /** Null if the verdict stands without reservation. */
  readonly reason: VerdictReason | null;
}

/** A difference is called real if p is below this, which gives 1 false alarm in 20 comparisons. */
export const SIGNIFICANCE = 0.05;
/** The probability with which a change of `smallestChangeOf` is detected, and with which `runsToDecide` runs decide. */
const POWER = 0.8;

export interface Comparison {
  /** The ratio of new over base. */
  readonly ratio: ConfidenceInterval;
  /**
   * p-value against all true ratios within the margin (`pBeyond`), adjusted by Holm's method over all figures that are
   * decided together.
   */
  readonly adjustedP: number;
  /** Exact test of the same figure, by runs or by pairs, against the edge of the margin. */
  readonly exact: ExactTest;
  /** Ratios from 1 / (1 + margin) to 1 + margin count as no difference; 0.02 is 2 %. */
  readonly marginRatio: number;
  /**
   * The interval that must lie within the margin for equivalence. It is wider than `ratio` if the verdict is checked
   * repeatedly while runs are added. Default: `ratio`.
   */
  readonly atLook?: Pick<ConfidenceInterval, "low" | "high">;
  /** Which direction is an improvement: lower for a latency, higher for a rate. */
  readonly better: "lower" | "higher";
}

/**
 * The verdict is
 * - equivalent if the whole interval is within the margin;
 * - better or worse if the whole interval is beyond the margin, and both tests say that this is not chance. The
 *   interval assumes that the means of runs are about normally distributed. The exact test assumes nothing, but with
 *   few runs it can't detect anything, and then the interval decides alone;
 * - inconclusive otherwise. More runs, or another margin, would settle it.
 */
export function comparisonVerdict(
  { ratio, atLook = ratio, adjustedP, exact, marginRatio, better }: Comparison,
): ComparisonJudgement {
  const most = 1 + marginRatio;
  const { low, high } = ratio;
  if (atLook.low >= 1 / most && atLook.high <= most) return { verdict: "equivalent", reason: null };
  const isBeyond = low > most || high < 1 / most;
  if (!isBeyond) {
    return { verdict: "inconclusive", reason: low > 1 || high < 1 ? "margin" : "few-runs" };
  }
  if (adjustedP > SIGNIFICANCE) return { verdict: "inconclusive", reason: "many" };
  const agrees = exact.p <= SIGNIFICANCE || exact.leastP > SIGNIFICANCE;
  if (!agrees) return { verdict: "inconclusive", reason: "exact" };
  const isBetter = (ratio.value < 1) === (better === "lower");
  return { verdict: isBetter ? "better" : "worse", reason: null };
}

/**
 * The smallest change that the comparison would have called real in 80 of 100 repetitions, as a ratio less one (0.03
 * for 3 %). It tells what "inconclusive" and "equivalent" leave open. It is the margin plus (t₀.₉₇₅ + t₀.₈) standard
 * errors (J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988).
 *
 * @param confidence The confidence level of the difference; above 95 % if Holm's method or repeated checks while runs
 * are added require more.
 */
export function smallestChangeOf(
  { logStandardError, degreesOfFreedom }: ConfidenceInterval,
  { marginRatio, confidence = 1 - SIGNIFICANCE }: { marginRatio: number; confidence?: number },
): number {
  const reach = errorsFor(confidence, degreesOfFreedom) * logStandardError;
  return Math.expm1(Math.log1p(marginRatio) + reach);
}

/**
 * Confidence level of the interval that must lie beyond the margin, where Holm's method is at its strictest: for the
 * first of this many tests. With a margin, chance calls a difference real on one side only, so up to two tests require
 * no more than the 95 % interval.
 */
export function confidenceAmong(tests: number, marginRatio: number): number {
  const sides = marginRatio > 0 ? 2 : 1;
  return 1 - SIGNIFICANCE * Math.min(1, sides / Math.max(1, tests));
}

/**
 * How many standard errors a difference must be to be detected with 80 % probability. The quantile for one-sided 80 %
 * is that for two-sided 60 %.
 */
export function errorsFor(confidence: number, degreesOfFreedom: number): number {
  return tQuantile(confidence, degreesOfFreedom) + tQuantile(2 * POWER - 1, degreesOfFreedom);
}

/** More runs than this are never advised. */
const MOST_RUNS = 1_000;

/**
 * How many runs per side would give a verdict with 80 % probability if the true ratio is the one found: equivalent for
 * a ratio within the margin, better or worse for one beyond. Null if it would take more than 1,000 runs, or if the
 * ratio lies on the edge of the margin.
 *
 * @param runs Number of runs from which the interval was computed.
 */
export function runsToDecide(
  { value, logStandardError, degreesOfFreedom }: ConfidenceInterval,
  { runs, marginRatio }: { runs: number; marginRatio: number },
): number | null {
  const room = Math.log1p(marginRatio) - Math.abs(Math.log(value));
  const ofOneRun = logStandardError * Math.sqrt(runs);
  const freedomOf = (count: number): number => degreesOfFreedom * (count - 1) / (runs - 1);
  let needed = runs;
  // A fixed-point iteration, because t depends on the number of runs. Five rounds are accurate
  // enough for an approximate number.
  for (let round = 0; round < 5; round++) {
    const errors = errorsFor(1 - SIGNIFICANCE, freedomOf(Math.max(2, needed)));
    needed = Math.max(2, (errors * ofOneRun / room) ** 2);
    if (!(needed <= MOST_RUNS)) return null;
  }
  return Math.max(runs + 1, Math.ceil(needed));
}
