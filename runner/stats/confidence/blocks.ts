/**
 * A run's intervals put together into fewer blocks, so that what pools whole runs again and again (looks, reports)
 * has less to merge. A bootstrap draws whole runs: see `bootstrap.ts`.
 */
import { EMPTY, Histogram, type SparseHistogram } from "../histogram/histogram.ts";
import type { Block } from "./pool.ts";

/** One second of a run of 10 s. */
const BLOCKS_PER_RUN = 10;

/** @returns At most ten blocks of the same number of intervals, give or take one, in order. */
export function blocksOf(intervals: readonly Block[]): Block[] {
  const blocks = Math.min(BLOCKS_PER_RUN, intervals.length);
  const start = (block: number): number => Math.floor(block * intervals.length / blocks);
  return Array.from(
    { length: blocks },
    (_, block) => mergeBlocks(intervals.slice(start(block), start(block + 1))),
  );
}

/** Reused, as a histogram is large: empty between calls. */
const sum = new Histogram();

export function mergeBlocks(parts: readonly Block[]): Block {
  const merged = (of: (block: Block) => SparseHistogram): SparseHistogram => {
    for (const part of parts) sum.addSparse(of(part));
    return sum.drain();
  };
  const censored = merged(({ censored = EMPTY }) => censored);
  return {
    seconds: parts.reduce((whole, { seconds }) => whole + seconds, 0),
    completed: parts.reduce((whole, { completed }) => whole + completed, 0),
    latency: merged(({ latency }) => latency),
    ...(censored.count > 0 && { censored }),
  };
}
