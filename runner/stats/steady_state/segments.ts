/**
 * Cuts a series into segments, each of which is on one level. First change points are found, and then neighbouring
 * segments that hardly differ are merged (E. Barrett et al., OOPSLA 2017, §4.2), because without that every flutter
 * would count as a warm-up. Levels are medians, so that an undetected outlier can't make a level of its own.
 *
 * Differences of values are taken for ratios, so the values must be logarithms, or ratios to some middle value.
 */
import { findChangePoints } from "./change_points.ts";
import { medianOf, quantileOf } from "../quantile.ts";

/** Levels closer than this are the same to a reader. */
export const MATERIAL_RATIO = 0.02;
/**
 * Least number of values in a segment, so that its median withstands an outlier. Two slow intervals at the start of a
 * run are found as a segment of three. A single slow interval counts as an outlier here; `slowStartOf` looks for it
 * separately.
 */
export const LEAST_SEGMENT = 3;
/**
 * The least noise assumed in a segment, so that a few values that are equal by rounding don't become a segment of their
 * own.
 */
export const LEAST_STDEV_RATIO = MATERIAL_RATIO / 4;
/** Converts a median absolute deviation to the standard deviation of normally distributed values. */
const STDEV_PER_MAD = 1.4826;

export interface Segment {
  /** Index of the segment's first value. The segment ends where the next one begins, or at the end of the series. */
  readonly from: number;
  /** Median of the segment's values, without outliers. */
  readonly level: number;
  /** The segment's values in order, without outliers. */
  readonly values: readonly number[];
  /** Index of each of these values in the series. */
  readonly indexes: readonly number[];
}

/** @returns Segments in order; the first begins at index 0. */
export function segmentSeries(ratios: readonly number[]): Segment[] {
  const outliers = findOutliers(ratios);
  const kept = [...ratios.keys()].filter((index) => !outliers[index]);
  const values = kept.map((index) => ratios[index]);
  const changes = findChangePoints(values, {
    minSegment: LEAST_SEGMENT,
    minVariance: LEAST_STDEV_RATIO ** 2,
  });
  const segments = [0, ...changes].map((start, i) =>
    segmentOf({
      from: start === 0 ? 0 : kept[start],
      values: values.slice(start, changes[i]),
      indexes: kept.slice(start, changes[i]),
    })
  );
  return mergeAlike(segments);
}

function segmentOf(part: Omit<Segment, "level">): Segment {
  return { ...part, level: medianOf(part.values) };
}

function joined(left: Segment, right: Segment): Segment {
  return segmentOf({
    from: left.from,
    values: [...left.values, ...right.values],
    indexes: [...left.indexes, ...right.indexes],
  });
}

/**
 * Standard deviation of all values around the levels of their segments, estimated from the median absolute deviation.
 */
function noiseOf(segments: readonly Segment[]): number {
  const deviations = segments.flatMap(({ values, level }) =>
    values.map((value) => Math.abs(value - level))
  );
  return STDEV_PER_MAD * medianOf(deviations);
}

/**
 * Merges the two most similar neighbours repeatedly until no two are alike. Taking the most similar ones first keeps a
 * slow drift from being merged step by step into one level. Two neighbours are alike if their levels differ by less
 * than is material, or less than the noise, or less than two standard errors of the difference (because a few wild
 * values do not determine a level).
 */
function mergeAlike(segments: readonly Segment[]): Segment[] {
  const immaterial = Math.max(MATERIAL_RATIO, noiseOf(segments));
  const merged = [...segments];
  while (merged.length > 1) {
    const unlikeness = merged.slice(1).map((right, index) => {
      const left = merged[index];
      const error = Math.sqrt(squaredErrorOf(left) + squaredErrorOf(right));
      return Math.abs(left.level - right.level) / Math.max(immaterial, 2 * error);
    });
    const least = unlikeness.indexOf(Math.min(...unlikeness));
    if (unlikeness[least] >= 1) break;
    const [left, right] = merged.slice(least, least + 2);
    merged.splice(least, 2, joined(left, right));
  }
  return merged;
}

/** Squared standard error of the mean of a segment's values. */
function squaredErrorOf({ values }: Segment): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return squares / (values.length - 1) / values.length;
}

// Finds outliers, which are values far outside the spread of a sliding window (E. Barrett et al.,
// OOPSLA 2017, §4.1). They are set aside while change points and levels are sought; the figures of
// a run include them. Barrett's window of 200 values suits runs of 2,000. Runs here have 40 to 400
// intervals, so two windows are used. The median is that of a short window, which follows a change
// of level. The spread is that of the deviations from the median in a long window, which a cluster
// of outliers can't widen.

