/**
 * Targets in one frame over time: of each interval the median over a target's runs, and the band from its lowest run to
 * its highest. The page makes them itself, so this imports nothing that a browser lacks.
 */
import type { OfferedPart, TimelineRun } from "../../chart.ts";
import { median } from "../../writing/spread.ts";

/** Of one interval, over the runs. */
interface OverlayBand {
  readonly middle: number;
  readonly low: number;
  readonly high: number;
}

/** Null for an interval in which no run has a value. */
export type OverlayLine = readonly (OverlayBand | null)[];

export interface OverlaidTarget {
  /** End of each interval of its longest run, seconds. */
  readonly t: readonly number[];
  /** As many as the chart has percentiles. */
  readonly latency: readonly OverlayLine[];
  readonly rate: OverlayLine;
  /** Null where no request failed. */
  readonly failed: OverlayLine | null;
  readonly offered: readonly OfferedPart[];
}

/** Of the timelines of a target, what is shown. */
interface OverlaidRuns {
  readonly percentiles: readonly string[];
  readonly offered: readonly OfferedPart[];
  /** At least one. */
  readonly runs: readonly TimelineRun[];
}

/**
 * Runs count as many intervals as they have: the last ones may be the median of fewer. Of a shorter run, whose
 * intervals may be shorter, the median of those that end in an interval of the longest counts.
 */
export function overlaid({ runs, percentiles, offered }: OverlaidRuns): OverlaidTarget {
  const longest = runs.reduce((a, b) => (b.t.at(-1) ?? 0) > (a.t.at(-1) ?? 0) ? b : a);
  const places = new Map(runs.map((run) => [run, placesByTime(longest.t, run.t)]));
  const line = (of: (run: TimelineRun) => readonly (number | null)[]) => {
    const byRun = runs.map((run) => valuesByPlace(places.get(run) ?? [], of(run)));
    return longest.t.map((_, i) =>
      bandOf(byRun.flatMap((values) => {
        const here = values.get(i) ?? [];
        return here.length === 0 ? [] : [median(here)];
      }))
    );
  };
  return {
    t: longest.t,
    latency: percentiles.map((_, p) => line(({ latency }) => latency[p])),
    rate: line(({ rate }) => rate),
    failed: runs.some(({ failed }) => failed)
      ? line(({ failed, t }) => failed ?? t.map(() => 0))
      : null,
    offered,
  };
}

/** For each of some ends of intervals the index of the first end that is as late: of the last where none is. */
export function placesByTime(ends: readonly number[], own: readonly number[]): number[] {
  let at = 0;
  return own.map((endS) => {
    while (at < ends.length - 1 && ends[at] < endS - SAME_MOMENT_S) at++;
    return at;
  });
}

/** Ends are whole milliseconds. */
const SAME_MOMENT_S = 0.0005;

function valuesByPlace(
  places: readonly number[],
  values: readonly (number | null)[],
): ReadonlyMap<number, number[]> {
  const found = new Map<number, number[]>();
  values.forEach((value, i) => {
    if (value === null) return;
    const here = found.get(places[i]);
    if (here === undefined) found.set(places[i], [value]);
    else here.push(value);
  });
  return found;
}

function bandOf(values: readonly number[]): OverlayBand | null {
  if (values.length === 0) return null;
  return { middle: median(values), low: Math.min(...values), high: Math.max(...values) };
}
