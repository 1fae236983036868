/**
 * A histogram as OpenTelemetry's exponential one (opentelemetry-specification, metrics/data-model,
 * "ExponentialHistogram"): bucket i holds the values in (base^i, base^(i+1)], where base = 2^(2^−scale). Values are
 * seconds.
 */
import type { SparseHistogram } from "./histogram.ts";
import { highestUsOf, lowestUsOf } from "./histogram_counts.ts";

/**
 * Buckets for each doubling, as a power of two: 256, each 0.27 % wide. Prometheus' native histograms have no finer
 * ones, and a value read as the middle of its bucket is at most 0.14 % off, in addition to the 0.05 % of the histogram
 * itself.
 */
export const SCALE = 8;

export interface ExponentialBuckets {
  /** Index of the first bucket. */
  readonly offset: number;
  /** Counts of the buckets, from `offset` to the last one in use. */
  readonly counts: readonly number[];
  /** Number of zeros, which are in no bucket. */
  readonly zeros: number;
}

/** Converts a histogram; all values of a bucket are counted at its middle. */
export function exponentialBuckets({ indices, counts }: SparseHistogram): ExponentialBuckets {
  const zeros = indices[0] === 0 ? counts[0] : 0;
  const first = indices[0] === 0 ? 1 : 0;
  if (first === indices.length) return { offset: 0, counts: [], zeros };
  const offset = exponentialIndexOf(indices[first]);
  const last = exponentialIndexOf(indices[indices.length - 1]);
  const sums = Array<number>(last - offset + 1).fill(0);
  for (let i = first; i < indices.length; i++) {
    sums[exponentialIndexOf(indices[i]) - offset] += counts[i];
  }
  return { offset, counts: sums, zeros };
}

function exponentialIndexOf(index: number): number {
  const middleS = (lowestUsOf(index) + highestUsOf(index)) / 2 / 1e6;
  return Math.ceil(Math.log2(middleS) * 2 ** SCALE) - 1;
}
