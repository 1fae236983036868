/**
 * How a figure that was read once a second spread out: autocannon's per-second table.
 */
export interface PerSecond {
  readonly p1: number;
  readonly p2_5: number;
  readonly p50: number;
  readonly p97_5: number;
  readonly mean: number;
  readonly stdev: number;
  readonly min: number;
}

/** Percentiles by nearest rank; the standard deviation is that of the values themselves. All 0 for no values. */
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
