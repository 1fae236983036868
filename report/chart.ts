/**
 * What charts show, in the units in which they show it: plain data that travels to the page as JSON. Subjects decide
 * values, texts and axes; the page's client draws them and decides nothing. There are five kinds.
 */

export type Chart = Xy | Rows | Heatmap | Timeline | Overlay;

export interface Axis {
  /** Unit, written at the highest tick. */
  readonly unit: string;
  readonly scale: "linear" | "log";
  readonly min: number;
  readonly max: number;
  /** Text below or beside the axis. */
  readonly title?: string;
  /** Ticks in place of round numbers. If there is no room for all, the first and the last take precedence. */
  readonly ticks?: readonly { readonly at: number; readonly text: string }[];
}

/**
 * An axis with room for all values and a margin. It starts at 0, or is logarithmic.
 * @param logFrom Ratio of the highest to the lowest value beyond which the axis is logarithmic; default: never.
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

/** Ratio of latencies over time beyond which a linear axis would squeeze the low lines together. */
export const LATENCY_LOG_FROM = 12;

/** The colour of a target, or a colour with a fixed meaning. */
export type Color = number | "muted" | "alarm";

export interface Xy {
  readonly kind: "xy";
  /** The chart described in words, for readers who can't see it. */
  readonly alt: string;
  readonly size: "small" | "medium" | "large";
  readonly x: Axis;
  readonly y: Axis;
  /** Positions of the values of all series. For steps these are the edges, one more than there are values. */
  readonly at?: readonly number[];
  /** Names of the positions `at`, shown at the pointer; absent: the pointer shows the range between two edges. */
  readonly places?: readonly string[];
  readonly series: readonly XySeries[];
  readonly references?: readonly Reference[];
  /** Whether each series has its name written beside it. */
  readonly isNamed?: true;
  /** Set to stack the series as ridges, because more than two series of steps would hide each other. */
  readonly ridges?: true;
  /** A line that the reader moves along the axis, with the name of what it limits. */
  readonly limit?: { readonly axis: "x" | "y"; readonly label: string };
}

export interface XySeries {
  readonly label: string;
  readonly color: Color;
  /**
   * How the series is drawn: a line through dots; dots alone; a dashed path without dots; filled steps; columns with
   * heights from 0 to 1 at the foot of the chart.
   */
  readonly draw: "line" | "dots" | "path" | "steps" | "foot";
  /** One value for each position of the chart, or fewer. */
  readonly values?: readonly (number | null)[];
  readonly points?: readonly XyPoint[];
  /** Whether the series is drawn faintly behind the others. */
  readonly isFaint?: true;
  /** Index of the first value that is a lower bound. */
  readonly boundsFrom?: number;
  /** Percentage of all values below each edge, if the chart has steps. */
  readonly within?: readonly number[];
}

export interface XyPoint {
  readonly x: number;
  readonly y: number;
  /** Interval of the value; null or absent for none. */
  readonly low?: number | null;
  readonly high?: number | null;
  /** Interval in x; null or absent for none. */
  readonly left?: number | null;
  readonly right?: number | null;
  /** Lines of text for the point, one for each fact. */
  readonly lines: readonly string[];
  readonly mark?: Mark;
  readonly fill?: "hollow" | "pale" | "ringed";
  /** Size of the dot, as its area, 0–1. */
  readonly size?: number;
}

/** Shapes that distinguish scenarios, in order; the page's legends show the same ones. */
export const SCENARIO_MARKS = ["dot", "up", "square", "diamond", "down", "right", "left"] as const;
export type Mark = typeof SCENARIO_MARKS[number] | "cross";

export function markOf(scenarios: readonly string[], scenario: string): Mark {
  return SCENARIO_MARKS[scenarios.indexOf(scenario) % SCENARIO_MARKS.length];
}

/** Values for comparison, drawn behind the series. */
export type Reference =
  | { readonly kind: "horizontal"; readonly at: number; readonly color: Color }
  /** A line down from the top, with its interval as a bar at the foot. */
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
  /** Ratios from 1 / margin to margin count as no difference; absent if values are not ratios. */
  readonly margin?: number;
  readonly rows: readonly Row[];
}

