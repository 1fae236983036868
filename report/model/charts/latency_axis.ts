/** The latency axis of a figure of timelines; the page fits it anew to what somebody chooses to see. */
import { type Axis, compact } from "./charts.ts";

/** Beyond this ratio of highest to lowest, a linear axis would press the low lines together. */
const LOG_FROM_RATIO = 12;

/** @param min Lowest and highest value, in the unit; 0 and less for none. */
export function latencyAxis(unit: string, min: number, max: number): Axis {
  if (!(max > 0)) return { unit, scale: "linear", min: 0, max: 1 };
  return min > 0 && max / min > LOG_FROM_RATIO
    ? { unit, scale: "log", min: compact(min * 0.9), max: compact(max * 1.1) }
    : { unit, scale: "linear", min: 0, max: compact(max * 1.05) };
}
