/** The messages between the pool and its workers. */
import type { Moment } from "../../../base/system/clock.ts";
import type { ThreadTime } from "../../../base/system/thread_time.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { Job } from "../engine/job.ts";
import type { IntervalPart } from "../recording/intervals.ts";
import type { SessionTotals } from "../recording/sessions.ts";
import type { WorkerTotals } from "../recording/totals.ts";
import type { Health } from "./health.ts";

export type ToWorker =
  | { readonly kind: "prepare"; readonly job: Job }
  /** @property at Moment of the start. */
  | { readonly kind: "start"; readonly at: Moment };

export type FromWorker =
  /** @property thread Number of its thread by which the system knows it (Linux); null elsewhere. */
  | { readonly kind: "ready"; readonly thread: number | null }
  | {
    readonly kind: "interval";
    readonly part: IntervalPart;
    readonly health: Health;
    /** For whoever may not hear how it ends. */
    readonly soFar: SoFarReport;
  }
  | {
    readonly kind: "finished";
    readonly report: WorkerReport;
    /** Why the request log lacks lines; null when it does not. */
    readonly lostLog: string | null;
  };

export interface WorkerReport {
  readonly totals: WorkerTotals;
  readonly sessions: SessionTotals;
  /** From the start of the run to the worker's last event, microseconds. */
  readonly elapsedUs: number;
  /** What the system gave the worker's thread during the run. */
  readonly time: ThreadTime;
  /** How long the thread only looked whether something was due, microseconds. */
  readonly spunUs: number;
  /** Lengths of the stretches in which the loop had no time for what was new. */
  readonly stretches: SparseHistogram;
  /** Smallest step of the worker's clock, microseconds. */
  readonly timerUs: number;
}

/**
 * The report of a worker as if the run had ended when it handed an interval on: what was in flight is
 * unfinished, as at a real end. What was due and not yet begun is not in it, neither due nor dropped.
 */
export interface SoFarReport extends WorkerReport {
  /** Latencies, so far, of the exchanges in flight: lower bounds, which are in no interval. */
  readonly open: SparseHistogram;
}
