/**
 * Converts a histogram to an exponential histogram of OpenTelemetry (opentelemetry-specification, metrics/data-model,
 * "ExponentialHistogram"). Bucket i holds the values in (base^i, base^(i+1)], where base = 2^(2^−scale). Values are in
 * seconds.
 */
import type { SparseHistogram } from "./histogram.ts";
import { highestUsOf, lowestUsOf } from "./histogram_counts.ts";

/**
 * Logarithm to base 2 of the number of buckets for each doubling: 256 buckets, each 0.27 % wide. Prometheus' native
 * histograms have no finer ones. A value read as the middle of its bucket is off by at most 0.14 %, in addition to the
 * 0.05 % of the original histogram.
 */
export const SCALE = 8;

export interface ExponentialBuckets {
  /** Index of the first bucket in `counts`. */
  readonly offset: number;
  /** Counts of the buckets, from `offset` to the last one in use. */
  readonly counts: readonly number[];
  /** Number of values that are 0, which belong to no bucket. */
  readonly zeros: number;
}

/** Converts a histogram. All values of a bucket are counted as if they were at its middle. */
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
