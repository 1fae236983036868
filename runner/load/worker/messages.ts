/** The messages between the pool and its workers. */
import type { Moment } from "../../../base/system/clock.ts";
import type { ThreadTime } from "../../../base/system/thread_time.ts";
import type { TlsUse } from "../../result/tls.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { HookUse } from "../../result/hooks.ts";
import type { Job } from "../engine/job.ts";
import type { IntervalPart } from "../recording/intervals.ts";
import type { StepPart } from "../recording/steps.ts";
import type { SessionTotals, WorkerTotals } from "../recording/totals.ts";

/**
 * How busy a worker is while it works, for the live view. The judgement at the end uses other figures
 * (`trust/evidence.ts`).
 */
export interface Health {
  /** CPU time of the worker's thread over elapsed time: a share of one core. */
  readonly cpuRatio: number;
  /** The longest that an event had to wait for the worker, microseconds. */
  readonly lateUs: number;
}

export type ToWorker =
  | { readonly kind: "prepare"; readonly job: Job }
  /** @property at Start of the run. */
  | { readonly kind: "start"; readonly at: Moment };

/** An interval has ended. */
export interface IntervalMessage {
  readonly kind: "interval";
  readonly part: IntervalPart;
  readonly health: Health;
  /** The report so far, for a receiver that may never get the final one. */
  readonly soFar: SoFarPart;
}

export type FromWorker =
  /** @property thread Id of the worker's thread in the system (Linux); null elsewhere. */
  | { readonly kind: "ready"; readonly thread: number | null }
  /** The job can't be done, because of its script. */
  | { readonly kind: "refused"; readonly why: string }
  | IntervalMessage
  /** The worker's first dial to finish has failed. */
  | { readonly kind: "unreached" }
  | {
    readonly kind: "finished";
    readonly report: WorkerReport;
    /** Why lines are missing from the request log; null if none are. */
    readonly lostLog: string | null;
  };

export interface WorkerReport {
  readonly totals: WorkerTotals;
  readonly sessions: SessionTotals;
  /** Time from the start of the run until the worker stopped sending, microseconds. */
  readonly elapsedUs: number;
  /** The thread's time on a core, and its time of waiting for one, during the run. */
  readonly time: ThreadTime;
  /** How long the thread only polled for something due, microseconds. */
  readonly spunUs: number;
  /** Lengths of the busy periods, during which the loop could not handle new events. */
  readonly busyPeriods: SparseHistogram;
  /** Smallest step of the worker's clock, microseconds. */
  readonly timerUs: number;
  /** Absent without TLS. */
  readonly tls?: TlsUse;
  /** Time spent in hooks; absent if no request has any. */
  readonly hooks?: HookUse;
  /** The fewest concurrent streams that a server allowed on a connection, if fewer than the load wants; else absent. */
  readonly fewestStreams?: number;
}

/**
 * The report of a worker as if the run had ended at the end of an interval: requests in flight count as unfinished, as
 * at a real end. Arrivals that have not begun are left out, neither due nor dropped.
 */
export interface SoFarReport extends WorkerReport {
  /** Latencies so far of the exchanges in flight: lower bounds, which no interval contains. */
  readonly open: SparseHistogram;
}

/**
 * The part of a `SoFarReport` that a worker posts with each interval. The times in `service`, `firstByte` and `lag` of
 * the totals, and in `busyPeriods`, are only those recorded since the previous part, without requests in flight: to
 * post all of them each time would take longer than anything else that a worker does besides its load. The times and
 * seconds of steps and the times of messages are likewise only those since the previous part; steps that have nothing
 * in flight, nothing open and nothing new are left out. `SoFarSum` puts the parts together.
 */
export interface SoFarPart extends SoFarReport {
  /** Steps that changed; the totals have no steps here. */
  readonly steps: readonly StepPart[];
  /** Service times so far of the exchanges in flight: lower bounds. */
  readonly openService: SparseHistogram;
}
