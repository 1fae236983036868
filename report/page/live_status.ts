/** The progress of a running experiment, as its page shows it. Pure. */
import { formatDuration } from "../model/numbers/units.ts";

export interface LiveStatus {
  /** Runs that ended, measured or not. */
  readonly done: number;
  /** 0 before that is known. */
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

export function remainingText(ms: number): string {
  return `About ${formatDuration(Math.max(1, Math.ceil(ms / 1_000)))} left`;
}
