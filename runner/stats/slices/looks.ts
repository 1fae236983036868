/**
 * After how many fresh pairs of processes an `ab` comparison that loads its two sides alternately checks its figures,
 * and whether it then continues. Checking often and stopping at the first verdict goes wrong more often than each
 * single check. So the checks, called looks, are few and fixed in advance, and each may be wrong so rarely that all
 * together are wrong in at most 5 % of cases (equal levels: S. J. Pocock, "Group sequential methods in the design and
 * analysis of clinical trials", Biometrika 64, 1977; with Student's t the levels depend only on the looks). Intervals
 * have the confidence level that `repeat: until` uses, because these looks change their coverage just as much: see
 * `sequential.ts`. Pure.
 */
import type { ComparisonJudgement, VerdictReason } from "../comparison/verdict.ts";
import type { ConfidenceInterval } from "../confidence/confidence_interval.ts";
import { tQuantile, upperP } from "../confidence/student_t.ts";

/**
 * Numbers of process pairs after which figures are checked. The first is four, because three random memory layouts may
 * all happen to favour the same side.
 */
export const PROCESS_LOOKS = [4, 6, 9, 13, 19, 28, 42, 64] as const;

/**
 * The p-value that a verdict needs at each look. With it, 2.9 % of comparisons of a program with itself find a
 * difference at some look, if there is no margin. The rest of the 5 % is left for log ratios that are not normal: with
 * four to six values from a bounded range, t is too large more often than it should be.
 */
export const PROCESS_LOOK_SIGNIFICANCE = 0.005;

/** @returns The number of process pairs after which to check next; null after the last look. */
export function nextProcessLook(processes: number): number | null {
  return PROCESS_LOOKS.find((look) => look > processes) ?? null;
}

/** Reasons for an inconclusive verdict that more pairs of processes may resolve. */
const MORE_DECIDE: readonly (VerdictReason | null)[] = [
  "one-run",
  "few-runs",
  "margin",
  "many",
  "exact",
  "groups",
  "unsteady",
  "few-slices",
  "dependent-slices",
];

/**
 * An inconclusive figure is given up if the remaining looks would decide it with a probability below this. Giving up
 * causes no false alarms, because it only ends the comparison earlier, and it misses few differences. `deno task bench
 * slices` measures both.
 */
const LEAST_CHANCE = 0.05;

/** The judgement of a figure at a look. */
export interface LookedAt extends ComparisonJudgement {
  /** Null if the figure has no ratio. */
  readonly interval: ConfidenceInterval | null;
  /** Null if the two sides were not loaded alternately. */
  readonly sliced: { readonly areTheseTwo: boolean } | null;
}

export interface LookOptions {
  /** Number of process pairs so far. */
  readonly processes: number;
  readonly marginRatio: number;
}

export interface Look {
  readonly goesOn: boolean;
  /**
   * - worse: a figure is worse, which settles the exit code;
   * - decided: every figure has a verdict;
   * - open: more pairs of processes may decide a figure;
   * - undecidable: more pairs would hardly decide any of the inconclusive figures.
   */
  readonly reason: "worse" | "decided" | "open" | "undecidable";
}

/** @param judged All deciding figures of all cells, judged at `PROCESS_LOOK_SIGNIFICANCE`. */
export function decide(judged: readonly LookedAt[], options: LookOptions): Look {
  const open = judged.filter(({ verdict }) => verdict === "inconclusive");
  if (judged.some(({ verdict }) => verdict === "worse")) return { goesOn: false, reason: "worse" };
  if (open.length === 0) return { goesOn: false, reason: "decided" };
  if (!open.some((one) => mayBeDecided(one, options))) {
    return { goesOn: false, reason: "undecidable" };
  }
  return { goesOn: nextProcessLook(options.processes) !== null, reason: "open" };
}

/** Whether the figure is inconclusive, but more pairs of processes may decide it. */
export function mayBeDecided(
  { verdict, reason, interval, sliced }: LookedAt,
  options: LookOptions,
): boolean {
  if (verdict !== "inconclusive" || !MORE_DECIDE.includes(reason)) return false;
  // The error of a ratio between two running processes comes from their slices, so no forecast for
  // more pairs of processes is possible.
  if (interval === null || sliced?.areTheseTwo) return true;
  return chanceAtLast(interval, options) >= LEAST_CHANCE;
}

/**
 * The probability that the last look decides, given what is known now (predictive power: D. J. Spiegelhalter, L. S.
 * Freedman, P. R. Blackburn, "Monitoring clinical trials", Controlled Clinical Trials 7, 1986). If n pairs have the
 * mean log ratio m and the standard deviation s, the mean of all N pairs is predicted to be m ± s · √(1/n − 1/N), by
 * Student's t, because s is estimated.
 */
function chanceAtLast(
  { value, logStandardError, degreesOfFreedom }: ConfidenceInterval,
  { processes, marginRatio }: LookOptions,
): number {
  const last = Math.max(...PROCESS_LOOKS);
  const stdev = logStandardError * Math.sqrt(processes);
  const freedom = degreesOfFreedom * (last - 1) / (processes - 1);
  const reach = tQuantile(1 - PROCESS_LOOK_SIGNIFICANCE, freedom) * stdev / Math.sqrt(last);
  const spread = stdev * Math.sqrt(1 / processes - 1 / last);
  if (!(spread > 0)) return 1; // at the last look, or if nothing differs
  const [mean, edge] = [Math.abs(Math.log(value)), Math.log1p(marginRatio)];
  const above = (log: number): number => upperP((log - mean) / spread, degreesOfFreedom);
  const beyond = above(edge + reach) + 1 - above(-edge - reach);
  const within = reach < edge ? above(reach - edge) - above(edge - reach) : 0;
  return beyond + within;
}
