/**
 * A run taken apart by the histograms of its intervals, each of which is decoded here, once: without what the
 * experiment discards, and before and after its steady state.
 */
import type { Run } from "../runner/result/result.ts";
import { blocksOf, mergeBlocks } from "../runner/stats/confidence/blocks.ts";
import {
  countedFrom,
  type CountedPart,
  firstFrom,
  intervalBlocks,
} from "../runner/stats/confidence/interval_blocks.ts";
import type { Block } from "../runner/stats/confidence/pool.ts";
import { withoutStart } from "./without_start.ts";

export interface RunParts {
  /** With the figures of what counts: without what is discarded, or of the steady part. */
  readonly run: Run;
  /** With those of all. */
  readonly whole: Run;
  /** Of what counts, for a bootstrap. */
  readonly blocks: readonly Block[];
  /** Before the steady part, whatever is discarded; null where nothing comes before it. */
  readonly startUp: Block | null;
  /** The steady part; null where there is none. */
  readonly steady: Block | null;
}

/** @param counted What of the run the figures are of. */
export function takeApart(run: Run, counted: CountedPart): RunParts {
  const { points } = run.timeline;
  const intervals = intervalBlocks(points, run.latency.clock);
  const kept = countedFrom(run, counted);
  const steadyFrom = run.warmup?.steadyFromS ?? null;
  const steady = steadyFrom === null ? null : firstFrom(points, steadyFrom);
  return {
    run: kept === 0 ? run : withoutStart(run, intervals, kept),
    whole: run,
    blocks: blocksOf(intervals.slice(kept)),
    startUp: steady === null || steady === 0 ? null : mergeBlocks(intervals.slice(0, steady)),
    steady: steady === null ? null : mergeBlocks(intervals.slice(steady)),
  };
}

/** The runs that have figures: all, or those with a steady part, where figures are to be of it and any run has one. */
export function countedRuns(
  parts: readonly RunParts[],
  figures: CountedPart["figures"],
): readonly RunParts[] {
  const settled = parts.filter(({ steady }) => steady !== null);
  return figures === "whole" || settled.length === 0 ? parts : settled;
}
