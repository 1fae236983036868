/**
 * Runs of a target laid over each other: for each interval, the median over the runs, and the band from the lowest run
 * to the highest. The page computes these in the browser, so this imports nothing that a browser lacks.
 */
import type { TimelineRun } from "../../chart.ts";
import { median } from "../../writing/spread.ts";

/** One entry for each interval; null if no run has a value there. */
export type OverlayLine = readonly ({
  readonly middle: number;
  readonly low: number;
  readonly high: number;
} | null)[];

/**
 * Lays runs over each other. A run counts only for the intervals that it has, so the last medians may cover fewer runs.
 * If several intervals of a run end within one of the intervals of `t`, their median is the run's value.
 * @param t The ends of the longest run's intervals, in seconds.
 */
export function overlaid(
  runs: readonly TimelineRun[],
  t: readonly number[],
  of: (run: TimelineRun) => readonly (number | null)[],
): OverlayLine {
  const byRun = runs.map((run) => {
    const places = placesByTime(t, run.t);
    return Map.groupBy(
      of(run).flatMap((value, i) => value === null ? [] : [{ value, place: places[i] }]),
      ({ place }) => place,
    );
  });
  return t.map((_, i) => {
    const values = byRun.flatMap((places) => {
      const here = places.get(i);
      return here ? [median(here.map(({ value }) => value))] : [];
    });
    if (values.length === 0) return null;
    return { middle: median(values), low: Math.min(...values), high: Math.max(...values) };
  });
}

/**
 * For each end in `own`, the index of the first of `ends` that is not earlier, or the last index if all are earlier.
 */
export function placesByTime(ends: readonly number[], own: readonly number[]): number[] {
  let at = 0;
  return own.map((endS) => {
    while (at < ends.length - 1 && ends[at] < endS - SAME_MOMENT_S) at++;
    return at;
  });
}

/** Ends are whole milliseconds, so those that differ by less than half a millisecond are equal. */
const SAME_MOMENT_S = 0.0005;
