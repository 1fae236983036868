/**
 * After how many fresh pairs of processes an `ab` in slices looks at its figures, and whether it goes on. Looking often
 * and stopping at the first verdict is wrong more often than each single look. So the looks are few and fixed in
 * advance, and each may be wrong so rarely that all of them together are wrong in at most 5 % (equal levels: S. J.
 * Pocock, "Group sequential methods in the design and analysis of clinical trials", Biometrika 64, 1977; with Student's
 * t the levels depend on nothing but the looks). Intervals are those of `repeat: until`, because the looks change their
 * coverage as much: see `sequential.ts`. Pure.
 */
import type { ComparisonJudgement, VerdictReason } from "../comparison/verdict.ts";
import type { ConfidenceInterval } from "../confidence/confidence_interval.ts";
import { tQuantile, upperP } from "../confidence/student_t.ts";

/**
 * Numbers of process pairs after which to decide. At least four: three random memory layouts may all be lucky in the
 * same way.
 */
export const PROCESS_LOOKS = [4, 6, 9, 13, 19, 28, 42, 64] as const;

/**
 * A verdict at one look needs a p-value this low: then 2.9 % of programs are called different from themselves at some
 * look, without a margin. The rest of the 5 % is left to log ratios that are not normal: with four to six bounded
 * values, t is too large more often than it should be.
 */
export const PROCESS_LOOK_SIGNIFICANCE = 0.005;

/** @returns The number of process pairs after which to look next; null after the last look. */
export function nextProcessLook(processes: number): number | null {
  return PROCESS_LOOKS.find((look) => look > processes) ?? null;
}

/** Reasons for an open comparison that more pairs of processes may decide. */
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
 * An open figure is given up if the looks that are left would decide it less often than this. Giving up raises no false
 * alarm, because it only ends the comparison earlier, and it misses few differences: `deno task bench slices` measures
 * both.
 */
const LEAST_CHANCE = 0.05;

/** A figure at the time of a decision. */
export interface LookedAt extends ComparisonJudgement {
  /** Null without a ratio. */
  readonly interval: ConfidenceInterval | null;
  /** Null if the sides were not loaded in turns. */
  readonly sliced: { readonly areTheseTwo: boolean } | null;
}

export interface LookOptions {
  /** Pairs of processes so far. */
  readonly processes: number;
  readonly marginRatio: number;
}

export interface Look {
  readonly goesOn: boolean;
  /**
   * - worse: a figure is worse, which settles the exit code; decided: every figure has a verdict;
   * - open: more pairs of processes may decide; undecidable: more would hardly decide any of the open figures.
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

/** Whether there is an open figure that more pairs of processes may decide. */
export function mayBeDecided(
  { verdict, reason, interval, sliced }: LookedAt,
  options: LookOptions,
): boolean {
  if (verdict !== "inconclusive" || !MORE_DECIDE.includes(reason)) return false;
  // The error of a ratio of two running processes comes from their slices, so a forecast over more pairs of processes
  // does not apply.
  if (interval === null || sliced?.areTheseTwo) return true;
  return chanceAtLast(interval, options) >= LEAST_CHANCE;
}

/**
 * How probably the last look decides, by what is known now and nothing else (predictive power: D. J. Spiegelhalter, L.
 * S. Freedman, P. R. Blackburn, "Monitoring clinical trials", Controlled Clinical Trials 7, 1986). Of n pairs with mean
 * log ratio m and standard deviation s, all N have a mean of m ± s · √(1/n − 1/N), by Student's t, because s is
 * estimated.
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
  if (!(spread > 0)) return 1; // the last look, or nothing that differs
  const [mean, edge] = [Math.abs(Math.log(value)), Math.log1p(marginRatio)];
  const above = (log: number): number => upperP((log - mean) / spread, degreesOfFreedom);
  const beyond = above(edge + reach) + 1 - above(-edge - reach);
  const within = reach < edge ? above(reach - edge) - above(edge - reach) : 0;
  return beyond + within;
}
