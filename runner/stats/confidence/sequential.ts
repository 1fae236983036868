/**
 * When `repeat: until 2%` looks at the intervals, and when it stops. Looking after every run and stopping at the first
 * narrow interval would pick the moments when chance made it narrow: 95 % intervals then cover in as little as 92 % of
 * cases (Y. S. Chow and H. Robbins, "On the asymptotic theory of fixed-width sequential confidence intervals", 1965).
 * So the looks are few and fixed beforehand, and each needs a 97.5 % interval: with this schedule it covers in 95 to
 * 97 % of cases whatever the noise, and may be called a 95 % interval. `bench/statistics.ts` measures this coverage.
 */
import type { ConfidenceInterval } from "./confidence_interval.ts";

/**
 * Repetitions after which the intervals are checked: each about √2 times the one before. After the last, repetition
 * stops anyway.
 */
export const LOOKS = [5, 7, 10, 14, 20, 28, 40, 56] as const;

/** Confidence level of the intervals at each look, and of those reported as 95 % after stopping. */
export const LOOK_CONFIDENCE = 0.975;

/**
 * Repetitions before which narrow intervals don't end the experiment if the runs fall into two groups
 * (`bimodality.ts`): if every fifth run belongs to the smaller group, 4 % of all samples of 14 runs miss it, and 33 %
 * of samples of 5.
 */
export const LEAST_OF_GROUPS = 14;

/**
 * How many of 100 intervals contain the truth if a few runs are far slower than the rest (an exponential tail), after
 * five runs, and after a sequence that ends when intervals are narrow. The worse intervals are those of samples without
 * any slow run, which look like samples of a target that has none. So the runs themselves do not tell which intervals
 * to trust. `deno task bench power` measures it.
 */
export const SKEWED_COVERAGE = { fiveRuns: 87, sequence: 86 } as const;

/** @returns null after the last look. */
export function nextLook(repetitions: number): number | null {
  return LOOKS.find((look) => look > repetitions) ?? null;
}

/** Half the interval's width as a share of its value: 0.02 for ± 2 %. */
export function halfWidthOf({ low, high }: ConfidenceInterval): number {
  return Math.expm1(Math.log(high / low) / 2);
}

/**
 * @param intervals One for each cell, at `LOOK_CONFIDENCE`; null if there is none (yet).
 * @returns Whether every cell's interval is within ± `targetRatio`.
 */
export function isNarrow(
  intervals: readonly (ConfidenceInterval | null)[],
  targetRatio: number,
): boolean {
  return intervals.every((interval) => interval !== null && halfWidthOf(interval) <= targetRatio);
}
