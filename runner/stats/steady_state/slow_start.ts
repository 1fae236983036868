/**
 * A slow start too short for change points, whose segments need three values: the first intervals of a
 * program that still compiles, as servers on V8 do for a quarter of a second or two. One slow interval
 * anywhere else is an outlier; at the start of a fresh process it has a reason.
 */
import { medianOf } from "../quantile.ts";
import { LEAST_SEGMENT, type Segment, STDEV_PER_MAD } from "./segments.ts";

/** Standard deviations of the stretch that follows: chance reaches them once in millions of runs. */
const LEAST_ERRORS = 5;
/** Less is as well explained by the first connections being dialed. */
const LEAST_RATIO = 0.1;
/** Values of the stretch that follows, so that its noise can be told. */
const LEAST_FOLLOWING = 8;
/** As many intervals as slow later on make a slow one at the start one of theirs: a garbage collector's. */
const MOST_LATER = 2;

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
  return end < LEAST_SEGMENT && later >= MOST_LATER ? 0 : end;
}
