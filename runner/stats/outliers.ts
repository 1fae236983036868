/**
 * Which values stick out of their surroundings: those outside median ± 3 · (p90 − p10) of a sliding
 * window (E. Barrett et al., OOPSLA 2017, §4.1). They are set aside while change points are sought, and
 * only there: every figure that Plateau shows has them in it.
 *
 * Barrett's window of 200 values suits runs of 2,000. Runs here have 40 to 400 intervals, so one window
 * can't do both its works. The median is of a short window, that keeps up with a change of level; the
 * spread is of the deviations from it in a long one, that a cluster of outliers can't widen.
 */
import { medianOf, quantileOf } from "./quantile.ts";

/** Values on each side in the window of the median; up to three outliers in it do no harm. */
const NEAR = 3;
/** Values on each side in the window of the spread. */
const FAR = 25;

/** @returns One flag for each value: true where it is an outlier. */
export function findOutliers(values: readonly number[]): boolean[] {
  const deviations = values.map((value, index) => value - medianOf(around(values, index, NEAR)));
  return deviations.map((deviation, index) => {
    const nearby = around(deviations, index, FAR).sort((a, b) => a - b);
    return Math.abs(deviation) > 3 * (quantileOf(nearby, 0.9) - quantileOf(nearby, 0.1));
  });
}

/** The values up to `reach` away from `index`; fewer at the ends of the series. */
function around(values: readonly number[], index: number, reach: number): number[] {
  return values.slice(Math.max(0, index - reach), index + reach + 1);
}
