/**
 * A run's intervals put together into blocks, the smallest parts that a bootstrap draws. Neighbouring
 * intervals resemble each other (garbage collection, a noisy neighbour), so drawing single ones would make
 * a run look steadier than it is (H. R. Künsch, "The jackknife and the bootstrap for general stationary
 * observations", 1989).
 */
import { mergeHistograms } from "./histogram.ts";
import type { Block } from "./pool.ts";

/** One second of a run of 10 s. Intervals of a group hang on the differences between runs, so little hangs on this. */
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

export function mergeBlocks(parts: readonly Block[]): Block {
  return {
    seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
    completed: parts.reduce((sum, { completed }) => sum + completed, 0),
    latency: mergeHistograms(parts.map(({ latency }) => latency)).toSparse(),
  };
}
