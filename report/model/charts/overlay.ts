/**
 * The targets of a scenario in one frame: of each interval the median over a target's runs, and the band from its
 * lowest run to its highest. The page makes it of the timelines that it shows, so it imports nothing that a browser
 * lacks.
 */
import { median } from "../numbers/spread.ts";
import type { TimelineChart } from "./charts.ts";
import type { OfferedPart } from "./over_time.ts";

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

/** Runs count as many intervals as they have: the last ones may be the median of fewer. */
export function overlaid({ runs, percentiles, offered }: TimelineChart): OverlaidTarget {
  const longest = runs.reduce((a, b) => b.t.length > a.t.length ? b : a);
  const line = (of: (run: TimelineChart["runs"][number]) => readonly (number | null)[]) =>
    longest.t.map((_, i) => bandOf(runs.flatMap((run) => of(run)[i] ?? [])));
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

function bandOf(values: readonly number[]): OverlayBand | null {
  if (values.length === 0) return null;
  return { middle: median(values), low: Math.min(...values), high: Math.max(...values) };
}
