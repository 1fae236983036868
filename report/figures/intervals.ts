/** The intervals of a run's timeline. */
import type { Measurement, Run } from "../../runner/result/result.ts";
import { isMovable } from "../../runner/stats/histogram/censoring.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { findSettlingTime } from "../../runner/stats/steady_state/settling_time.ts";
import { medianOf } from "../../runner/stats/quantile.ts";

export type IntervalPoint = Run["timeline"]["points"][number];

export interface TimelineInterval {
  readonly point: IntervalPoint;
  readonly seconds: number;
  readonly ratePerSec: number;
  readonly failedPerSec: number;
}

/**
 * Each point with its rates. Leaves out a last interval of less than half the usual length, which would only show
 * noise.
 */
export function intervalsOf(
  { timeline: { points, intervalS } }: Timed,
): TimelineInterval[] {
  return points
    .map((point, i) => ({ point, seconds: point.endS - (points[i - 1]?.endS ?? 0) }))
    .filter(({ seconds }) => seconds >= intervalS / 2)
    .map(({ point, seconds }) => ({
      point,
      seconds,
      ratePerSec: point.completed / seconds,
      failedPerSec: point.failed / seconds,
    }));
}

/** Whether the interval contains no latencies at all, as opposed to latencies of 0. */
export function isEmpty({ histogram }: IntervalPoint): boolean {
  return histogram === "";
}

/** Percentiles of each point. Each of them settles at its own time. */
export const POINT_PERCENTILES = ["p50", "p75", "p90", "p99"] as const;

/** Figures of the interval that lower bounds could raise: percentiles such as `p99`, and `max`. */
export function lowerBoundsIn({ histogram, censoredHistogram }: IntervalPoint): string[] {
  if (censoredHistogram === undefined) return [];
  const [all, bounds] = [decodeSparse(histogram), decodeSparse(censoredHistogram)];
  return [
    ...POINT_PERCENTILES.filter((name) => isMovable(all, bounds, Number(name.slice(1)))),
    "max",
  ];
}

/**
 * When a percentile settles over a run's intervals, and at which level: see
 * `runner/stats/steady_state/settling_time.ts`.
 */
export interface Flattened {
  /** Median over the intervals in the first half second that has requests. */
  readonly initialMs: number;
  /** Seconds after which the percentile stays near its final value. */
  readonly fromS: number;
  readonly finalMs: number;
  /** Whether the percentile may settle even later, because the run ends too soon to tell. */
  readonly isAtLeast: boolean;
}

type Timed = Pick<Measurement, "timeline">;
type PointPercentile = typeof POINT_PERCENTILES[number];

/** Results by run, cached because sentences, tables and charts ask for the same ones repeatedly. */
const found = new WeakMap<
  Measurement["timeline"],
  Partial<Record<PointPercentile, Flattened | null>>
>();

/** When a percentile settles over the run's intervals; null if no interval has latencies. */
export function flattenedOf(run: Timed, percentile: PointPercentile): Flattened | null {
  const known = found.get(run.timeline) ?? {};
  found.set(run.timeline, known);
  if (known[percentile] === undefined) known[percentile] = findFlattened(run, percentile);
  return known[percentile];
}

function findFlattened(run: Timed, percentile: PointPercentile): Flattened | null {
  const points = intervalsOf(run).map(({ point }) => point);
  const settling = findSettlingTime(
    points.map((point) => isEmpty(point) ? null : point[percentile]),
  );
  if (settling === null) return null;
  const { from, settledValue: finalMs, isAtLeast } = settling;
  const fromS = from === 0 ? 0 : points[from - 1].endS;
  const known = run.timeline.points.filter((point) => !isEmpty(point));
  const initial = known.filter(({ endS }) => endS - known[0].endS < INITIAL_S);
  const initialMs = medianOf(initial.map((point) => point[percentile]));
  return { initialMs, fromS, finalMs, isAtLeast };
}

/**
 * Length in seconds of the part that counts as the start: two intervals of 250 ms, as in the study of P. Kuffel and A.
 * Walter.
 */
const INITIAL_S = 0.5;
