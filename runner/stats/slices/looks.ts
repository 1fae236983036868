/**
 * After how many fresh pairs of processes an `ab` in slices looks, and whether it goes on. Who looks often and stops at the
 * first verdict is wrong more often than each look is: so the looks are few and fixed ahead, and each may be wrong in so
 * little that all of them together are in 5 % (equal levels: S. J. Pocock, "Group sequential methods in the design and analysis of
 * clinical trials", Biometrika 64, 1977; with Student's t they depend on nothing but the looks). Intervals are those of
 * `repeat: until`, as the looks change their coverage as much: see `sequential.ts`. Pure.
 */
import type { ComparisonJudgement, VerdictReason } from "../comparison/verdict.ts";

/** Pairs of processes. Fewer than four are no verdict: by luck three pairs of random layouts may all have the same one. */
export const PROCESS_LOOKS = [4, 6, 9, 13, 19, 28, 42, 64] as const;

/**
 * A verdict at one look takes a p as low: then 2.9 % of programs are called different from themselves at any look, without a
 * margin. The rest of the 5 % is left to log ratios that are not normal: of four to six values that keep within bounds, t is too large
 * more often than it should be.
 */
export const PROCESS_LOOK_SIGNIFICANCE = 0.005;

/** @returns The pairs of processes after which to look next; null after the last. */
export function nextProcessLook(processes: number): number | null {
  return PROCESS_LOOKS.find((look) => look > processes) ?? null;
}

/** Why a comparison is open that more pairs of processes may decide. */
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

export interface Look {
  readonly goesOn: boolean;
  /**
   * - worse: a figure is, which settles the exit code; decided: every figure has a verdict;
   * - open: more pairs of processes may decide; undecidable: none of the open figures would be decided by more.
   */
  readonly reason: "worse" | "decided" | "open" | "undecidable";
}

/**
 * @param judged Every figure that decides, of every cell, as `PROCESS_LOOK_SIGNIFICANCE` allows.
 * @param processes Pairs of processes so far. @param isLast Whether the time, or the most pairs allowed, is up.
 */
export function decide(
  judged: readonly ComparisonJudgement[],
  processes: number,
  isLast = false,
): Look {
  const open = judged.filter(({ verdict }) => verdict === "inconclusive");
  if (judged.some(({ verdict }) => verdict === "worse")) return { goesOn: false, reason: "worse" };
  if (open.length === 0) return { goesOn: false, reason: "decided" };
  if (!open.some(({ reason }) => MORE_DECIDE.includes(reason))) {
    return { goesOn: false, reason: "undecidable" };
  }
  return { goesOn: !isLast && nextProcessLook(processes) !== null, reason: "open" };
}
