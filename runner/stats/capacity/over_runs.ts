/**
 * The capacity of a cell from searches in several processes. Each search finds the capacity of its own process, and
 * processes differ, so the interval is that of the mean over runs, by Student's t on logarithms, because noise
 * multiplies. The uncertainty of each search is part of how far the runs differ. Pure.
 */
import { tQuantile } from "../confidence/student_t.ts";

/** The capacity that one search found. */
export interface FoundCapacity {
  readonly value: number;
  /** Whether the value is a lower bound, because something other than the target was the limit. */
  readonly isAtLeast: boolean;
}

export interface CellCapacity {
  /** Geometric mean over the runs; if some of them are lower bounds, so is this. */
  readonly value: number;
  readonly isAtLeast: boolean;
  /** Null if there are too few runs. */
  readonly low: number | null;
  /** Null also if some runs are lower bounds. */
  readonly high: number | null;
}

/**
 * The fewest runs that give the interval a lower end if some of them are lower bounds: ½ⁿ, the chance that all n runs
 * lie beyond the true capacity, is then below 2.5 %.
 */
const FEWEST_WITH_BOUNDS = 6;

/** @returns Null without runs. */
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
