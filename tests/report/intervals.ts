/** Drawn latencies: what an interval of a run would hold, and what follows from it. */
import type { Measurement } from "../../runner/result/result.ts";
import { PERCENTILES } from "../../runner/stats/quantile.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";

export const INTERVAL_S = 0.25;
export const ANSWER_BYTES = 180;
const TIMEOUT_US = 5_000_000;

export interface IntervalSpec {
  readonly timeoutRatio: number;
  readonly random: () => number;
  readonly medianMs: number;
  readonly connections: number;
  readonly end: number;
  /** Share of the requests that take two to six times as long; default 1 %. */
  readonly slowRatio?: number;
}

export interface Interval {
  readonly end: number;
  readonly completed: number;
  readonly failed: number;
  readonly histogram: Histogram;
}

/** Drawing every request would take long; this many stand for all in an interval. */
const MOST_DRAWN = 4_000;

export function drawInterval(
  { timeoutRatio, random, medianMs, connections, end, slowRatio = 0.01 }: IntervalSpec,
): Interval {
  const ended = Math.max(
    1,
    Math.round(connections / medianMs * 1_000 * INTERVAL_S * (0.96 + random() * 0.08)),
  );
  const failed = Math.round(ended * timeoutRatio);
  const histogram = new Histogram();
  const weight = Math.ceil(ended / MOST_DRAWN);
  for (let i = 0; i < failed; i++) histogram.record(TIMEOUT_US);
  for (let i = failed; i < ended; i += weight) {
    // Log-normal with a rare slow tail, as servers with a garbage collector have.
    const tail = random() < slowRatio ? 2 + random() * 4 : 1;
    const us = medianMs * 1_000 * Math.exp(0.22 * normal(random)) * tail;
    for (let k = 0; k < Math.min(weight, ended - i); k++) histogram.record(us);
  }
  return { end, completed: ended - failed, failed, histogram };
}

export function pointOf(
  { end, completed, failed, histogram }: Interval,
): Measurement["timeline"]["points"][number] {
  const at = (p: number): number => histogram.valueAtPercentile(p) / 1_000;
  return {
    endS: end,
    completed,
    failed,
    bytes: completed * ANSWER_BYTES,
    p50: at(50),
    p75: at(75),
    p90: at(90),
    p99: at(99),
    max: histogram.maxUs / 1_000,
    histogram: encodeHistogram(histogram.toSparse()),
  };
}

export function distributionOf(histogram: Histogram): Measurement["service"] {
  return {
    count: histogram.count,
    min: histogram.count ? histogram.minUs / 1_000 : 0,
    mean: histogram.meanUs / 1_000,
    stdev: histogram.stdevUs / 1_000,
    max: histogram.maxUs / 1_000,
    percentiles: Object.fromEntries(
      PERCENTILES.map((p) => [String(p), histogram.valueAtPercentile(p) / 1_000]),
    ) as Measurement["service"]["percentiles"],
  };
}

export function spreadOf(
  points: readonly Interval[],
  of: (point: Interval) => number,
): Measurement["perSecond"]["requests"] {
  const perSecond = 1 / INTERVAL_S;
  const seconds = Array.from(
    { length: Math.floor(points.length / perSecond) },
    (_, i) =>
      points.slice(i * perSecond, (i + 1) * perSecond).reduce(
        (total, point) => total + of(point),
        0,
      ),
  );
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (p: number): number =>
    sorted[Math.max(0, Math.ceil(p / 100 * sorted.length) - 1)] ?? 0;
  const mean = seconds.reduce((total, value) => total + value, 0) / Math.max(1, seconds.length);
  const variance = seconds.reduce((total, value) => total + (value - mean) ** 2, 0) /
    Math.max(1, seconds.length);
  return {
    p1: at(1),
    p2_5: at(2.5),
    p50: at(50),
    p97_5: at(97.5),
    mean,
    stdev: Math.sqrt(variance),
    min: sorted[0] ?? 0,
  };
}

/** Numbers in [0, 1) from a seed: mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Box and Muller's transform. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
