/** The progress of a running experiment, as its page shows it. Pure. */
import { formatDuration } from "../../writing/units.ts";

export interface LiveStatus {
  /** Number of runs that have ended, including those that could not be measured. */
  readonly done: number;
  /** 0 until the number is known. */
  readonly runs: number;
  readonly text: string;
  /** Expected remaining time when this status was made; null if unknown. */
  readonly leftMs: number | null;
  /** Whether this is the last status. */
  readonly isOver: boolean;
}

export interface PageEvent {
  readonly page: number;
  /** Token that the browser sends back to prove that it shows the page. */
  readonly receipt: string;
}

/** The two live figures: a rate, and the p99 of a time. */
export type LiveName = "rate" | "p99";

/**
 * A figure of one interval. The label says what is counted or timed. `value` is null if there was no response or
 * message.
 */
export interface LiveValue {
  readonly label: string;
  readonly value: number | null;
}

/** The figures of one interval of the current run, as measured. */
export interface LivePoint extends Readonly<Record<LiveName, LiveValue>> {
  /** Milliseconds since the start of the run. */
  readonly endMs: number;
}

/** New points of the current run. If `isNew`, all earlier points belong to another run. */
export interface PointsEvent {
  readonly isNew: boolean;
  readonly points: readonly LivePoint[];
}

/** Two minutes at four points per second. Older points are dropped. */
export const MOST_POINTS = 480;

export function remainingText(ms: number): string {
  return `About ${formatDuration(Math.max(1, Math.ceil(ms / 1_000)))} left`;
}
