/**
 * When a percentile of latency flattens, as the study of P. Kuffel and A. Walter reads it off a timeline ("time to
 * stable latency against final latency"): the moment from which it stays near where it ends. One number for each
 * percentile, whatever the shape before; `steady_state.ts` asks the stricter question.
 */
import { medianOf } from "../quantile.ts";

/** Values on each side used for smoothing: the median of 1.25 s of 250 ms intervals. */
const REACH = 2;
/** The least distance that counts as near the final value. */
const NEAR_RATIO = 0.05;
/** The last part of the series, whose median is the final value. */
const SETTLED_RATIO = 0.25;

export interface SettlingTime {
  /** Index of the interval from which the smoothed percentile stays near its final value. */
  readonly from: number;
  /** Median of the last quarter's intervals, in the unit of the series. */
  readonly settledValue: number;
  /**
   * Whether the percentile was far from its final value until just before that quarter, so that it may settle even
   * later.
   */
  readonly isAtLeast: boolean;
}

/**
 * A value is near its final one within 5 %, or within the distance by which the last quarter itself strays: a p99 that
 * never calms down has flattened once it is no wilder than at the end.
 *
 * @param values A percentile of each interval, in any one unit; null for an interval without samples.
 * @returns null when there are no values.
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
