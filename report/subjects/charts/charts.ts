/**
 * What the charts show, in the units that they show it in: plain data that travels to the page as
 * JSON. The page's client draws it and decides nothing.
 */

import type {
  HeatmapChart,
  OfferedPart,
  OverlayChart,
  TimelineMark,
  TimelineRun,
} from "./over_time.ts";

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
    readonly runs: readonly { readonly repetition: number; readonly value: number }[];
    /** The value as it is written at the bar. */
    readonly text: string;
  }[];
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
  /** Below requests per second, from the top; none where nobody watched the target. */
  readonly tracks: readonly { readonly title: string; readonly axis: Axis }[];
  /** Empty for a closed loop, and where virtual users arrive, who send several requests each. */
  readonly offered: readonly OfferedPart[];
  /** In order. */
  readonly marks: readonly TimelineMark[];
  /** Whether any chart of the figure has a mark with a label: all leave room for it. */
  readonly isLabelled: boolean;
  readonly runs: readonly TimelineRun[];
}

/** Shares of the requests by latency, in steps that are equal on a logarithmic axis. */
export interface DensityChart {
  readonly kind: "density";
  readonly alt: string;
  readonly axis: Axis;
  /** Bounds of the steps, one more than there are shares. */
  readonly edges: readonly number[];
  /** As many are drawn at once, the first of them unless the reader chooses others. */
  readonly most: number;
  /** From the lowest median. */
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** Per cent of the cell's completed requests in each step. */
    readonly shares: readonly number[];
    /** Per cent of its completed requests below the first step. */
    readonly below: number;
    /** The completed of all its requests, 0–1. */
    readonly completed: number;
    /** Index of the edge from which on requests of unknown latency may lie below it, too; absent for none. */
    readonly boundsFrom?: number;
  }[];
}

/** A figure against a factor: a line through the cells that differ in nothing else, with their intervals. */
export interface SweepChart {
  readonly kind: "sweep";
  readonly alt: string;
  readonly x: Axis & {
    /** The measured values that have room for their text; none: round numbers. */
    readonly ticks: readonly { readonly at: number; readonly text: string }[];
    /** Middle of the step by which 0 stands beside a logarithmic axis, which has none; null without a 0. */
    readonly breakAt: number | null;
  };
  readonly y: Axis;
  /** Whether as much as was offered could be served at most: y = x. */
  readonly isOffered: boolean;
  /** Values of y with a dashed line across. */
  readonly limits?: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** Whether no line joins its points. */
    readonly isDots?: true;
    /** Whether it stays behind the others. */
    readonly isFaint?: true;
    /** Ascending by x. */
    readonly points: readonly {
      readonly x: number;
      readonly y: number;
      /** Null without an interval. */
      readonly low: number | null;
      readonly high: number | null;
      /** Of the whole point, with factor and figure. */
      readonly text: string;
      /** Whether it says little: too many wrong responses, or too few requests for the percentile. */
      readonly isHollow: boolean;
      /** Whether it does not count. */
      readonly isCross?: true;
    }[];
    /** Where it stops growing, on the axis; null where that is not shown. */
    readonly knee: { readonly at: number; readonly low: number; readonly high: number } | null;
  }[];
}

/** A figure against another, a dot a cell. */
export interface ScatterChart {
  readonly kind: "scatter";
  readonly alt: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Below the axis, and beside it. */
  readonly titles: readonly string[];
  /** How far from equality is not called out: 1.25 from 0.8 to 1.25 times; null: nothing is to be equal. */
  readonly farRatio: number | null;
  readonly points: readonly {
    readonly label: string;
    readonly color: number;
    /** Index of the scenario's mark. */
    readonly mark: number;
    readonly x: number;
    readonly y: number;
    /** Of y; null without an interval. */
    readonly low: number | null;
    readonly high: number | null;
    readonly isFar: boolean;
    /** What there is to say of it, a line each. */
    readonly lines: readonly string[];
  }[];
}

