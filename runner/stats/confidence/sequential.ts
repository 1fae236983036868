/**
 * When `repeat: until 2%` checks the intervals, and when it stops. Checking after every run and stopping at the first
 * narrow interval would favour moments at which chance made it narrow: 95 % intervals then cover the truth in as little
 * as 92 % of cases (Y. S. Chow and H. Robbins, "On the asymptotic theory of fixed-width sequential confidence
 * intervals", 1965). So the checks, called looks, are few and fixed beforehand, and each requires a narrow 97.5 %
 * interval. With this schedule, such an interval covers the truth in 95 to 97 % of cases, whatever the noise, and may
 * be called a 95 % interval. `bench/statistics.ts` measures this coverage.
 */
import type { ConfidenceInterval } from "./confidence_interval.ts";

/**
 * Numbers of repetitions after which the intervals are checked, each about √2 times the one before. The experiment ends
 * after the last, however wide the intervals still are.
 */
export const LOOKS = [5, 7, 10, 14, 20, 28, 40, 56] as const;

/** Confidence level of the intervals that are checked. After stopping, the same intervals are reported as 95 %. */
export const LOOK_CONFIDENCE = 0.975;

/**
 * If the runs fall into two groups (`bimodality.ts`), narrow intervals do not end the experiment before this many
 * repetitions. If every fifth run belongs to the smaller group, 4 % of all samples of 14 runs contain none of it, and
 * 33 % of all samples of 5.
 */
export const LEAST_OF_GROUPS = 14;

/**
 * How many of 100 intervals contain the truth if a few runs are far slower than the rest (an exponential tail): after
 * five runs, and after repetition until intervals are narrow. The intervals that miss are mostly those of samples
 * without any slow run. Such samples look as if the target had no slow runs, so the data do not show which intervals to
 * distrust. `deno task bench power` measures the coverage.
 */
export const SKEWED_COVERAGE = { fiveRuns: 87, sequence: 86 } as const;

/** @returns Null after the last look. */
export function nextLook(repetitions: number): number | null {
  return LOOKS.find((look) => look > repetitions) ?? null;
}

/** Half the interval's width relative to its value: 0.02 for ± 2 %. */
export function halfWidthOf({ low, high }: ConfidenceInterval): number {
  return Math.expm1(Math.log(high / low) / 2);
}

/**
 * @param intervals One for each cell, at `LOOK_CONFIDENCE`; null for a cell without one.
 * @returns Whether the interval of every cell is within ± `targetRatio`.
 */
export function isNarrow(
  intervals: readonly (ConfidenceInterval | null)[],
  targetRatio: number,
): boolean {
  return intervals.every((interval) => interval !== null && halfWidthOf(interval) <= targetRatio);
}
