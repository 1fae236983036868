/**
 * A run's intervals put together into fewer blocks, so that what pools whole runs again and again (looks, reports)
 * has less to merge. A bootstrap draws whole runs: see `bootstrap.ts`.
 */
import { EMPTY, Histogram, type SparseHistogram } from "../histogram/histogram.ts";
import type { RunBlock } from "./pool.ts";
import { decodeSparse } from "../histogram/hdr.ts";

/** One second of a run of 10 s. */
const BLOCKS_PER_RUN = 10;

/** @returns At most ten blocks of the same number of intervals, give or take one, in order. */
export function blocksOf(intervals: readonly RunBlock[]): RunBlock[] {
  const blocks = Math.min(BLOCKS_PER_RUN, intervals.length);
  const start = (block: number): number => Math.floor(block * intervals.length / blocks);
  return Array.from(
    { length: blocks },
    (_, block) => mergeBlocks(intervals.slice(start(block), start(block + 1))),
  );
}

/** Reused, as a histogram is large: empty between calls. */
const sum = new Histogram();

export function mergeBlocks(parts: readonly RunBlock[]): RunBlock {
  const merged = (of: (block: RunBlock) => SparseHistogram): SparseHistogram => {
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

/**
 * What the intervals of a run's timeline hold, decoded: the finest blocks that there are. What a report or a
 * look of `repeat: until` takes a run for is put together from them.
 */

/** An interval as `results.json` has it. */
export interface TimelinePoint {
  /** Its end, seconds since the start of the run. */
  readonly t: number;
  readonly completed: number;
  /** HdrHistogram V2, compressed, base64; "" for none. */
  readonly histogram: string;
  /** The values of `histogram` that are lower bounds; absent for none. */
  readonly censoredHistogram?: string;
}

/**
 * One block for each interval, in order. Costs some 10 µs each, so do it once.
 *
 * @param clock Of the latencies. In a closed loop ("sent") the clock ends the watch on requests under way, whatever
 * they take, so that the product limit holds for them. In an open loop ("intended") those that wait the longest are
 * those that a slow server leaves: their bounds count as values, and figures that they reach are lower bounds.
 */
export function intervalBlocks(
  points: readonly TimelinePoint[],
  clock: "intended" | "sent",
): RunBlock[] {
  return points.map(({ t, completed, histogram, censoredHistogram }, index) => ({
    seconds: t - (points[index - 1]?.t ?? 0),
    completed,
    latency: histogram === "" ? EMPTY : decodeSparse(histogram),
    ...(clock === "sent" && censoredHistogram !== undefined &&
      { censored: decodeSparse(censoredHistogram) }),
  }));
}

/**
 * Index of the first interval that begins at `seconds` or later; the number of intervals when none does.
 * Intervals end at multiples of a quarter second and the like, but for rounding.
 */
export function firstFrom(points: readonly TimelinePoint[], seconds: number): number {
  return points.filter((_, index) => (points[index - 1]?.t ?? 0) < seconds - 1e-6).length;
}

/** A run as its results have it. */
interface TimedRun {
  readonly timeline: { readonly points: readonly TimelinePoint[] };
  readonly warmup: { readonly steadyFrom: number | null } | null;
}

/** What of a run the figures are of. */
export interface CountedPart {
  /** Seconds at its start that count for nothing. */
  readonly discardS: number;
  /** The whole of the rest, or its steady part; a run without one counts whole. */
  readonly figures: "whole" | "steady";
}

/** Index of the first interval that the figures of a run are of. */
export function countedFrom(
  { timeline: { points }, warmup }: TimedRun,
  { discardS, figures }: CountedPart,
): number {
  const steadyFrom = figures === "steady" ? warmup?.steadyFrom ?? 0 : 0;
  return keptFrom(points, Math.max(discardS, steadyFrom));
}

/**
 * Index of the first interval that counts where the first `discardS` seconds of a run do not. Of a run that
 * would have none left all count: figures of nothing are worse than those of its start.
 */
function keptFrom(points: readonly TimelinePoint[], discardS: number): number {
  const from = firstFrom(points, discardS);
  return from < points.length ? from : 0;
}
