/**
 * What the charts show, in the units that they show it in: plain data that travels to the page as
 * JSON. The page's client draws it and decides nothing.
 */

/** Colours of the style sheet; beyond them they begin anew. */
export const COLORS = 10;

/** Requests per second: one bar a cell, at the mean of its runs, each run as a dot. */
export interface BarsChart {
  readonly kind: "bars";
  /** The chart in words, for those who cannot see it. */
  readonly alt: string;
  readonly unit: string;
  readonly bars: readonly {
    readonly label: string;
    readonly color: number;
    readonly value: number;
    readonly runs: readonly number[];
    /** The value as it is written at the bar. */
    readonly text: string;
  }[];
}

/** One run over time; arrays of equal length, null where an interval had no request. */
export interface TimelineRun {
  readonly label: string;
  /** End of each interval, seconds since the start of the run. */
  readonly t: readonly number[];
  readonly rate: readonly number[];
  /** One array per percentile of `TimelineChart.percentiles`. */
  readonly latency: readonly (readonly (number | null)[])[];
  /** Cores that the target used. */
  readonly cpu: readonly (number | null)[];
}

export interface Axis {
  readonly unit: string;
  readonly scale: "linear" | "log";
  readonly min: number;
  readonly max: number;
}

/** The runs of one cell side by side; axes are those of the whole figure. */
export interface TimelineChart {
  readonly kind: "timeline";
  readonly alt: string;
  readonly color: number;
  readonly percentiles: readonly string[];
  /** Seconds that each run takes on the axis. */
  readonly span: number;
  readonly latency: Axis;
  readonly rate: Axis;
  /** Null when no target was ours to watch. */
  readonly cpu: Axis | null;
  readonly runs: readonly TimelineRun[];
}

/** Shares of the requests by latency, in steps that are equal on a logarithmic axis. */
export interface DensityChart {
  readonly kind: "density";
  readonly alt: string;
  readonly axis: Axis;
  /** Bounds of the steps, one more than there are shares. */
  readonly edges: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** Per cent of the cell's requests in each step. */
    readonly shares: readonly number[];
  }[];
}

export type Chart = BarsChart | TimelineChart | DensityChart;

/** Four significant digits: below what a pixel shows, and a third of the bytes. */
export function compact(value: number): number {
  return Number(value.toPrecision(4));
}
