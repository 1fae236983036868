/**
 * Figures of one run in the result files, each with an interval for this run alone: where the figure would lie if this
 * process, at this level, went on for ever. The intervals follow from how much the samples of the run depend on each
 * other (`stats/dependence`); they say nothing about the next process.
 */
import * as z from "zod";
import { tQuantile } from "../stats/confidence/student_t.ts";
import { pooledShare } from "../stats/confidence/proportion_interval.ts";
import {
  clustered,
  largestDispersion,
  LEAST_CLUSTERS,
  presumedDispersion,
} from "../stats/dependence/clustered_share.ts";
import {
  type Dependence,
  dependenceIn,
  dispersionOf,
  reachOf,
  whyUnclear,
} from "../stats/dependence/ratio_series.ts";
import { decodeInterval } from "../stats/histogram/hdr.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";
import { BUCKETS, highestUsOf } from "../stats/histogram/histogram_counts.ts";
import { PERCENTILES } from "../stats/quantile.ts";
import type { Warmup } from "./warmup.ts";

const LEVEL = 0.95;

const PERCENTILE_NAMES = ["p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99"] as const;
export const IN_RUN_FIGURES = ["rate", "mean", ...PERCENTILE_NAMES, "errors"] as const;
export type InRunFigure = typeof IN_RUN_FIGURES[number];

export const NO_INTERVAL_REASONS = [
  "too-short",
  "not-stationary",
  "depends-too-long",
  "few-clusters",
  "lower-bounds",
] as const;

const figure = z.strictObject({
  value: z.number().min(0).describe("Value over the part of the run that begins at fromS"),
  interval: z.strictObject({
    low: z.number().min(0),
    high: z.number().min(0),
    of: z.literal("this run"),
    effectiveSamples: z.number().positive()
      .describe(
        "Number of independent intervals that would hold as much information as those of the timeline",
      ),
  }).nullable().describe(
    "95 % interval for this run alone: it does not include how much a new process would differ",
  ),
  intervalReason: z.enum(NO_INTERVAL_REASONS).optional().describe(
    "Why there is no interval: too-short; not-stationary (the level changes); depends-too-long (requests depend on each " +
      "other for too large a part of the run); few-clusters (fewer than 10 clusters of slow or failed requests); lower-bounds (requests timed out, were unfinished or were dropped)",
  ),
  independentAfterS: z.number().positive().nullable().optional().describe(
    "How many seconds apart two values of the figure must be to be independent, by rank correlation over lags; null: values a quarter of the " +
      "run apart still depend on each other; absent if the run is too short",
  ),
});

export const inRun = z.strictObject({
  fromS: z.number().min(0).describe(
    "Start of the steady part, seconds since the start of the run; 0 if there is none",
  ),
  figures: z.partialRecord(z.enum(IN_RUN_FIGURES), figure)
    .describe(
      "Figures by the names that thresholds use, except figures that the run does not have",
    ),
});

export type InRun = z.output<typeof inRun>;
type Figure = z.output<typeof figure>;
type Reason = typeof NO_INTERVAL_REASONS[number];

interface Point {
  readonly endS: number;
  readonly completed: number;
  readonly failed: number;
  readonly wrong?: number;
  readonly histogram: string;
}

/** The parts of a run from which the confidence intervals of its figures are computed. */
interface Measured {
  readonly timeline: { readonly intervalS: number; readonly points: readonly Point[] };
  readonly warmup: Warmup | null;
  readonly requests: { readonly dropped: number };
  /** `lowerBounds` names the figures that unfinished requests could make larger. */
  readonly latency: { readonly lowerBounds?: readonly string[]; readonly censored: number };
}

/** Figures of a run whose load does not change, with confidence intervals from within that run. */
export function inRunOf({ timeline, warmup, requests, latency }: Measured): InRun {
  const { intervalS, points } = timeline;
  const fromS = warmup?.steadyFromS ?? 0;
  const seconds = points.map(({ endS }, i) => endS - (points[i - 1]?.endS ?? 0));
  const steady = points.filter(({ endS }, i) =>
    seconds[i] > 0.99 * intervalS && endS > fromS + intervalS / 2
  );
  const isMoving = warmup?.unsettled === "drift" || warmup?.unsettled === "late";
  const part = { steady, intervalS, isMoving };
  const times = timesIn(steady);
  const openOnes = latency.lowerBounds ??
    (latency.censored > 0 ? ["mean", ...PERCENTILES.map(String)] : []);
  const figures: InRun["figures"] = {};
  if (steady.length > 0) figures.rate = rateIn(part);
  if (times.count > 0) {
    figures.mean = closed(meanIn(part), openOnes.includes("mean"));
    PERCENTILES.forEach((percentile, i) => {
      const found = percentileIn(part, times, percentile);
      figures[PERCENTILE_NAMES[i]] = closed(found, openOnes.includes(`${percentile}`));
    });
  }
  const errors = errorsIn(part);
  if (errors !== null) figures.errors = closed(errors, requests.dropped > 0);
  return { fromS, figures };
}

/** Removes the interval of a figure if requests that never ended, or were never sent, are missing from the timeline. */
function closed(figure: Figure, isOpen: boolean): Figure {
  return isOpen ? { ...figure, interval: null, intervalReason: "lower-bounds" } : figure;
}

interface Part {
  readonly steady: readonly Point[];
  readonly intervalS: number;
  /** Whether the level of the run was found to change. */
  readonly isMoving: boolean;
}

