/** When a percentile of a run's latency becomes stable: see `runner/stats/steady_state/flattening.ts`. */
import type { Measurement } from "../runner/result/result.ts";
import { findFlattening } from "../runner/stats/steady_state/flattening.ts";
import { intervalsOf, isEmpty } from "./intervals.ts";

/** Percentiles that flatten, each in its own time. */
export const FLATTENING = ["p50", "p75", "p90", "p99"] as const;

/** How a percentile of a run's intervals flattens. */
export interface Flattened {
  /** Seconds from which it stays near its final value. */
  readonly fromS: number;
  readonly finalMs: number;
}

/** Null without requests. */
export function flattenedOf(
  run: Pick<Measurement, "timeline">,
  percentile: typeof FLATTENING[number],
): Flattened | null {
  const points = intervalsOf(run).map(({ point }) => point);
  const found = findFlattening(points.map((point) => isEmpty(point) ? null : point[percentile]));
  if (found === null) return null;
  return { fromS: found.from === 0 ? 0 : points[found.from - 1].endS, finalMs: found.finalValue };
}

/** Seconds from which a percentile of a run's intervals stays near its final value; null without requests. */
export function flatFromS(
  run: Pick<Measurement, "timeline">,
  percentile: typeof FLATTENING[number],
): number | null {
  return flattenedOf(run, percentile)?.fromS ?? null;
}
