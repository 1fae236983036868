/**
 * What each chart shows, as plain data in the units of its axes, which is sent to the page as JSON. The report's
 * subjects decide on values, texts and axes; the page's client only draws them.
 */

export type Chart = Xy | Rows | Heatmap | Timeline | Overlay;

export interface Axis {
  /** Unit, shown only at the highest tick, except that `×` is shown at every tick. */
  readonly unit: string;
  readonly scale: "linear" | "log";
  readonly min: number;
  readonly max: number;
  /** Text below or beside the axis. */
  readonly title?: string;
  /** Ticks in place of round numbers. If there is no room for all of them, the first and the last take precedence. */
  readonly ticks?: readonly { readonly at: number; readonly text: string }[];
}

/**
 * An axis with room for all values and a margin. It starts at 0 unless it is logarithmic.
 * @param logFrom The axis is logarithmic if the ratio of the highest to the lowest value exceeds this; by default
 * never.
 */
export function axisOver(
  unit: string,
  values: readonly (number | null | undefined)[],
  { logFrom = Infinity, room = 1.05 }: { readonly logFrom?: number; readonly room?: number } = {},
): Axis {
  let [least, most] = [Infinity, 0];
  for (const value of values) {
    if (value === null || value === undefined) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const max = compact(most * room) || 1;
  return least > 0 && most / least > logFrom
    ? { unit, scale: "log", min: compact(least / room), max }
    : { unit, scale: "linear", min: 0, max };
}

/**
 * If the highest latency over time is more than this many times the lowest, the axis is logarithmic, because a linear
 * one would squeeze the low lines together.
 */
export const LATENCY_LOG_FROM = 12;

/** The number of a target's colour, or a colour with a fixed meaning. */
export type Color = number | "muted" | "alarm";

export interface Xy {
  readonly kind: "xy";
  /** A description of the chart for readers who can't see it. */
  readonly alt: string;
  readonly size: "small" | "medium" | "large";
  readonly x: Axis;
  readonly y: Axis;
  /** Positions that the values of all series share. For steps these are the edges, one more than there are values. */
  readonly at?: readonly number[];
  /** Names of the positions `at`, shown in the tooltip. If absent, the tooltip shows the range between two edges. */
  readonly places?: readonly string[];
  readonly series: readonly XySeries[];
  readonly references?: readonly Reference[];
  /** Whether the name of each series is written beside it. */
  readonly isNamed?: true;
  /** Whether more than two series of steps are stacked as ridges, because they would hide each other. */
  readonly ridges?: true;
  /** A limit that the reader can move along the axis. The label precedes the value, as in `p99 under 4 ms`. */
  readonly limit?: { readonly axis: "x" | "y"; readonly label: string };
}

export interface XySeries {
  readonly label: string;
  readonly color: Color;
  /**
   * How the series is drawn: as a line (through dots, if the series has `points`), as dots alone, as a dashed path
   * without dots, as filled steps, or as columns with heights from 0 to 1 at the foot of the chart.
   */
  readonly draw: "line" | "dots" | "path" | "steps" | "foot";
  /** One value for each of the chart's positions; the last positions may lack values. */
  readonly values?: readonly (number | null)[];
  readonly points?: readonly XyPoint[];
  /** Whether the series is drawn faintly behind the others. */
  readonly isFaint?: true;
  /** Index of the first value (for steps, the first entry of `within`) that is only a lower bound. */
  readonly boundsFrom?: number;
  /** For steps: the percentage of all values that lie below each edge. */
  readonly within?: readonly number[];
}

export interface XyPoint {
  readonly x: number;
  readonly y: number;
  /** Ends of the interval of y; null or absent for none. */
  readonly low?: number | null;
  readonly high?: number | null;
  /** Ends of the interval of x; null or absent for none. */
  readonly left?: number | null;
  readonly right?: number | null;
  /** Lines of the tooltip, one for each fact. */
  readonly lines: readonly string[];
  readonly mark?: Mark;
  readonly fill?: "hollow" | "pale" | "ringed";
  /** How much the dot is enlarged to show a third figure: from 0, not at all, to 1. */
  readonly size?: number;
}

/** Shapes that distinguish scenarios, in the order of scenarios. The page's legends show the same shapes. */
export const SCENARIO_MARKS = ["dot", "up", "square", "diamond", "down", "right", "left"] as const;
export type Mark = typeof SCENARIO_MARKS[number] | "cross";

export function markOf(scenarios: readonly string[], scenario: string): Mark {
  return SCENARIO_MARKS[scenarios.indexOf(scenario) % SCENARIO_MARKS.length];
}

/** Reference values, drawn behind the series. */
export type Reference =
  | { readonly kind: "horizontal"; readonly at: number; readonly color: Color }
  /** A vertical line over the full height of the plot, with the interval of its value as a bar at the foot. */
  | {
    readonly kind: "vertical";
    readonly label: string;
    readonly at: number;
    readonly low: number;
    readonly high: number;
    readonly color: Color;
  }
  /** The line y = x. */
  | { readonly kind: "equality" };

export interface Rows {
  readonly kind: "rows";
  readonly alt: string;
  readonly axis: Axis;
  /** Ratios from 1 / margin to margin count as no difference; absent if the values are not ratios. */
  readonly margin?: number;
  readonly rows: readonly Row[];
}

export interface Row {
  /** Label of the row, unique in the chart. */
  readonly label: string;
  /** Shown in place of the label if the heading of the group contains the rest of the label. */
  readonly name?: string;
  /** Heading above all rows that have this group. */
  readonly group?: string;
  readonly color: number;
  readonly draw: "bar" | "dot";
  readonly value: number;
  /** Ends of the interval; null if there is none. */
  readonly low: number | null;
  readonly high: number | null;
  /** Values of the individual runs, each drawn as a small dot. */
  readonly runs: readonly { readonly repetition: number; readonly value: number }[];
  /** The value as text, such as `4.31× [4.20, 4.43]`. */
  readonly text: string;
  /** The verdict, or why there is none, such as `likely better, not proven: 3 runs`; "" for nothing. */
  readonly word: string;
  readonly tone: "better" | "worse" | "even" | "open";
}

/**
 * A heatmap of the number of requests by time and latency. The client computes it from the intervals of the runs, which
 * the page contains in packed form.
 */
export interface Heatmap {
  readonly kind: "heatmap";
  readonly alt: string;
  /** Position of the cell within its scenario, from 0. */
  readonly cell: number;
}

/** The runs of one cell over time, side by side. All charts of the figure have the same axes. */
export interface Timeline {
  readonly kind: "timeline";
  readonly alt: string;
  readonly color: number;
  readonly percentiles: readonly string[];
  /** Seconds that each run takes up on the time axis. */
  readonly span: number;
  readonly latency: Axis;
  readonly rate: Axis;
  /** Further tracks below the track of requests per second, from the top; empty if the target was not observed. */
  readonly tracks: readonly { readonly title: string; readonly axis: Axis }[];
  /**
   * Offered load. Empty for a closed loop, and for arriving virtual users, because each user sends several requests.
   */
  readonly offered: readonly OfferedPart[];
  /** Planned changes, in chronological order. */
  readonly marks: readonly TimelineMark[];
  /** Whether any chart of the figure has a mark with a label. If so, all charts leave room for labels. */
  readonly isLabelled: boolean;
  readonly runs: readonly TimelineRun[];
}

/**
 * One run over time. Arrays of values have one value for each interval; percentiles of an interval without requests are
 * null.
 */
export interface TimelineRun {
  readonly label: string;
  /**
   * End of each interval, in seconds since the start of the run. The first interval begins at 0, and each other one
   * where the one before it ends.
   */
  readonly t: readonly number[];
  /** Completed requests per second. */
  readonly rate: readonly number[];
  /** Failed requests per second; absent if none failed. */
  readonly failed?: readonly number[];
  /** One array for each percentile of `Timeline.percentiles`. */
  readonly latency: readonly (readonly (number | null)[])[];
  /**
   * For each percentile, the indices of the intervals in which it may be too low, because some latencies are only lower
   * bounds; absent for none.
   */
  readonly lowerBounds?: Readonly<Record<string, readonly number[]>>;
  /** One array for each track of `Timeline.tracks`; unknown values are null. */
  readonly tracks: readonly (readonly (number | null)[])[];
  /** Seconds until the run becomes steady; null if it never does, or if the load itself changes. */
  readonly steadyFrom: number | null;
  /** The times at which latency or rate shift to another level, in seconds, ascending. */
  readonly changes: readonly number[];
  /** Length of the start of the run that is left out of all figures, in seconds; absent if nothing is. */
  readonly discardedS?: number;
}

/** Requests per second that the load was meant to send, changing linearly between two moments. */
export interface OfferedPart {
  readonly fromS: number;
  readonly toS: number;
  readonly from: number;
  readonly to: number;
}

/** A moment at which the load or the target was planned to change in every run of a cell. */
export interface TimelineMark {
  readonly atS: number;
  readonly label: string;
}

/** All targets in one chart. For each target, the client computes the median of its runs from their timelines. */
export interface Overlay {
  readonly kind: "overlay";
  readonly alt: string;
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** Id of the canvas that shows the target's timelines. */
    readonly of: string;
  }[];
}

/** The legend of a chart: the series that have the colour of a target, except faint ones. */
export function legendOf({ series }: Xy): { readonly label: string; readonly color: number }[] {
  return series.flatMap(({ label, color, isFaint }) =>
    isFaint || typeof color !== "number" ? [] : [{ label, color }]
  );
}

/** Rounds to four significant digits, which is finer than a pixel and saves two thirds of the bytes. */
export function compact(value: number): number {
  return Number(value.toPrecision(4));
}

/** The page's section that contains a chart, from the id of its canvas: `e1-s2-timeline-3` is in `e1-s2`. */
export function sectionOf(id: string): string {
  return id.split("-").slice(0, 2).join("-");
}
