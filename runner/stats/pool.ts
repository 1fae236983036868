/**
 * The figures of a pool of blocks, each counted any number of times: what a bootstrap asks 10,000 times.
 * Percentiles are never averaged: they are those of the added histogram counts. To be quick about it,
 * nothing is added up ahead: counts lie cumulated, so the rank of a value under given weights is one sum
 * over the blocks, and the percentile a binary search for it.
 */
import { highestUsOf, lowestUsOf, type SparseHistogram } from "./histogram.ts";

/** A stretch of one run. */
export interface Block {
  readonly seconds: number;
  readonly completed: number;
  readonly latency: SparseHistogram;
}

/** `rate` is completed requests per second; `mean` and percentiles (0–100) are of latency, in microseconds. */
export type Figure = "rate" | "mean" | number;

export class Pool {
  readonly #blocks: readonly Block[];
  /** Histogram buckets in use by any block, ascending. */
  readonly #buckets: Uint16Array;
  /** Values of block j up to and in #buckets[i], at [i · blocks + j]. */
  readonly #cumulated: Float64Array;

  constructor(blocks: readonly Block[]) {
    this.#blocks = blocks;
    this.#buckets = Uint16Array.from(new Set(blocks.flatMap(({ latency }) => [...latency.indices]))).sort();
    this.#cumulated = cumulate(blocks, this.#buckets);
  }

  /** @param weights How often each block counts. NaN without seconds, or without values. */
  figure(figure: Figure, weights: Float64Array): number {
    const sum = (of: (block: Block) => number): number =>
      this.#blocks.reduce((total, block, j) => total + weights[j] * of(block), 0);
    if (figure === "rate") return sum(({ completed }) => completed) / sum(({ seconds }) => seconds);
    if (figure === "mean") return sum(({ latency }) => latency.sumUs) / sum(({ latency }) => latency.count);
    return this.#percentile(figure, weights);
  }

  /**
   * Values count as spread evenly over their bucket, and rounded ones as half a microsecond either way:
   * a percentile that can only step by whole buckets would make intervals of no width, or of a bucket's.
   */
  #percentile(percentile: number, weights: Float64Array): number {
    const last = this.#buckets.length - 1;
    if (last < 0) return NaN;
    const total = this.#countUpTo(last, weights);
    if (total === 0) return NaN;
    const rank = percentile / 100 * total;
    let low = 0;
    for (let high = last; low < high;) {
      const middle = (low + high) >> 1;
      if (this.#countUpTo(middle, weights) >= rank) high = middle;
      else low = middle + 1;
    }
    const below = low === 0 ? 0 : this.#countUpTo(low - 1, weights);
    const share = Math.max(0, rank - below) / (this.#countUpTo(low, weights) - below);
    const bottomUs = lowestUsOf(this.#buckets[low]) - 0.5;
    const topUs = highestUsOf(this.#buckets[low]) + 0.5;
    return bottomUs + share * (topUs - bottomUs);
  }

  // hot: some ten times for each percentile of each resample.
  #countUpTo(bucket: number, weights: Float64Array): number {
    const start = bucket * weights.length;
    let sum = 0;
    for (let j = 0; j < weights.length; j++) sum += weights[j] * this.#cumulated[start + j];
    return sum;
  }
}

function cumulate(blocks: readonly Block[], buckets: Uint16Array): Float64Array {
  const cumulated = new Float64Array(buckets.length * blocks.length);
  blocks.forEach(({ latency: { indices, counts } }, j) => {
    for (let i = 0, at = 0, sum = 0; i < buckets.length; i++) {
      if (indices[at] === buckets[i]) sum += counts[at++];
      cumulated[i * blocks.length + j] = sum;
    }
  });
  return cumulated;
}
