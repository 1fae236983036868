/** Statistics of values that each come from a whole run, never from single requests. */

/** Spread of one figure across the runs of a cell (a target with a scenario). */
export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** One value per run, in the order of the repetitions. */
  readonly values: readonly number[];
}

/** @param values At least one value. */
export function spreadOf(values: readonly number[]): Spread {
  return {
    mean: mean(values),
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    values,
  };
}

/** The mean; 0 if there are no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values, (value) => value) / values.length;
}

/** The middle value, or the mean of the middle two; 0 if there are no values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The middle value, or the lower of the middle two. Unlike the median, it always is the value of an actual run, as
 * percentiles need. 0 if there are no values.
 */
export function lowerMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
