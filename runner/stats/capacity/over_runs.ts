/**
 * The capacity of a cell (a combination of target and scenario) from searches in several processes. Each search finds
 * the capacity of its own process, and processes differ, so the confidence interval is that of the mean over runs. It
 * uses Student's t on logarithms, because noise acts as a factor. The uncertainty of each search needs no term of its
 * own, because it is part of how far the runs differ. Pure.
 */
import { tQuantile } from "../confidence/student_t.ts";

export interface FoundCapacity {
  readonly value: number;
  /** Whether the value is only a lower bound, because something other than the target was the bottleneck. */
  readonly isAtLeast: boolean;
}

export interface CellCapacity {
  /** Geometric mean over the runs. If the capacity of any run is a lower bound, the mean is one, too. */
  readonly value: number;
  readonly isAtLeast: boolean;
  /** Lower end of the confidence interval; null if there are too few runs (see `FEWEST_WITH_BOUNDS`). */
  readonly low: number | null;
  /**
   * Upper end of the confidence interval; null if there are too few runs, or if the capacity of any run is a lower
   * bound.
   */
  readonly high: number | null;
}

/**
 * The fewest runs from which a lower end of the interval is computed if the capacity of any of them is a lower bound.
 * With n runs, the chance that all lie above the true capacity is ½ⁿ, which is below 2.5 % from 6 runs on.
 */
const FEWEST_WITH_BOUNDS = 6;

/** @returns Null if there are no runs. */
export function capacityOverRuns(
  runs: readonly FoundCapacity[],
  confidence = 0.95,
): CellCapacity | null {
  if (runs.length === 0) return null;
  const logs = runs.map(({ value }) => Math.log(value));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const value = Math.exp(mean);
  const isAtLeast = runs.some((run) => run.isAtLeast);
  const fewest = isAtLeast ? FEWEST_WITH_BOUNDS : 2;
  if (runs.length < fewest) return { value, isAtLeast, low: null, high: null };
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const error = Math.sqrt(squares / (logs.length - 1) / logs.length);
  const reach = tQuantile(confidence, logs.length - 1) * error;
  return {
    value,
    isAtLeast,
    low: Math.exp(mean - reach),
    high: isAtLeast ? null : Math.exp(mean + reach),
  };
}
