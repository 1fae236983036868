/**
 * The latencies of several runs as one distribution: histogram counts are added, so nothing is lost
 * and no percentile is ever averaged.
 */
import type { Measurement } from "../runner/result.ts";
import { PERCENTILES } from "../runner/stats/percentiles.ts";
import { decodeSparse } from "../runner/stats/hdr.ts";
import { Histogram } from "../runner/stats/histogram.ts";
import { sum } from "./spread.ts";

/** Times in ms, as in the results. */
export interface PooledLatency {
  readonly count: number;
  /** How many of the values are lower bounds: timed out, or unfinished at the end of their run. */
  readonly censored: number;
  /** Of the completed requests, as a lower bound can be any small; 0 for none. */
  readonly fastest: number;
  readonly mean: number;
  readonly stdev: number;
  readonly max: number;
  /** One per entry of PERCENTILES. */
  readonly percentiles: readonly number[];
  readonly histogram: Histogram;
}

export type Percentile = (typeof PERCENTILES)[number];

type Bounded = Pick<PooledLatency, "count" | "censored">;

/** Percentile `p` of the whole, ms. */
export function percentileOf({ percentiles }: PooledLatency, p: Percentile): number {
  return percentiles[PERCENTILES.indexOf(p)];
}

type Latent = Pick<Measurement, "latency" | "histogram">;

export function poolLatency(runs: readonly Latent[]): PooledLatency {
  const filled = runs.filter(({ latency }) => latency.count > 0);
  const latencies = filled.map(({ latency }) => latency);
  const histogram = new Histogram();
  for (const run of filled) histogram.addSparse(decodeSparse(run.histogram));
  const max = Math.max(0, ...latencies.map(({ max }) => max));
  return {
    ...moments(latencies),
    censored: sum(latencies, ({ censored }) => censored),
    fastest: lowest(latencies.map(({ fastest }) => fastest).filter((ms) => ms > 0)),
    max,
    percentiles: PERCENTILES.map((p) =>
      latencies.length === 1
        ? latencies[0].percentiles[`${p}`]
        : Math.min(histogram.valueAtPercentile(p) / 1_000, max)
    ),
    histogram,
  };
}

/** 0 of none. */
function lowest(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.min(...values);
}

type Moments = Pick<PooledLatency, "count" | "mean" | "stdev">;

/**
 * Count, mean and standard deviation of the whole from those of its parts:
 * σ² = Σ nᵢ(σᵢ² + μᵢ²)/n − μ², which is exact.
 */
function moments(parts: readonly Latent["latency"][]): Moments {
  const count = sum(parts, (part) => part.count);
  if (count === 0) return { count, mean: 0, stdev: 0 };
  const mean = sum(parts, (part) => part.count * part.mean) / count;
  const square = sum(parts, (part) => part.count * (part.stdev ** 2 + part.mean ** 2)) / count;
  return { count, mean, stdev: Math.sqrt(Math.max(0, square - mean ** 2)) };
}

/**
 * Whether percentile `p` may be any larger than it reads: if the lower bounds turned out to be the
 * largest of all values, it would be one of them.
 */
export function isLowerBound({ count, censored }: Bounded, p: number): boolean {
  return censored > 0 && p / 100 * count > count - censored;
}

/** What brackets around a percentile mean. */
export const WEAK_NOTE =
  "In round brackets: fewer than ten requests lie beyond it, too few to say more than luck.";
