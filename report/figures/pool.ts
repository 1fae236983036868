/**
 * The latencies of several runs as one distribution. The counts of their histograms are added, so that no information
 * is lost and percentiles are never averaged. Lower bounds stay lower bounds.
 */
import type { Measurement } from "../../runner/result/result.ts";
import { withoutBounds } from "../../runner/stats/histogram/censoring.ts";
import { decodeInterval, decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import {
  EMPTY,
  type Histogram,
  mergeHistograms,
  type SparseHistogram,
  sumOfSparse,
  valueAtPercentile,
} from "../../runner/stats/histogram/histogram.ts";
import { highestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import { PERCENTILES } from "../../runner/stats/quantile.ts";
import { sum } from "../writing/spread.ts";
import {
  type Bounded,
  bounded,
  boundedPercentile,
  percentileMs,
  type Sample,
} from "./lower_bounds.ts";

/** Times are in ms, as in the results. */
export interface PooledLatency {
  readonly count: number;
  /** Number of latencies that are lower bounds, because requests timed out, were unfinished or were never sent. */
  readonly censored: number;
  /**
   * Latency of the fastest completed request; 0 if none completed. Not the smallest latency, because a lower bound can
   * be arbitrarily small.
   */
  readonly fastest: number;
  /** Mean of all latencies, including lower bounds. */
  readonly mean: number;
  readonly stdev: number;
  readonly max: number;
  /** One value for each entry of `PERCENTILES`. */
  readonly percentiles: readonly number[];
  /**
   * Whether the figure would be larger if the requests behind the lower bounds turned out to take longer, so that it is
   * shown with ≥. For results of earlier versions, which give only the number of lower bounds, only a percentile can be
   * marked in this way.
   */
  isAtLeast(figure: number | "mean" | "max"): boolean;
  /** A percentile, 0–100; its value is 0 if there are no latencies. */
  percentile(percentile: number): Bounded;
  /** Number of latencies that are not lower bounds, as far as the results tell. */
  readonly endedCount: number;
  /** Histogram of the completed requests, for charts. */
  readonly ended: Histogram;
}

export type Percentile = (typeof PERCENTILES)[number];

/** The parts of a measurement that describe its distribution of latencies. */
export type Latent = Pick<Measurement, "latency" | "histogram" | "censoredHistogram">;

/** Percentile `p` of the pooled latencies, ms. */
export function percentileOf({ percentiles }: PooledLatency, p: Percentile): number {
  return percentiles[PERCENTILES.indexOf(p)];
}

export function poolLatency(runs: readonly Latent[]): PooledLatency {
  const filled = runs.filter(({ latency }) => latency.count > 0);
  const latencies = filled.map(({ latency }) => latency);
  let pooled: PooledSample | null = null;
  const sample = (): PooledSample => pooled ??= sampleOf(filled);
  const kept: Readonly<Record<number, number | undefined>> = filled.length === 1
    ? latencies[0].percentiles
    : {};
  const valueMs = (p: number): number => kept[p] ?? valueIn(sample(), p);
  const percentile = (p: number): Bounded => boundedIn(sample(), p, valueMs(p));
  const censored = sum(latencies, (latency) => latency.censored);
  const fastest = Math.min(...latencies.map(({ fastest }) => fastest || Infinity));
  let percentiles: readonly number[] | null = null;
  let ended: Histogram | null = null;
  return {
    ...moments(latencies),
    censored,
    fastest: fastest === Infinity ? 0 : fastest,
    max: Math.max(0, ...latencies.map(({ max }) => max)),
    // Computed on demand, because it requires decoding the histograms, and comparisons do not need
    // it.
    get percentiles(): readonly number[] {
      return percentiles ??= PERCENTILES.map(valueMs);
    },
    isAtLeast: (figure) =>
      typeof figure === "number"
        ? percentile(figure).isAtLeast
        : censored > 0 && sample().bounds !== null,
    percentile,
    get endedCount(): number {
      return sample().ended.count;
    },
    // Built on demand, because it is large and rarely needed.
    get ended(): Histogram {
      return ended ??= mergeHistograms([sample().ended]);
    },
  };
}

/** The latencies of one or more runs, pooled. */
interface PooledSample extends Omit<Sample, "bounds"> {
  /**
   * Those in `all` that are only lower bounds; null if just their number is known, as in results of earlier versions.
   */
  readonly bounds: SparseHistogram | null;
  readonly count: number;
  readonly censored: number;
}

function sampleOf(runs: readonly Latent[]): PooledSample {
  const parts = runs.map(partOf);
  const bounds = parts.flatMap((part) => part.bounds ?? []);
  return {
    clock: parts.every(({ clock }) => clock === "sent") ? "sent" : "intended",
    all: merged(parts.map(({ all }) => all)),
    bounds: bounds.length === parts.length ? merged(bounds) : null,
    count: sum(parts, ({ count }) => count),
    censored: sum(parts, ({ censored }) => censored),
    ended: merged(parts.map(({ ended }) => ended)),
  };
}

/** Decoded histograms of runs, cached because tables and charts ask for the same ones repeatedly. */
const decoded = new WeakMap<
  Latent["latency"],
  { readonly of: Latent; readonly part: PooledSample }
>();

function partOf(run: Latent): PooledSample {
  const known = decoded.get(run.latency);
  if (
    known?.of.histogram === run.histogram && known.of.censoredHistogram === run.censoredHistogram
  ) return known.part;
  const part = decodedPart(run);
  decoded.set(run.latency, { of: run, part });
  return part;
}

function decodedPart(run: Latent): PooledSample {
  const { latency, censoredHistogram } = run;
  const { clock, count, censored, fastest } = latency;
  const decoded = decodeInterval(run);
  // The histogram gives the largest value only to the precision of its bucket.
  const all = { ...decoded, maxUs: Math.min(decoded.maxUs, Math.round(latency.max * 1_000)) };
  const bounds = censored === 0
    ? EMPTY
    : censoredHistogram === undefined
    ? null
    : decodeSparse(censoredHistogram);
  const ended = bounds === null ? endedLatency(all, fastest) : withoutBounds(all, bounds);
  return { clock, all, bounds, count, censored, ended };
}

function merged(parts: readonly SparseHistogram[]): SparseHistogram {
  return parts.length === 1 ? parts[0] : sumOfSparse(parts);
}

function valueIn({ clock, all, bounds, ended }: PooledSample, p: number): number {
  if (bounds !== null) return percentileMs({ clock, all, bounds }, p);
  // Below the median only ended requests count, because a request that had just begun at the end
  // would look like the fastest.
  return valueAtPercentile(p < 50 ? ended : all, p) / 1_000;
}

function boundedIn(sample: PooledSample, p: number, valueMs: number): Bounded {
  const { clock, all, bounds, ended, censored, count } = sample;
  if (bounds !== null) return boundedPercentile({ clock, all, bounds, ended }, p, valueMs);
  // The true value may be higher if its rank is among the `censored` highest: these would be the
  // ranks of the lower bounds if all of them turned out to be the largest latencies.
  return bounded(valueMs, p >= 50 && censored > 0 && p / 100 * count > count - censored);
}

/**
 * Count, mean and standard deviation of the pooled latencies, computed exactly from those of the parts: σ² = Σ nᵢ(σᵢ² +
 * μᵢ²)/n − μ².
 */
function moments(
  parts: readonly Latent["latency"][],
): Pick<PooledLatency, "count" | "mean" | "stdev"> {
  if (parts.length === 1) {
    const [{ count, mean, stdev }] = parts;
    return { count, mean, stdev };
  }
  const count = sum(parts, (part) => part.count);
  if (count === 0) return { count, mean: 0, stdev: 0 };
  const mean = sum(parts, (part) => part.count * part.mean) / count;
  const square = sum(parts, (part) => part.count * (part.stdev ** 2 + part.mean ** 2)) / count;
  return { count, mean, stdev: Math.sqrt(Math.max(0, square - mean ** 2)) };
}

// The latencies of ended requests in older results, for percentiles below the median.

/**
 * The latencies that are not below that of the fastest response. Those below it belong to requests that had only just
 * begun when the run ended, and would look like the fastest.
 *
 * @param fastestMs The fastest latency in the run's results; 0 if no request got a response.
 */
export function endedLatency(latency: SparseHistogram, fastestMs: number): SparseHistogram {
  const fastestUs = Math.floor(fastestMs * 1_000);
  const first = fastestMs === 0
    ? -1
    : latency.indices.findIndex((index) => highestUsOf(index) >= fastestUs);
  if (first === 0) return latency;
  const from = first < 0 ? latency.indices.length : first;
  const counts = latency.counts.slice(from);
  let count = 0;
  for (const inBucket of counts) count += inBucket;
  return { ...latency, indices: latency.indices.slice(from), counts, count };
}
