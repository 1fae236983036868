/** How far a running experiment is, as its page tells. Pure. */
import { formatDuration } from "../model/numbers/units.ts";

export interface LiveStatus {
  /** Runs that ended, measured or not. */
  readonly done: number;
  /** 0 before that is known. */
  readonly runs: number;
  readonly text: string;
  /** Expected from the moment that this was told; null when it is not known. */
  readonly leftMs: number | null;
  /** Nothing more will be told. */
  readonly isOver: boolean;
}

/** A newer page is to be had: what a reader is told. */
export interface PageEvent {
  readonly page: number;
  /** What the reader sends back when it shows it. */
  readonly receipt: string;
}

/** The last page is to be had, and nothing follows. */
export interface EndEvent extends PageEvent {
  readonly status: LiveStatus;
}

export function leftText(ms: number): string {
  return `About ${formatDuration(Math.max(1, Math.ceil(ms / 1_000)))} left`;
}
