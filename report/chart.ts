/**
 * What charts show, in the units that they show it in: plain data that travels to the page as JSON. Subjects decide
 * values, texts and axes; the page's client draws them and decides nothing. There are four kinds.
 */

export type Chart = Xy | Rows | Heatmap | Timeline | Overlay;

export interface Axis {
  /** Written at the highest tick. */
  readonly unit: string;
  readonly scale: "linear" | "log";
  readonly min: number;
  readonly max: number;
  /** Text below the axis, or beside it. */
  readonly title?: string;
  /** In place of round numbers. Where there is no room for all, the first and the last are written before others. */
  readonly ticks?: readonly { readonly at: number; readonly text: string }[];
  /** Middle of the step by which 0 stands beside a logarithmic axis, which has none. */
  readonly breakAt?: number;
}

/**
 * An axis with room for values, and some beyond the outermost: from 0, or logarithmic.
 *
 * @param logFrom The ratio of the highest to the lowest beyond which it is logarithmic; default: never.
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

/** Ratio of latencies over time beyond which a linear axis would press the low lines together. */
export const LATENCY_LOG_FROM = 12;

/** A colour of a target, or one that means the same everywhere. */
export type Color = number | "muted" | "alarm";

// One figure against another.

export interface Xy {
  readonly kind: "xy";
  /** The chart in words, for those who cannot see it. */
  readonly alt: string;
  readonly size: "small" | "medium" | "large";
  readonly x: Axis;
  readonly y: Axis;
  /** Where the values of the series stand. Of steps and bars it holds their edges, one more than there are values. */
  readonly at?: readonly number[];
  /** Names of the places `at`, for the pointer; absent: from one edge to the next. */
  readonly places?: readonly string[];
  readonly series: readonly XySeries[];
  readonly references?: readonly Reference[];
  /** Whether each series has its name beside it. */
  readonly isNamed?: true;
  /** Stacks the series, because more than two series of steps would hide each other. */
  readonly ridges?: true;
  /** A line that the reader moves, across the axis of this name, and what it says of the series. */
  readonly limit?: { readonly axis: "x" | "y"; readonly label: string };
}

export interface XySeries {
  readonly label: string;
  readonly color: Color;
  /**
   * A line, of points with dots; dots alone; a dashed path without dots; filled steps; bars, stacked over those of the
   * series before; columns of 0–1 at the foot.
   */
  readonly draw: "line" | "dots" | "path" | "steps" | "bars" | "foot";
  /** One for each place of the chart, or as many as there are. */
  readonly values?: readonly (number | null)[];
  readonly points?: readonly XyPoint[];
  /** Whether it stays behind the others. */
  readonly isFaint?: true;
  /** Index of the first value that is a lower bound. */
  readonly boundsFrom?: number;
  /** Percentage of all values below each edge, if the chart has steps. */
  readonly within?: readonly number[];
}

export interface XyPoint {
  readonly x: number;
  readonly y: number;
  /** Its interval; null or absent for none. */
  readonly low?: number | null;
  readonly high?: number | null;
  /** Likewise for x. */
  readonly left?: number | null;
  readonly right?: number | null;
  /** Lines about the point, one for each fact. */
  readonly lines: readonly string[];
  readonly mark?: Mark;
  readonly fill?: "hollow" | "pale" | "ringed";
  /** Size of the dot by its area, 0–1. */
  readonly size?: number;
}

/** What sets scenarios apart, in their order; the page's legends show the same. */
export const SCENARIO_MARKS = ["dot", "up", "square", "diamond", "down", "right", "left"] as const;
export type Mark = typeof SCENARIO_MARKS[number] | "cross";

export function markOf(scenarios: readonly string[], scenario: string): Mark {
  return SCENARIO_MARKS[scenarios.indexOf(scenario) % SCENARIO_MARKS.length];
}

/** Values for comparison, drawn behind the others. */
export type Reference =
  | { readonly kind: "horizontal"; readonly at: number; readonly color: Color }
  /** Down from the top, with its interval as a bar at the foot. */
  | {
    readonly kind: "vertical";
    readonly label: string;
    readonly at: number;
    readonly low: number;
    readonly high: number;
    readonly color: Color;
  }
  /** y = x, and how many times as much or as little is as good as equal; null for no such band. */
  | { readonly kind: "equality"; readonly ratio: number | null };