function dependenceOf(
  { steady }: Part,
  read: (point: Point) => readonly [amount: number, of: number],
): Dependence | null {
  const counts = steady.map(read);
  return dependenceIn({
    amounts: Float64Array.from(counts, ([amount]) => amount),
    of: Float64Array.from(counts, ([, of]) => of),
  });
}

function reasonOf({ isMoving }: Part, dependence: Dependence | null): Reason | null {
  return dependence !== null && isMoving ? "not-stationary" : whyUnclear(dependence);
}

/** @param ends Computes the ends of the interval; called only if there is one. */
function figureOf(
  { intervalS }: Part,
  { value, dependence, reason, ends }: {
    readonly value: number;
    readonly dependence: Dependence | null;
    readonly reason: Reason | null;
    readonly ends: () => { readonly low: number; readonly high: number };
  },
): Figure {
  const lag = dependence?.independentFrom;
  const after = lag === undefined ? {} : { independentAfterS: lag && lag * intervalS };
  if (reason !== null || dependence === null) {
    return { value, interval: null, intervalReason: reason ?? "too-short", ...after };
  }
  const { low, high } = ends();
  const effectiveSamples = Number(dependence.effective.toPrecision(3));
  return { value, interval: { low, high, of: "this run", effectiveSamples }, ...after };
}

function ratioFigure(
  part: Part,
  read: (point: Point) => readonly [amount: number, of: number],
  size: number,
): Figure {
  const dependence = dependenceOf(part, read);
  const [amounts, of] = part.steady.map(read)
    .reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  const value = amounts / of / size;
  const reason = reasonOf(part, dependence);
  const ends = (): { low: number; high: number } => {
    const reach = dependence === null ? 0 : reachOf(dependence, LEVEL) / size;
    return { low: Math.max(0, value - reach), high: value + reach };
  };
  return figureOf(part, { value, dependence, reason, ends });
}

function rateIn(part: Part): Figure {
  return ratioFigure(part, ({ completed }) => [completed, part.intervalS], 1);
}

function meanIn(part: Part): Figure {
  return ratioFigure(part, (point) => {
    const { sumUs, count } = decodeInterval(point);
    return [sumUs, count];
  }, 1_000);
}

/** Latencies of some intervals of the timeline, counted by histogram bucket. */
interface Times {
  readonly counts: Float64Array;
  readonly count: number;
}

function timesIn(points: readonly Point[]): Times {
  const counts = new Float64Array(BUCKETS);
  let count = 0;
  for (const point of points) {
    const held = decodeInterval(point);
    count += held.count;
    for (let i = 0; i < held.indices.length; i++) counts[held.indices[i]] += held.counts[i];
  }
  return { counts, count };
}

/** The first bucket such that it and the buckets before it hold at least this share of the values. */
function bucketAt({ counts, count }: Times, share: number): number {
  let below = 0;
  const needed = share * count * (1 - 1e-12);
  for (let i = 0; i < BUCKETS; i++) {
    below += counts[i];
    if (below >= needed && below > 0) return i;
  }
  return BUCKETS - 1;
}

/**
 * A percentile with its interval. The interval follows from the share of requests at or above the percentile: the error
 * of that share gives two other percentiles of the run, between which the true one lies (R. S. Woodruff, "Confidence
 * intervals for medians and other position measures", JASA 47, 1952). Thresholds are judged by a share of requests,
 * too: of those beyond the limit.
 */
function percentileIn(part: Part, times: Times, percentile: number): Figure {
  const allowed = (100 - percentile) / 100;
  const own = bucketAt(times, 1 - allowed);
  const dependence = dependenceOf(part, (point) => {
    const held = decodeInterval(point);
    return [countFrom(held, own), held.count];
  });
  const dispersion = dependence && dispersionOf(dependence, times.count) || 1;
  const requests = times.count / dispersion;
  const isFew = requests * Math.min(allowed, 1 - allowed) < LEAST_CLUSTERS;
  const reason = reasonOf(part, dependence) ?? (isFew ? "few-clusters" : null);
  const ms = (share: number): number => highestUsOf(bucketAt(times, share)) / 1_000;
  const ends = (): { low: number; high: number } => {
    const reach = tQuantile(LEVEL, dependence?.degreesOfFreedom ?? 1) *
      Math.sqrt(allowed * (1 - allowed) / requests);
    return { low: ms(1 - allowed - reach), high: ms(1 - allowed + reach) };
  };
  return figureOf(part, { value: ms(1 - allowed), dependence, reason, ends });
}

function countFrom({ indices, counts }: SparseHistogram, bucket: number): number {
  let sum = 0;
  for (let i = indices.length - 1; i >= 0 && indices[i] >= bucket; i--) sum += counts[i];
  return sum;
}

/** Error rate of the requests that ended; null if none did. */
function errorsIn(part: Part): Figure | null {
  const read = ({ completed, failed, wrong = 0 }: Point): readonly [number, number] => [
    failed + wrong,
    completed + failed,
  ];
  const [count, of] = part.steady.map(read).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  if (of === 0) return null;
  const dependence = dependenceOf(part, read);
  const dispersion = presumedDispersion({ count, of }, largestDispersion([dependence], of));
  const rarer = Math.min(count, of - count);
  // A count of 0 has an interval, too, because with a larger share, errors would have occurred.
  const isFew = rarer > 0 && rarer < LEAST_CLUSTERS * dispersion.ratio;
  const reason = reasonOf(part, dependence) ?? (isFew ? "few-clusters" : null);
  const ends = (): { low: number; high: number } =>
    pooledShare([clustered({ count, of }, dispersion)], LEVEL);
  return figureOf(part, { value: count / of, dependence, reason, ends });
}
