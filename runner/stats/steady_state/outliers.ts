/**
 * Which values stick out of their surroundings: those far outside the spread of a sliding
 * window (E. Barrett et al., OOPSLA 2017, §4.1). They are set aside while change points are sought, and
 * only there: every figure that Plateau shows has them in it.
 *
 * Barrett's window of 200 values suits runs of 2,000. Runs here have 40 to 400 intervals, so one window
 * can't do both its works. The median is of a short window, that keeps up with a change of level; the
 * spread is of the deviations from it in a long one, that a cluster of outliers can't widen.
 */
import { medianOf, quantileOf } from "../quantile.ts";

/** Values on each side in the window of the median; up to three outliers in it do no harm. */
const NEAR = 3;
/** Values on each side in the window of the spread. */
const FAR = 25;
/**
 * Barrett's 3 · (p90 − p10) are 7.7 standard deviations of normal noise, and so are these quartile ranges. One slow
 * interval in ten, as a garbage collector makes them, lies beyond p90, and would hide itself.
 */
const REACH = 5.7;

/** @returns One flag for each value: true where it is an outlier. */
export function findOutliers(values: readonly number[]): boolean[] {
  const deviations = values.map((value, index) => value - medianOf(near(values, index)));
  return deviations.map((deviation, index) => {
    const far = deviations.slice(Math.max(0, index - FAR), index + FAR + 1).sort((a, b) => a - b);
    return Math.abs(deviation) > REACH * (quantileOf(far, 0.75) - quantileOf(far, 0.25));
  });
}

/**
 * As many values on either side; towards the ends fewer, down to the first or last three. So one slow
 * interval at the start is an outlier, and two are a slow start.
 */
function near(values: readonly number[], index: number): readonly number[] {
  const reach = Math.max(1, Math.min(NEAR, index, values.length - 1 - index));
  const start = Math.max(0, Math.min(index - reach, values.length - 1 - 2 * reach));
  return values.slice(start, start + 2 * reach + 1);
}
