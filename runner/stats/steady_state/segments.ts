/**
 * A series cut into stretches that are each on one level: change points first, then neighbours that
 * differ immaterially become one (E. Barrett et al., OOPSLA 2017, §4.2; without this, every flutter is a
 * warm-up). Levels are medians, so that an outlier that escaped can't make a level of its own.
 *
 * Differences of the values are taken as ratios: give logarithms, or shares of some middle value.
 */
import { findChangePoints } from "./change_points.ts";
import { findOutliers } from "./outliers.ts";
import { medianOf } from "../quantile.ts";

/** Levels closer than this are the same to whoever reads the figure. */
export const MATERIAL_RATIO = 0.02;
/**
 * Least values in a segment, so that its median withstands an outlier. Two slow intervals at the start of
 * a run are found as a segment of three; one is an outlier here (`slow_start.ts` looks for it).
 */
export const LEAST_SEGMENT = 3;
/** Segments count as at least this noisy, so that a few equal (rounded) values are no segment of their own. */
export const LEAST_STDEV_RATIO = MATERIAL_RATIO / 4;
/** Turns a median absolute deviation into the standard deviation of normally distributed values. */
export const STDEV_PER_MAD = 1.4826;

export interface Segment {
  /** Index of its first value; the next segment's, or the end of the series, is its end. */
  readonly from: number;
  /** Median of its values, outliers aside. */
  readonly level: number;
  /** Its values in order, outliers aside. */
  readonly values: readonly number[];
  /** Where each of them stands in the series. */
  readonly indexes: readonly number[];
}

/** @returns In order; the first begins at 0. */
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

/** Standard deviation of values about the level of their segment, by their median absolute deviation. */
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
