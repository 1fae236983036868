/** The figures of a run without its start, from what its timeline keeps of the rest. */
import type { Run } from "../runner/result.ts";
import { PERCENTILES } from "../runner/stats/percentiles.ts";
import { mergeBlocks } from "../runner/stats/blocks.ts";
import { encodeHistogram } from "../runner/stats/hdr.ts";
import { mergeHistograms } from "../runner/stats/histogram.ts";
import { type PerSecond, perSecondOf } from "../runner/stats/per_second.ts";
import type { Block } from "../runner/stats/pool.ts";
import { sum } from "./spread.ts";

type Point = Run["timeline"]["points"][number];

/**
 * Rate, latency and the spread of seconds are those from interval `first` on; outcomes, timeline, CPU and memory
 * stay those of the whole run.
 *
 * @param intervals All of the run.
 */
export function withoutStart(run: Run, intervals: readonly Block[], first: number): Run {
  const rest = mergeBlocks(intervals.slice(first));
  const points = run.timeline.points.slice(first);
  const secondsOf = (of: (point: Point) => number): PerSecond | null =>
    spreadOfSeconds(points.map(of), { interval: run.timeline.interval, seconds: rest.seconds });
  return {
    ...run,
    rate: rest.seconds > 0 ? rest.completed / rest.seconds : 0,
    bytes: {
      ...run.bytes,
      inPerSecond: rest.seconds > 0 ? sum(points, ({ bytes }) => bytes) / rest.seconds : 0,
    },
    latency: latencyOf(run.latency, rest),
    perSecond: {
      requests: secondsOf(({ completed }) => completed) ?? run.perSecond.requests,
      bytes: secondsOf(({ bytes }) => bytes) ?? run.perSecond.bytes,
    },
    histogram: encodeHistogram(rest.latency),
  };
}

/**
 * Which values are lower bounds is not known by interval: as many as in the whole run are taken for such, so
 * that no percentile is said to be surer than it is.
 */
function latencyOf(whole: Run["latency"], rest: Block): Run["latency"] {
  const histogram = mergeHistograms([rest.latency]);
  const { count, minUs, maxUs } = histogram;
  const max = Math.min(maxUs / 1_000, whole.max);
  const percentiles = Object.fromEntries(
    PERCENTILES.map((p) => [p, Math.min(histogram.valueAtPercentile(p) / 1_000, max)]),
  ) as Run["latency"]["percentiles"];
  return {
    clock: whole.clock,
    count,
    censored: Math.min(whole.censored, count),
    min: count === 0 ? 0 : minUs / 1_000,
    fastest: count === 0 || whole.fastest === 0 ? 0 : Math.max(minUs / 1_000, whole.fastest),
    mean: histogram.meanUs / 1_000,
    stdev: histogram.stdevUs / 1_000,
    max,
    percentiles,
  };
}

/**
 * Null where whole seconds can't be put together from whole intervals, or there is none: figures of nothing
 * are worse than those of the whole run.
 *
 * @param values One for each interval.
 * @param seconds How long the intervals are together; the last one may be cut short.
 */
function spreadOfSeconds(
  values: readonly number[],
  { interval, seconds }: { interval: number; seconds: number },
): PerSecond | null {
  const perSecond = Math.round(1 / interval);
  const length = Math.floor(seconds + 1e-6);
  if (Math.abs(perSecond * interval - 1) > 1e-6 || length === 0) return null;
  return perSecondOf(Array.from(
    { length },
    (_, second) => sum(values.slice(second * perSecond, (second + 1) * perSecond), (one) => one),
  ));
}
