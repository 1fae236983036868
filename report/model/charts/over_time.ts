/**
 * What the charts over time draw: the runs of a cell, what was offered to them and the moments that are marked; their
 * targets one over the other; and how many of their requests took how long when.
 */

/** One run over time; arrays of equal length, null where an interval had no request. */
export interface TimelineRun {
  readonly label: string;
  readonly repetition: number;
  /** End of each interval, seconds since the start of the run. It begins where the one before ends, the first at 0. */
  readonly t: readonly number[];
  /** Completed requests per second. */
  readonly rate: readonly number[];
  /** Failed requests per second; absent where none failed. */
  readonly failed?: readonly number[];
  /** One array per percentile of `TimelineChart.percentiles`. */
  readonly latency: readonly (readonly (number | null)[])[];
  /** By percentile: the indices of the intervals in which lower bounds could make it larger; absent for none. */
  readonly lowerBounds?: Readonly<Record<string, readonly number[]>>;
  /** Cores that the target used. */
  readonly cpu: readonly (number | null)[];
  /** Resident memory of the target, in the unit of `TimelineChart.memory`. */
  readonly memory: readonly (number | null)[];
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

/** Targets in one frame, each the median of its runs; the client makes it of their timelines, by `overlay.ts`. */
export interface OverlayChart {
  readonly kind: "overlay";
  readonly alt: string;
  readonly series: readonly {
    readonly label: string;
    readonly color: number;
    /** Canvas of its timelines. */
    readonly of: string;
  }[];
}

/** Requests by moment and latency; the client makes it of the packed intervals, by `heatmap.ts`. */
export interface HeatmapChart {
  readonly kind: "heatmap";
  readonly alt: string;
  /** Position among the cells of its scenario, from 0. */
  readonly cell: number;
}
