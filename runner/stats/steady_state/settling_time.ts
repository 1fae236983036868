/**
 * When a percentile of latency flattens, in the way that the study of P. Kuffel and A. Walter reads it from a timeline
 * ("time to stable latency against final latency"): the time from which it stays near its final value. This is one
 * number for each percentile, whatever the shape before; `steady_state.ts` makes a stricter judgement.
 */
import { medianOf } from "../quantile.ts";

/** Values on each side of the one being smoothed. The smoothed value is the median over five intervals of 250 ms. */
const REACH = 2;
/** Values at least this close to the final value always count as near it. */
const NEAR_RATIO = 0.05;
/** The last part of the series, as a share. Its median is the final value. */
const SETTLED_RATIO = 0.25;

export interface SettlingTime {
  /** Index of the interval from which the smoothed percentile stays near its final value. */
  readonly from: number;
  /** The final value: the median of the last quarter of the intervals, in the unit of the series. */
  readonly settledValue: number;
  /**
   * Whether the percentile was far from its final value until just before the last quarter, so that it may in truth
   * settle even later.
   */
  readonly isAtLeast: boolean;
}

/**
 * A value is near the final one if it is within 5 %, or no farther than the values of the last quarter are themselves.
 * So a p99 that never calms down has flattened once it is no wilder than at the end.
 *
 * @param values A percentile of each interval, in any unit; null for an interval without samples.
 * @returns Null if all values are null.
 */
export function findSettlingTime(values: readonly (number | null)[]): SettlingTime | null {
  const present = [...values.keys()].filter((index) => values[index] !== null);
  if (present.length === 0) return null;
  const known = present.map((index) => Number(values[index]));
  const smooth = known.map((_, index) =>
    medianOf(known.slice(Math.max(0, index - REACH), index + REACH + 1))
  );
  const finalStart = Math.floor(known.length * (1 - SETTLED_RATIO));
  const finalValue = medianOf(known.slice(finalStart));
  const strayed = smooth.map((value) => Math.abs(value - finalValue));
  const near = Math.max(NEAR_RATIO * finalValue, ...strayed.slice(finalStart));
  const lastFar = strayed.findLastIndex((distance) => distance > near);
  return {
    from: lastFar < 0 ? 0 : present[lastFar + 1],
    settledValue: finalValue,
    isAtLeast: lastFar >= 0 && lastFar + 1 === finalStart,
  };
}