/** Number of values on each side in the window of the median, which tolerates up to three outliers. */
const NEAR = 3;
/** Number of values on each side in the window of the spread. */
const FAR = 25;
/**
 * How far an outlier is from the median, in interquartile ranges. This is 7.7 standard deviations of normal noise, the
 * same as Barrett's 3 · (p90 − p10). Quartiles are used here because if one interval in ten is slow, as a garbage
 * collector may cause, p90 contains these intervals and would hide them.
 */
const REACH = 5.7;

/** @returns For each value, whether it is an outlier. */
export function findOutliers(values: readonly number[]): boolean[] {
  const deviations = values.map((value, index) => value - medianOf(near(values, index)));
  const window = new SortedWindow(deviations);
  return deviations.map((deviation, index) => {
    const far = window.around(index);
    return Math.abs(deviation) > REACH * (quantileOf(far, 0.75) - quantileOf(far, 0.25));
  });
}

/**
 * The values up to FAR before and after an index, ascending. Moving to the next index changes at most two of them, so
 * the window is updated and not sorted anew.
 */
class SortedWindow {
  readonly #sorted: Float64Array;
  #from = 0;
  #to = 0;

  constructor(private readonly values: readonly number[]) {
    this.#sorted = new Float64Array(Math.min(values.length, 2 * FAR + 2));
  }

  /** @param index One more than in the call before. The result is valid until the next call. */
  around(index: number): Float64Array {
    while (this.#to < Math.min(this.values.length, index + FAR + 1)) {
      this.#insert(this.values[this.#to]);
      this.#to++;
    }
    while (this.#from < index - FAR) this.#remove(this.values[this.#from++]);
    return this.#sorted.subarray(0, this.#to - this.#from);
  }

  #insert(value: number): void {
    let at = this.#to - this.#from;
    for (; at > 0 && this.#sorted[at - 1] > value; at--) this.#sorted[at] = this.#sorted[at - 1];
    this.#sorted[at] = value;
  }

  /** @param value A value that has just left the window but is still in the array. */
  #remove(value: number): void {
    this.#sorted.copyWithin(this.#sorted.indexOf(value), this.#sorted.indexOf(value) + 1);
  }
}

/**
 * The values around an index, as many on one side as on the other. Towards the ends there are fewer, down to the first
 * or last three. So a single slow interval at the start is an outlier, and two are a slow start.
 */
function near(values: readonly number[], index: number): readonly number[] {
  const reach = Math.max(1, Math.min(NEAR, index, values.length - 1 - index));
  const start = Math.max(0, Math.min(index - reach, values.length - 1 - 2 * reach));
  return values.slice(start, start + 2 * reach + 1);
}

// A slow start that is too short for a segment, which needs three values: the first intervals of a
// program that is still compiling, as servers on V8 do for a quarter or half of a second. A single
// slow interval is an outlier anywhere else, but in a fresh process it has a reason.

/**
 * How much worse a slow start must be, in standard deviations of the segment that follows. Chance reaches this once in
 * millions of runs.
 */
const LEAST_ERRORS = 5;
/** How much worse a slow start must be at least. A smaller difference may come from opening the first connections. */
const LEAST_RATIO = 0.1;
/** Least number of values in the segment that follows, so that its noise is known. */
const LEAST_FOLLOWING = 8;
/**
 * If at least this many later intervals are as slow, slow intervals at the start count as the same kind, caused by
 * garbage collections, for example, and not by the start.
 */
const ENOUGH_LATER = 2;

/**
 * How many values at the start are far worse than the first segment.
 *
 * @param ratios The whole series, including outliers, on the scale of the segment.
 * @param worse 1 if higher is worse (latency), −1 if lower is worse (rate).
 */
export function slowStartOf(ratios: readonly number[], first: Segment, worse: 1 | -1): number {
  const { level, values } = first;
  if (values.length < LEAST_FOLLOWING) return 0;
  const noise = STDEV_PER_MAD * medianOf(values.map((value) => Math.abs(value - level)));
  const least = Math.max(LEAST_RATIO, LEAST_ERRORS * noise);
  const isSlow = ratios.map((value) => worse * (value - level) > least);
  const end = Math.max(0, isSlow.indexOf(false));
  const later = isSlow.slice(end, values.length).filter(Boolean).length;
  return end < LEAST_SEGMENT && later >= ENOUGH_LATER ? 0 : end;
}