// A value for each name.

export interface Rows {
  readonly kind: "rows";
  readonly alt: string;
  readonly axis: Axis;
  /** Ratios from 1 / margin to margin make no difference; absent where values are no ratios. */
  readonly margin?: number;
  readonly rows: readonly Row[];
}

export interface Row {
  /** Label of the row, unique among all rows. */
  readonly label: string;
  /** In place of the label, below a heading that says the rest. */
  readonly name?: string;
  /** Heading of the rows that share it. */
  readonly group?: string;
  readonly color: number;
  readonly draw: "bar" | "dot";
  readonly value: number;
  /** Null without an interval. */
  readonly low: number | null;
  readonly high: number | null;
  /** Single runs, each as a small dot. */
  readonly runs: readonly { readonly repetition: number; readonly value: number }[];
  /** The value as it is written: `4.31× [4.20, 4.43]`. */
  readonly text: string;
  /** The verdict, or why there is none: `likely better, not proven: 3 runs`; "" for nothing. */
  readonly word: string;
  readonly tone: "better" | "worse" | "even" | "open";
}

// Requests by moment and latency.

/** The client makes it of the packed intervals. */
export interface Heatmap {
  readonly kind: "heatmap";
  readonly alt: string;
  /** Position among the cells of its scenario, from 0. */
  readonly cell: number;
}

// Runs over time.

/** The runs of one cell side by side; axes are those of the whole figure. */
export interface Timeline {
  readonly kind: "timeline";
  readonly alt: string;
  readonly color: number;
  readonly percentiles: readonly string[];
  /** Seconds that each run takes on the axis. */
  readonly span: number;
  readonly latency: Axis;
  readonly rate: Axis;
  /** Tracks below requests per second, from the top; none if the target was not watched. */
  readonly tracks: readonly { readonly title: string; readonly axis: Axis }[];
  /** Offered load; empty for a closed loop, and if virtual users arrive, who send several requests each. */
  readonly offered: readonly OfferedPart[];
  /** Marks in the order of time. */
  readonly marks: readonly TimelineMark[];
  /** Whether any chart of the figure has a mark with a label: all leave room for it. */
  readonly isLabelled: boolean;
  readonly runs: readonly TimelineRun[];
}

/** One run over time; arrays of equal length, null where an interval had no request. */
export interface TimelineRun {
  readonly label: string;
  /** End of each interval, seconds since the start of the run. It begins where the one before ends, the first at 0. */
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
  /** Seconds until it is steady; null when it never is, or when the load itself changes. */
  readonly steadyFrom: number | null;
  /** Seconds at which its latency or its rate goes to another level, in order. */
  readonly changes: readonly number[];
  /** Seconds at its start that no figure counts; absent for none. */
  readonly discardedS?: number;
}

/** Requests per second that the load was to send: a straight line from one moment to another. */
export interface OfferedPart {
  readonly fromS: number;
  readonly toS: number;
  readonly from: number;
  readonly to: number;
}

/** A moment of every run of a cell that its load or its target was to change at. */
export interface TimelineMark {
  readonly atS: number;
  readonly label: string;
}

/** Targets in one frame, each the median of its runs; the client makes it of their timelines. */
export interface Overlay {
  readonly kind: "overlay";
  readonly alt: string;
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** Canvas of its timelines. */
    readonly of: string;
  }[];
}

/** The series that are not behind others, as a legend names them. */
export function legendOf({ series }: Xy): { readonly label: string; readonly color: number }[] {
  return series.flatMap(({ label, color, isFaint }) =>
    isFaint || typeof color !== "number" ? [] : [{ label, color }]
  );
}

/** Four significant digits: below what a pixel shows, and a third of the bytes. */
export function compact(value: number): number {
  return Number(value.toPrecision(4));
}

/** Which section of the page a chart stands in, by the id of its canvas: `e1-s2-timeline-3` in `e1-s2`. */
export function sectionOf(id: string): string {
  return id.split("-").slice(0, 2).join("-");
}
