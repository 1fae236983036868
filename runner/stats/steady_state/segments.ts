/**
 * A series cut into segments that are each on one level: change points first, then neighbours that differ immaterially
 * become one (E. Barrett et al., OOPSLA 2017, §4.2; without this, every flutter would be a warm-up). Levels are
 * medians, so that an outlier that was not found can't make a level of its own.
 *
 * Differences of the values are taken as ratios, so the values must be logarithms, or shares of some middle value.
 */
import { findChangePoints } from "./change_points.ts";
import { medianOf, quantileOf } from "../quantile.ts";

/** Levels closer than this are the same to a reader. */
export const MATERIAL_RATIO = 0.02;
/**
 * Least values in a segment, so that its median withstands an outlier. Two slow intervals at the start of a run are
 * found as a segment of three; a single slow one is an outlier here (`slowStartOf` looks for it).
 */
export const LEAST_SEGMENT = 3;
/** The least noise assumed in a segment, so that a few equal (rounded) values don't become a segment of their own. */
export const LEAST_STDEV_RATIO = MATERIAL_RATIO / 4;
/** Turns a median absolute deviation into the standard deviation of normally distributed values. */
const STDEV_PER_MAD = 1.4826;

export interface Segment {
  /** Index of the segment's first value; it ends where the next one begins, or with the series. */
  readonly from: number;
  /** Median of the segment's values, without outliers. */
  readonly level: number;
  /** The segment's values in order, without outliers. */
  readonly values: readonly number[];
  /** Indexes of these values in the series. */
  readonly indexes: readonly number[];
}

/** @returns Segments in order; the first begins at 0. */
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

/** Standard deviation of values around the level of their segment, from their median absolute deviation. */
function noiseOf(segments: readonly Segment[]): number {
  const deviations = segments.flatMap(({ values, level }) =>
    values.map((value) => Math.abs(value - level))
  );
  return STDEV_PER_MAD * medianOf(deviations);
}

/**
 * Merges the two most alike neighbours until no two are alike; so a slow drift doesn't chain into one
 * level. Alike: closer than is material, than the noise, or than two standard errors of their difference
 * (a few wild values have no level to speak of).
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

// Which values stick out of their neighbourhood: those far outside the spread of a sliding window (E. Barrett et al.,
// OOPSLA 2017, §4.1). They are set aside only while change points are sought: every figure that Plateau shows includes
// them. Barrett's window of 200 values suits runs of 2,000. Runs here have 40 to 400 intervals, so one window can't do
// two jobs. The median is that of a short window, which keeps up with a change of level; the spread is that of the
// deviations from it in a long window, which a cluster of outliers can't widen.

/** Values on each side in the window of the median, which tolerates up to three outliers. */
const NEAR = 3;
/** Values on each side in the window of the spread. */
const FAR = 25;
/**
 * Barrett's 3 · (p90 − p10) is 7.7 standard deviations of normal noise, and so is this many quartile ranges. Quartiles
 * are used because one slow interval in ten, as a garbage collector makes them, lies beyond p90, and would hide itself.
 */
const REACH = 5.7;

/** @returns One flag for each value: whether it is an outlier. */
export function findOutliers(values: readonly number[]): boolean[] {
  const deviations = values.map((value, index) => value - medianOf(near(values, index)));
  const window = new SortedWindow(deviations);
  return deviations.map((deviation, index) => {
    const far = window.around(index);
    return Math.abs(deviation) > REACH * (quantileOf(far, 0.75) - quantileOf(far, 0.25));
  });
}

/**
 * The values up to FAR before and after an index, ascending: from one index to the next, at most two of them change.
 */
class SortedWindow {
  readonly #sorted: Float64Array;
  #from = 0;
  #to = 0;

  constructor(private readonly values: readonly number[]) {
    this.#sorted = new Float64Array(Math.min(values.length, 2 * FAR + 2));
  }

  /** @param index One more than in the call before; the result is valid until the next call. */
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

  /** @param value A value that has just left the window; until it is removed, the array holds one too many. */
  #remove(value: number): void {
    this.#sorted.copyWithin(this.#sorted.indexOf(value), this.#sorted.indexOf(value) + 1);
  }
}

/**
 * An equal number of values on both sides; fewer towards the ends, down to the first or last three. So one slow
 * interval at the start is an outlier, and two are a slow start.
 */
function near(values: readonly number[], index: number): readonly number[] {
  const reach = Math.max(1, Math.min(NEAR, index, values.length - 1 - index));
  const start = Math.max(0, Math.min(index - reach, values.length - 1 - 2 * reach));
  return values.slice(start, start + 2 * reach + 1);
}

// A slow start too short for change points, whose segments need three values: the first intervals of a
// program that still compiles, as servers on V8 do for a quarter of a second or two. One slow interval
// anywhere else is an outlier; at the start of a fresh process it has a reason.

/** In standard deviations of the following segment: chance reaches this many once in millions of runs. */
const LEAST_ERRORS = 5;
/** A smaller difference may just as well come from dialing the first connections. */
const LEAST_RATIO = 0.1;
/** Least number of values in the following segment, so that its noise is known. */
const LEAST_FOLLOWING = 8;
/**
 * If this many later intervals are as slow, a slow one at the start is just another of them, such as a garbage
 * collector causes.
 */
const ENOUGH_LATER = 2;

/**
 * How many values at the start are worse than the first segment by far.
 *
 * @param ratios The whole series, outliers included, on the scale of the segment.
 * @param worse 1 where higher is worse (latency), −1 where lower is (rate).
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
