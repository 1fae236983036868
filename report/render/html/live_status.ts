/** The progress of a running experiment, as its page shows it. Pure. */
import { formatDuration } from "../../writing/units.ts";

export interface LiveStatus {
  /** Number of runs that ended, measured or not. */
  readonly done: number;
  /** 0 until the number is known. */
  readonly runs: number;
  readonly text: string;
  /** Expected time left when this status was made; null if unknown. */
  readonly leftMs: number | null;
  /** Whether no further status follows. */
  readonly isOver: boolean;
}

export interface PageEvent {
  readonly page: number;
  /** Token that this page sends back when it is shown. */
  readonly receipt: string;
}

/** The live figures: a rate, and the p99 of a time. */
export type LiveName = "rate" | "p99";

/** A figure of an interval, whose label says what is counted or timed; null without a response or message. */
export interface LiveValue {
  readonly label: string;
  readonly value: number | null;
}

/** An interval of the current run as measured, without any statistics. */
export interface LivePoint extends Readonly<Record<LiveName, LiveValue>> {
  /** Milliseconds since the start of the run. */
  readonly endMs: number;
}

/** The next points of the current run; `isNew` if earlier points belong to another run. */
export interface PointsEvent {
  readonly isNew: boolean;
  readonly points: readonly LivePoint[];
}

/** Points of two minutes at four per second; older ones are dropped. */
export const MOST_POINTS = 480;

export function remainingText(ms: number): string {
  return `About ${formatDuration(Math.max(1, Math.ceil(ms / 1_000)))} left`;
}
