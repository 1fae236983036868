/**
 * How many requests of a run took longer than a limit: what a percentile is held against it by. The p99 is below
 * 50 ms where less than 1 % of the requests take as long.
 */
import type { Distribution } from "../../../runner/result/result.ts";
import type { Counted } from "../../../runner/stats/confidence/proportion_interval.ts";
import { decodeSparse } from "../../../runner/stats/histogram/hdr.ts";
import { highestUsOf, type SparseHistogram } from "../../../runner/stats/histogram/histogram.ts";
import { PERCENTILES } from "../../../runner/stats/quantile.ts";
import type { FigureName, Judged } from "../runs/figures.ts";

export interface Beyond {
  /** Requests that surely took longer: lower bounds as what they are at the least. */
  readonly sure: Counted;
  /** The same if every lower bound below the limit turned out to lie beyond it. */
  readonly most: Counted;
}

/** A percentile of a distribution of times. */
export interface Percentile {
  readonly of: "latency" | "service" | "firstByte" | "connect";
  /** 0–100. */
  readonly percentile: number;
}

/** Null for other figures. */
export function percentileIn(figure: FigureName): Percentile | null {
  const [, of = "latency", percentile] = PERCENTILE.exec(figure) ?? [];
  return percentile === undefined
    ? null
    : { of: of as Percentile["of"], percentile: Number(percentile) };
}

const PERCENTILE = /^(?:(service|firstByte|connect)\.)?p([\d.]+)$/;

export interface Limit {
  readonly ms: number;
  /** True for the limit itself, too, or not, and for all that is longer. */
  readonly isBeyond: (ms: number) => boolean;
}

export function beyondOf(of: Percentile["of"], run: Judged, limit: Limit): Beyond {
  const { count } = run[of];
  const sure = of === "latency"
    ? countBeyond(decodeSparse(run.histogram), run.latency.max, limit)
    : count * shareBeyond(run[of], limit);
  const most = sure + Math.min(count - sure, openBounds(of, run, limit));
  return { sure: { count: sure, of: count }, most: { count: most, of: count } };
}

/** A bucket reads as its upper end, as in the percentiles of the results, but never above the longest. */
function countBeyond(
  { indices, counts }: SparseHistogram,
  maxMs: number,
  { isBeyond }: Limit,
): number {
  let beyond = 0;
  for (let i = 0; i < indices.length; i++) {
    if (isBeyond(Math.min(highestUsOf(indices[i]) / 1_000, maxMs))) beyond += counts[i];
  }
  return beyond;
}

/** Lower bounds below the limit; as many as there may be, where only their number is known. */
function openBounds(of: Percentile["of"], run: Judged, limit: Limit): number {
  const { latency: { censored, max }, requests: { dropped }, censoredHistogram } = run;
  // What was never sent has no service time.
  if (of === "service") return Math.max(0, censored - dropped);
  if (of !== "latency") return 0;
  if (censoredHistogram === undefined) return censored;
  return censored - countBeyond(decodeSparse(censoredHistogram), max, limit);
}

/**
 * Where the results keep no histogram: between the percentiles that they keep, along a straight line from the
 * logarithm of one's share to that of the next, as tails fall about exponentially.
 */
function shareBeyond({ count, min, max, percentiles }: Distribution, limit: Limit): number {
  const points = [
    { ms: min, share: 1 },
    ...PERCENTILES.map((p) => ({ ms: percentiles[`${p}`], share: (100 - p) / 100 })),
    { ms: max, share: 1 / count },
  ].filter(({ share }) => share * count >= 1);
  const next = points.findIndex(({ ms }) => limit.isBeyond(ms));
  if (next === -1) return 0;
  if (next === 0) return 1;
  const [from, to] = [points[next - 1], points[next]];
  const way = (limit.ms - from.ms) / (to.ms - from.ms);
  return from.share * (to.share / from.share) ** way;
}
