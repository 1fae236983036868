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

/** How busy a worker is, for the live view. The verdict on the generator uses other figures (`trust/evidence.ts`). */
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

/** Posted when an interval has ended. */
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
  /** The job can't be done because of its script. */
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
  /** The thread's time on a core, and its time waiting for one, during the run. */
  readonly time: ThreadTime;
  /** Time that the thread spent busy-waiting until something was due, microseconds. */
  readonly spunUs: number;
  /** Lengths of the busy periods, during which the loop could not handle new events. */
  readonly busyPeriods: SparseHistogram;
  /** Smallest step of the worker's clock, microseconds. */
  readonly timerUs: number;
  /** Absent without TLS. */
  readonly tls?: TlsUse;
  /** Time spent in hooks; absent if no request has any. */
  readonly hooks?: HookUse;
  /** The fewest concurrent streams that a server allowed on a connection; absent if that was enough for the load. */
  readonly fewestStreams?: number;
}

/**
 * A worker's report as if the run had ended at the end of an interval: requests in flight count as unfinished, as at a
 * real end. Arrivals that have not begun count neither as due nor as dropped.
 */
export interface SoFarReport extends WorkerReport {
  /** Latencies so far of the exchanges in flight: lower bounds, which no interval contains. */
  readonly open: SparseHistogram;
}

/**
 * The part of a `SoFarReport` that a worker posts with each interval. The times in `service`, `firstByte`, `lag` and
 * `busyPeriods` are only those recorded since the previous part, and leave out requests in flight, because posting all
 * times with each part would take longer than everything else that a worker does besides its load. The times and
 * per-second counts of steps and the times of messages are likewise only those since the previous part. Steps that have
 * nothing in flight, nothing open and nothing new are left out. `SoFarSum` puts the parts together.
 */
export interface SoFarPart extends SoFarReport {
  /** Only the steps that changed; `totals.steps` is empty in a part. */
  readonly steps: readonly StepPart[];
  /** Service times so far of the exchanges in flight: lower bounds. */
  readonly openService: SparseHistogram;
}