export interface Row {
  /** Label of the row, unique among all rows. */
  readonly label: string;
  /** A shorter name, shown in place of the label because the group's heading contains the rest. */
  readonly name?: string;
  /** Heading of all rows with the same group. */
  readonly group?: string;
  readonly color: number;
  readonly draw: "bar" | "dot";
  readonly value: number;
  /** Lower end of the interval; null without one. */
  readonly low: number | null;
  readonly high: number | null;
  /** Values of single runs, each drawn as a small dot. */
  readonly runs: readonly { readonly repetition: number; readonly value: number }[];
  /** The value as text: `4.31× [4.20, 4.43]`. */
  readonly text: string;
  /** The verdict, or why there is none: `likely better, not proven: 3 runs`; "" for nothing. */
  readonly word: string;
  readonly tone: "better" | "worse" | "even" | "open";
}

/** A heatmap of requests by moment and latency, which the client computes from the packed intervals. */
export interface Heatmap {
  readonly kind: "heatmap";
  readonly alt: string;
  /** Position among the cells of its scenario, from 0. */
  readonly cell: number;
}

/** The runs of one cell over time, side by side; axes are shared by the whole figure. */
export interface Timeline {
  readonly kind: "timeline";
  readonly alt: string;
  readonly color: number;
  readonly percentiles: readonly string[];
  /** Width of each run on the axis, in seconds. */
  readonly span: number;
  readonly latency: Axis;
  readonly rate: Axis;
  /** Tracks below the one for requests per second, from the top; none if the target was not observed. */
  readonly tracks: readonly { readonly title: string; readonly axis: Axis }[];
  /** Offered load; empty for a closed loop, and for arriving virtual users, who send several requests each. */
  readonly offered: readonly OfferedPart[];
  /** Marks, in the order of time. */
  readonly marks: readonly TimelineMark[];
  /** Whether any chart of the figure has a mark with a label, for which all charts then leave room. */
  readonly isLabelled: boolean;
  readonly runs: readonly TimelineRun[];
}

/** One run over time; the arrays have equal lengths, with null for an interval without requests. */
export interface TimelineRun {
  readonly label: string;
  /**
   * End of each interval, seconds since the start of the run. An interval begins where the one before ends; the first
   * at 0.
   */
  readonly t: readonly number[];
  /** Completed requests per second. */
  readonly rate: readonly number[];
  /** Failed requests per second; absent where none failed. */
  readonly failed?: readonly number[];
  /** One array per percentile of `Timeline.percentiles`. */
  readonly latency: readonly (readonly (number | null)[])[];
  /** By percentile: indices of the intervals in which lower bounds could raise it; absent for none. */
  readonly lowerBounds?: Readonly<Record<string, readonly number[]>>;
  /** One array for each track of `Timeline.tracks`; null if unknown. */
  readonly tracks: readonly (readonly (number | null)[])[];
  /** Seconds until the run is steady; null if it never is, or if the load itself changes. */
  readonly steadyFrom: number | null;
  /** Seconds at which latency or rate change to another level, in order. */
  readonly changes: readonly number[];
  /** Seconds at the start of the run that no figure counts; absent for none. */
  readonly discardedS?: number;
}

/** Requests per second that the load was meant to send: a straight line between two moments. */
export interface OfferedPart {
  readonly fromS: number;
  readonly toS: number;
  readonly from: number;
  readonly to: number;
}

/** A moment at which the load or the target was planned to change, in every run of a cell. */
export interface TimelineMark {
  readonly atS: number;
  readonly label: string;
}

/** All targets in one frame, each as the median of its runs, computed by the client from their timelines. */
export interface Overlay {
  readonly kind: "overlay";
  readonly alt: string;
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** Id of the canvas with the target's timelines. */
    readonly of: string;
  }[];
}

/** The legend of a chart: its series in the colours of targets, except faint ones. */
export function legendOf({ series }: Xy): { readonly label: string; readonly color: number }[] {
  return series.flatMap(({ label, color, isFaint }) =>
    isFaint || typeof color !== "number" ? [] : [{ label, color }]
  );
}

/** Four significant digits, which are finer than a pixel and take a third of the bytes. */
export function compact(value: number): number {
  return Number(value.toPrecision(4));
}

/** The section of the page that contains a chart, by the id of its canvas: `e1-s2-timeline-3` is in `e1-s2`. */
export function sectionOf(id: string): string {
  return id.split("-").slice(0, 2).join("-");
}
