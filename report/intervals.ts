/** The intervals of a run's timeline. */
import type { Run } from "../runner/result.ts";

export type Point = Run["timeline"]["points"][number];

export interface Interval {
  readonly point: Point;
  readonly ratePerSec: number;
}

/** Each point with its rate. A last interval cut short by the end of the run would only show noise. */
export function intervalsOf({ timeline: { points, interval } }: Pick<Run, "timeline">): Interval[] {
  return points
    .map((point, i) => ({ point, seconds: point.t - (points[i - 1]?.t ?? 0) }))
    .filter(({ seconds }) => seconds >= interval / 2)
    .map(({ point, seconds }) => ({ point, ratePerSec: point.completed / seconds }));
}

/** Whether no request ended in the interval: its latencies are then none, not 0. */
export function isEmpty({ histogram }: Point): boolean {
  return histogram === "";
}
