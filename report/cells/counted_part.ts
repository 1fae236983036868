/**
 * Determines the part of a run that counts in its figures, and the parts before and after the start of its steady
 * state, by adding up the histograms of the intervals of its timeline.
 */
import type { Run } from "../../runner/result/result.ts";
import type { Slices } from "../../runner/result/slices.ts";
import {
  blockOfIntervals,
  countedFrom,
  type CountedPart,
  firstFrom,
  type RunBlock,
} from "../../runner/stats/confidence/pool.ts";
import { withoutBounds } from "../../runner/stats/histogram/censoring.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import {
  EMPTY,
  mergeHistograms,
  type SparseHistogram,
  sumOfSparse,
} from "../../runner/stats/histogram/histogram.ts";
import { PERCENTILES, type PerSecond, perSecondOf } from "../../runner/stats/quantile.ts";
import { sum } from "../writing/spread.ts";
import { percentileMs } from "../figures/lower_bounds.ts";

export interface RunParts {
  /**
   * The run with the figures of the part that counts: without the discarded start, or only the steady part. If only
   * steady parts are to count, a run without one counts from the end of its discarded start.
   */
  readonly run: Run;
  /** The run with the figures of its whole length. */
  readonly whole: Run;
  /** The part that counts, as blocks for a bootstrap. */
  readonly blocks: readonly RunBlock[];
  readonly isSettled: boolean;
  /** The part before the steady part, including what is discarded; null if there is none. Computed on demand. */
  readonly startUp: RunBlock | null;
  /** The steady part; null if there is none. Computed on demand. */
  readonly steady: RunBlock | null;
}

/** The parts of each run for each choice of what counts, cached because runs are grouped into cells several times. */
const made = new WeakMap<Run, Map<string, RunParts>>();

/** Splits a run into its parts. @param counted The part of the run for which figures are computed. */
export function splitRun(run: Run, { discardS, figures }: CountedPart): RunParts {
  return made.getOrInsertComputed(run, () => new Map())
    .getOrInsertComputed(`${discardS} ${figures}`, () => newParts(run, { discardS, figures }));
}

function newParts(run: Run, counted: CountedPart): RunParts {
  const { points } = run.timeline;
  const kept = countedFrom(run, counted);
  const steadyFrom = run.warmup?.steadyFromS ?? null;
  const steady = steadyFrom === null ? null : firstFrom(points, steadyFrom);
  const part = (from: number, to: number): RunBlock =>
    blockOfIntervals(points.slice(from, to), run.latency.clock, points[from - 1]?.endS ?? 0);
  const counts = run.slices === undefined ? part(kept, points.length) : measuredPart(run.slices);
  return {
    run: kept === 0 && run.slices === undefined ? run : withoutStart(run, counts, kept),
    whole: run,
    blocks: points.length === 0 ? [] : [counts],
    isSettled: steady !== null,
    get startUp(): RunBlock | null {
      return steady === null || steady === 0 ? null : part(0, steady);
    },
    get steady(): RunBlock | null {
      if (steady === null) return null;
      return steady === kept ? counts : part(steady, points.length);
    },
  };
}

/**
 * What counts for a target that took turns with another: the requests that were due in the measured parts of its turns
 * (slices).
 */
function measuredPart({ histogram, items: { measuredS, completed } }: Slices): RunBlock {
  return {
    seconds: sum(measuredS, (seconds) => seconds),
    completed: sum(completed, (count) => count),
    latency: decodeSparse(histogram),
  };
}

// The figures of a run without its start, computed from its timeline.

type Point = Run["timeline"]["points"][number];

/**
 * The run with rates, latency and per-second spread computed without its start. Outcomes, timeline, CPU and memory
 * remain those of the whole run.
 * @param rest The part that counts: the intervals from `first` on, or the slices of a target that took turns.
 */
function withoutStart(run: Run, rest: RunBlock, first: number): Run {
  const points = run.timeline.points.slice(first);
  const bounds = boundsOf(run, points);
  const secondsOf = (of: (point: Point) => number): PerSecond | null =>
    spreadOfSeconds(points.map(of), { interval: run.timeline.intervalS, seconds: rest.seconds });
  return {
    ...run,
    rate: rest.seconds > 0 ? rest.completed / rest.seconds : 0,
    bytes: {
      ...run.bytes,
      inPerSecond: rest.seconds > 0 ? sum(points, ({ bytes }) => bytes) / rest.seconds : 0,
    },
    latency: latencyOf(run.latency, rest, bounds),
    histogram: encodeHistogram(rest.latency),
    censoredHistogram: bounds === null || bounds.count === 0 ? undefined : encodeHistogram(bounds),
    perSecond: {
      requests: secondsOf(({ completed }) => completed) ?? run.perSecond.requests,
      bytes: secondsOf(({ bytes }) => bytes) ?? run.perSecond.bytes,
    },
  };
}

/**
 * The latencies that are only lower bounds, at these points or, if the target took turns, in its slices. Null for older
 * results, which give only the number of lower bounds in the whole run.
 */
function boundsOf(
  { latency: { censored }, censoredHistogram, slices }: Run,
  points: readonly Point[],
): SparseHistogram | null {
  if (slices === undefined && censored > 0 && censoredHistogram === undefined) return null;
  const parts = (slices === undefined ? points : [slices])
    .flatMap((part) => part.censoredHistogram ?? []);
  return sumOfSparse(parts.map(decodeSparse));
}

/**
 * Summarizes the latencies of `rest`. If it is unknown which of them are lower bounds, as many as in the whole run are
 * assumed, so that no percentile looks more certain than it is.
 */
function latencyOf(
  whole: Run["latency"],
  rest: RunBlock,
  bounds: SparseHistogram | null,
): Run["latency"] {
  const { clock } = whole;
  const { count, minUs, maxUs } = rest.latency;
  const { meanUs, stdevUs } = mergeHistograms([rest.latency]);
  const max = Math.min(maxUs / 1_000, whole.max);
  const sample = { clock, all: rest.latency, bounds: bounds ?? EMPTY };
  const percentiles = Object.fromEntries(
    PERCENTILES.map((p) => [p, Math.min(percentileMs(sample, p), max)]),
  ) as Run["latency"]["percentiles"];
  const fastestUs = bounds === null ? minUs : withoutBounds(rest.latency, bounds).minUs;
  return {
    clock,
    count,
    censored: bounds === null ? Math.min(whole.censored, count) : bounds.count,
    min: count === 0 ? 0 : minUs / 1_000,
    fastest: fastestUs === Infinity || whole.fastest === 0
      ? 0
      : Math.max(fastestUs / 1_000, whole.fastest),
    mean: meanUs / 1_000,
    stdev: stdevUs / 1_000,
    max,
    percentiles,
  };
}

/**
 * How much the sum of the values varies from one whole second to another. Null if a second is not a whole number of
 * intervals, or if there is no whole second; the caller then keeps the figures of the whole run.
 *
 * @param values One for each interval.
 * @param seconds Length of all intervals together; the last interval may be cut short.
 */
function spreadOfSeconds(
  values: readonly number[],
  { interval, seconds }: { interval: number; seconds: number },
): PerSecond | null {
  const perSecond = Math.round(1 / interval);
  // The length in a file may be wrong, but there can't be more seconds than values.
  const length = Math.min(Math.floor(seconds + 1e-6), Math.ceil(values.length / perSecond));
  if (Math.abs(perSecond * interval - 1) > 1e-6 || length === 0) return null;
  return perSecondOf(Array.from(
    { length },
    (_, second) => sum(values.slice(second * perSecond, (second + 1) * perSecond), (one) => one),
  ));
}