/** Requests per second against p99: a dot a cell, as large as the CPU that it used. */
export interface TradeoffChart {
  readonly kind: "tradeoff";
  readonly alt: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Cells that no other beats in both, by x. */
  readonly front: readonly { readonly x: number; readonly y: number }[];
  /** Whether the dots of a series are joined: its cells differ in a factor of numbers. */
  readonly isLine: boolean;
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    readonly points: readonly {
      readonly label: string;
      readonly x: number;
      readonly xEnds: readonly [low: number, high: number] | null;
      readonly y: number;
      readonly yEnds: readonly [low: number, high: number] | null;
      /** Of the most CPU that a cell used, 0–1; null where none was watched. */
      readonly size: number | null;
      readonly isOnFront: boolean;
      readonly lines: readonly string[];
    }[];
  }[];
}

/** Every run in time, against the mean of its cell. */
export interface OrderChart {
  readonly kind: "order";
  readonly alt: string;
  /** Of the ratios; logarithmic, with 1 in the middle. */
  readonly axis: Axis;
  readonly runs: readonly {
    readonly label: string;
    readonly color: number;
    readonly ratio: number;
    readonly trust: "valid" | "suspect" | "invalid";
    /** Share of the machine's cores in use; null: unknown. */
    readonly busy: number | null;
    /** Requests per second: its own, and the mean of its cell. */
    readonly rate: number;
    readonly mean: number;
    /** Its number in time, and when that was. */
    readonly order: number;
    readonly startedAt: string;
  }[];
}

/** Latency against how rare a request is that takes longer. */
export interface TailsChart {
  readonly kind: "tails";
  readonly alt: string;
  readonly axis: Axis;
  /** One request in so many takes longer: 1/(1 − p). */
  readonly odds: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** For the first of `odds`, as many as the requests support. */
    readonly pooled: readonly number[];
    /** Index in `odds` from which on lower bounds could turn out to make it larger; absent for none. */
    readonly boundsFrom?: number;
    /** The same of each run; none where there is one run. */
    readonly runs: readonly (readonly number[])[];
  }[];
}

/** A figure of several targets, each as a multiple of another's: a row a pair. */
export interface ForestChart {
  readonly kind: "forest";
  readonly alt: string;
  /** Logarithmic: twice and half are as far from 1. */
  readonly axis: Axis;
  readonly better: "higher" | "lower";
  /** Ratios from 1 / margin to margin make no difference. */
  readonly margin: number;
  /** Whether names stand on lines of their own, as one is too long to stand before its ratio. */
  readonly namesApart: boolean;
  readonly rows: readonly {
    readonly label: string;
    readonly color: number;
    readonly ratio: number;
    /** Null without an interval; the verdict is then, too. */
    readonly low: number | null;
    readonly high: number | null;
    readonly verdict: "better" | "worse" | "equivalent" | "inconclusive" | null;
    /** The verdict, or why there is none: `likely better, not proven: 3 runs`; "" without an interval. */
    readonly word: string;
    /** `4.31× [4.20, 4.43]`. */
    readonly text: string;
  }[];
}

/** Requests that failed or got a wrong response, interval by interval, over all runs of a cell. */
export interface ErrorsChart {
  readonly kind: "errors";
  readonly alt: string;
  /** End of each interval, seconds since the start of the run. */
  readonly t: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** One for each interval. */
    readonly counts: readonly number[];
  }[];
}

/** Requests per second of each agent over one run. */
export interface AgentsChart {
  readonly kind: "agents";
  readonly alt: string;
  /** End of each interval, seconds since the start of the run. */
  readonly t: readonly number[];
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** One for each interval. */
    readonly rate: readonly number[];
  }[];
}

export type Chart =
  | BarsChart
  | TimelineChart
  | OverlayChart
  | HeatmapChart
  | DensityChart
  | TailsChart
  | TradeoffChart
  | OrderChart
  | SweepChart
  | ScatterChart
  | ForestChart
  | ErrorsChart
  | AgentsChart;

/** Four significant digits: below what a pixel shows, and a third of the bytes. */
export function compact(value: number): number {
  return Number(value.toPrecision(4));
}

/** Which section of the page a chart stands in, by the id of its canvas: `e1-s2-timeline-3` in `e1-s2`. */
export function sectionOf(id: string): string {
  return id.split("-").slice(0, 2).join("-");
}
