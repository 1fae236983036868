/** The progress of a running experiment, as its page shows it. Pure. */
import { formatDuration } from "../../writing/units.ts";

export interface LiveStatus {
  /** Runs that ended, measured or not. */
  readonly done: number;
  /** 0 until the number is known. */
  readonly runs: number;
  readonly text: string;
  /** Expected from the moment of this status; null when unknown. */
  readonly leftMs: number | null;
  /** No further status follows. */
  readonly isOver: boolean;
}

/** A newer page is ready. */
export interface PageEvent {
  readonly page: number;
  /** The page sends it back when it is shown. */
  readonly receipt: string;
}

/** The last page is ready, and no event follows. */
export interface EndEvent extends PageEvent {
  readonly status: LiveStatus;
}

/** An interval of the run in progress, as it was measured: no statistics are made of a part of a run. */
export interface LivePoint {
  /** Milliseconds since the start of the run. */
  readonly endMs: number;
  /** Labels of the rate and of the percentile: they name what is counted and timed. */
  readonly rateLabel: string;
  readonly p99Label: string;
  readonly ratePerSec: number;
  /** Null without a response, or a message. */
  readonly p99Ms: number | null;
  readonly failed: number;
}

/** The next points of the run in progress; if `isNew`, of another run than the points before. */
export interface PointsEvent {
  readonly isNew: boolean;
  readonly points: readonly LivePoint[];
}

/** Points of two minutes at four a second; older ones leave the picture. */
export const MOST_POINTS = 480;

export function remainingText(ms: number): string {
  return `About ${formatDuration(Math.max(1, Math.ceil(ms / 1_000)))} left`;
}
