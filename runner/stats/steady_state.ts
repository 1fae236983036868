/**
 * Whether a run reached a steady state, and when. After E. Barrett et al., "Virtual machine warmup blows
 * hot and cold", OOPSLA 2017: the series of intervals is cut into stretches on one level, and the last
 * is the steady part if it is long enough. Nothing is presumed: a run may be flat from the start, warm
 * up, slow down, or never settle.
 */
import { driftOf } from "./drift.ts";
import { medianOf } from "./quantile.ts";
import { MATERIAL_RATIO, type Segment, segmentSeries } from "./segments.ts";
import { slowStartOf } from "./slow_start.ts";

/** From the best to the worst. */
export const STEADY_LABELS = [
  "flat",
  "warm-up",
  "slowdown",
  "no-steady-state",
  "too-short",
] as const;
export type SteadyLabel = typeof STEADY_LABELS[number];

/** Intervals with a value that a series needs before anything is said about it: 5 s of 250 ms. */
export const LEAST_INTERVALS = 20;
/** The steady part begins within this share of the run, or there is none. */
const LATEST_START_RATIO = 0.75;
/** Standard errors that a drift must exceed. */
const DRIFT_ERRORS = 4;

/** A stretch of intervals on one level. */
export interface SteadySegment {
  /** Index of its first interval; the next one's is its end. */
  readonly from: number;
  /** Median of its intervals' values, outliers aside, in the unit of the series. */
  readonly level: number;
}

export interface SteadyState {
  readonly label: SteadyLabel;
  /** Index of the first interval of the steady part (0 when flat); null when there is none. */
  readonly steadyFrom: number | null;
  /** In order; empty when too short. */
  readonly segments: readonly SteadySegment[];
}

/** One interval of a run's timeline. */
export interface RunInterval {
  readonly seconds: number;
  readonly completed: number;
  /** Median latency of what ended in the interval, in any one unit; null when nothing did. */
  readonly median: number | null;
}

export interface RunSteadyState {
  /** The worse of the two series' labels. */
  readonly label: SteadyLabel;
  /** The later of the two; null when either has none. */
  readonly steadyFrom: number | null;
  readonly latency: SteadyState;
  readonly rate: SteadyState;
}

/** Labels a run by both its latency and its rate. A last interval shorter than the first is left out. */
export function classifyRun(intervals: readonly RunInterval[]): RunSteadyState {
  const whole = intervals.filter(({ seconds }) => seconds > 0.99 * intervals[0].seconds);
  const latency = classifySeries(whole.map(({ median }) => median), "latency");
  const rate = classifySeries(whole.map(({ seconds, completed }) => completed / seconds), "rate");
  const worst = Math.max(STEADY_LABELS.indexOf(latency.label), STEADY_LABELS.indexOf(rate.label));
  const settled = latency.steadyFrom !== null && rate.steadyFrom !== null;
  return {
    label: STEADY_LABELS[worst],
    steadyFrom: settled ? Math.max(latency.steadyFrom, rate.steadyFrom) : null,
    latency,
    rate,
  };
}

/**
 * Labels one series, by the logarithm of latency or by the rate over its median. Intervals without a
 * value (null) are skipped, but count as time.
 *
 * @param values Median latency (positive) or rate (0 or more) of each interval, in any one unit.
 */
export function classifySeries(
  values: readonly (number | null)[],
  kind: "latency" | "rate",
): SteadyState {
  const present = [...values.keys()].filter((index) => values[index] !== null);
  const known = present.map((index) => Number(values[index]));
  const middle = medianOf(known);
  if (known.length < LEAST_INTERVALS || middle === 0) {
    return { label: "too-short", steadyFrom: null, segments: [] };
  }
  const ratios = known.map((value) =>
    kind === "latency" ? Math.log(value / middle) : value / middle
  );
  const stretches = withSlowStart(segmentSeries(ratios), ratios, kind === "latency" ? 1 : -1);
  const last = stretches[stretches.length - 1];
  const segments = stretches.map(({ from, level }) => ({
    from: from === 0 ? 0 : present[from],
    level: kind === "latency" ? middle * Math.exp(level) : middle * level,
  }));
  const { from } = segments[segments.length - 1];
  if (from > LATEST_START_RATIO * values.length || isDrifting(last.values)) {
    return { label: "no-steady-state", steadyFrom: null, segments };
  }
  return { label: labelOf(segments, kind), steadyFrom: from, segments };
}

/** Sets the first intervals apart where they are far worse than the stretch that they stand in. */
function withSlowStart(
  [first, ...rest]: readonly Segment[],
  ratios: readonly number[],
  worse: 1 | -1,
): Segment[] {
  const length = slowStartOf(ratios, first, worse);
  if (length === 0) return [first, ...rest];
  const values = ratios.slice(0, length);
  return [{ from: 0, level: medianOf(values), values }, { ...first, from: length }, ...rest];
}

/** A warm-up ends on the best level of all (or one that can't be told from it); a slowdown doesn't. */
function labelOf(segments: readonly SteadySegment[], kind: "latency" | "rate"): SteadyLabel {
  if (segments.length === 1) return "flat";
  const { level } = segments[segments.length - 1];
  const wasBetter = segments.some((segment) =>
    kind === "latency"
      ? segment.level < level / (1 + MATERIAL_RATIO)
      : segment.level > level * (1 + MATERIAL_RATIO)
  );
  return wasBetter ? "slowdown" : "warm-up";
}

/**
 * Whether the last segment has no level, as it drifts by more than is immaterial and than noise explains.
 * Barrett's method has no such test: change points make stairs of a ramp. A leak looks just so.
 */
function isDrifting(values: readonly number[]): boolean {
  const { change, standardError } = driftOf(values);
  return Math.abs(change) > Math.max(MATERIAL_RATIO, DRIFT_ERRORS * standardError);
}
