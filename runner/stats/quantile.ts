/**
 * The value below which `share` (0–1) of the values lie, interpolated linearly between the two nearest values
 * (definition 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", 1996; the default of R and
 * NumPy). NaN if there are no values.
 *
 * @param sorted Ascending.
 */

export function quantileOf(sorted: ArrayLike<number>, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

/** Up to this many values, an insertion sort is faster than a typed array's sort, which has a set-up cost. */
const FEW = 24;
const few = new Float64Array(FEW);

/** The middle value, or the mean of the middle two; NaN if there are no values. */
export function medianOf(values: ArrayLike<number>): number {
  return values.length > FEW
    ? quantileOf(Float64Array.from(values).sort(), 0.5)
    : medianOfFew(values);
}

// hot: a report uses this to smooth every percentile of every interval.
function medianOfFew(values: ArrayLike<number>): number {
  const count = values.length;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    let at = i;
    while (at > 0 && few[at - 1] > value) few[at] = few[--at];
    few[at] = value;
  }
  const middle = count >> 1;
  return count % 2 === 1 ? few[middle] : few[middle - 1] + 0.5 * (few[middle] - few[middle - 1]);
}

/** Percentiles that every distribution reports. */
export const PERCENTILES = [50, 75, 90, 95, 99, 99.9, 99.99] as const;

/**
 * Whether there are enough values to say anything about a percentile. At least ten of them must lie beyond it, so p99.9
 * needs 10,000, and p2.5 needs 400. With fewer values, the percentile is little more than an extreme that occurred by
 * chance.
 *
 * @param percentile 0–100.
 */
export function supportsPercentile(count: number, percentile: number): boolean {
  return count * Math.min(percentile, 100 - percentile) >= 10 * 100 * (1 - 1e-9);
}

/** The distribution of a figure that was read once a second, as in autocannon's per-second table. */
export interface PerSecond {
  readonly p1: number;
  readonly p2_5: number;
  readonly p50: number;
  readonly p97_5: number;
  readonly mean: number;
  readonly stdev: number;
  readonly min: number;
}

/**
 * Percentiles are by nearest rank. The standard deviation is that of the values as a whole population (the divisor is
 * n). All are 0 if there are no values.
 */
export function perSecondOf(values: readonly number[]): PerSecond {
  if (values.length === 0) return { p1: 0, p2_5: 0, p50: 0, p97_5: 0, mean: 0, stdev: 0, min: 0 };
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percentile: number): number =>
    sorted[Math.max(0, Math.ceil(percentile / 100 * sorted.length) - 1)];
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const variance = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / sorted.length;
  return {
    p1: at(1),
    p2_5: at(2.5),
    p50: at(50),
    p97_5: at(97.5),
    mean,
    stdev: Math.sqrt(variance),
    min: sorted[0],
  };
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
