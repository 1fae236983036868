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
 * How a worker fares while it works, for the live view. The judgement at the end uses figures of its own
 * (`trust/evidence.ts`).
 */
export interface Health {
  /** CPU time of the worker's thread over elapsed: a share of one core. */
  readonly cpuRatio: number;
  /** Longest time that something new had to wait for the worker, microseconds. */
  readonly lateUs: number;
}

export type ToWorker =
  | { readonly kind: "prepare"; readonly job: Job }
  /** @property at Moment of the start. */
  | { readonly kind: "start"; readonly at: Moment };

/** An interval has ended. */
export interface IntervalMessage {
  readonly kind: "interval";
  readonly part: IntervalPart;
  readonly health: Health;
  /** The report so far, for a receiver that may never get the last one. */
  readonly soFar: SoFarPart;
}

export type FromWorker =
  /** @property thread Number of its thread by which the system knows it (Linux); null elsewhere. */
  | { readonly kind: "ready"; readonly thread: number | null }
  /** The job cannot be done, because of its script. */
  | { readonly kind: "refused"; readonly why: string }
  | IntervalMessage
  /** The first dial that has ended has failed. */
  | { readonly kind: "unreached" }
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
  /** Lengths of the busy periods, in which the loop had no time for what was new. */
  readonly busyPeriods: SparseHistogram;
  /** Smallest step of the worker's clock, microseconds. */
  readonly timerUs: number;
  /** Absent without TLS. */
  readonly tls?: TlsUse;
  /** What hooks took; absent where no request has any. */
  readonly hooks?: HookUse;
  /** Streams at a time that a server took on a connection, where that is fewer than the load has; else absent. */
  readonly fewestStreams?: number;
}

/**
 * The report of a worker as if the run had ended when it handed an interval on: what was in flight is
 * unfinished, as at a real end. Arrivals that have not begun are not in it, neither due nor dropped.
 */
export interface SoFarReport extends WorkerReport {
  /** Latencies, so far, of the exchanges in flight: lower bounds, which no interval contains. */
  readonly open: SparseHistogram;
}

/**
 * What a worker posts of that with each interval. Of the times that every request has, `service`, `firstByte` and
 * `lag` of the totals, and of `busyPeriods` it is those since the part before, without what is in flight: all of
 * them again and again would take longer than anything else that a worker does beside its load. The same holds for the
 * times and seconds of steps and the times of messages, and steps with nothing in flight or open since the part before are
 * left out.
 * `SoFarSum` puts the parts together.
 */
export interface SoFarPart extends SoFarReport {
  /** Steps that changed; the totals have no steps here. */
  readonly steps: readonly StepPart[];
  /** Service times, so far, of the exchanges in flight: lower bounds. */
  readonly openService: SparseHistogram;
}
