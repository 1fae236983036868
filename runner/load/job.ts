/**
 * What a worker isolate is told and what it tells: the messages between the pool and its workers.
 */
import type { ArrivalOptions } from "../../scenarios/pace/arrivals.ts";
import type { Phase } from "../../scenarios/pace/profile.ts";
import type { Endpoint } from "../../base/net/endpoint.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";
import type { ThreadTime } from "../../base/system/thread_time.ts";
import type { Moment } from "./clock.ts";
import type { Check } from "./answer_check.ts";
import type { DriverName } from "./driver.ts";
import type { FlowSpec } from "./flow.ts";
import type { Health } from "./health.ts";
import type { IntervalPart } from "./intervals.ts";
import type { WorkerTotals } from "./worker_totals.ts";
import type { SessionTotals } from "./session_recorder.ts";

/** What makes exchanges due. */
export type SupplySpec =
  /** @property requests Infinity when the run ends by time. */
  | { readonly kind: "closed"; readonly requests: number }
  | { readonly kind: "open"; readonly phases: readonly Phase[]; readonly arrivals: ArrivalOptions };

/** A request, ready to be sent. */
export interface PreparedRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** It is a HEAD: its answer has no body. */
  readonly head: boolean;
  /** Null where nothing is expected of its answer. */
  readonly check: Check | null;
}

/** What is asked. */
export type ScriptSpec =
  /** @property sequence Indexes into `requests`, gone through again and again. */
  | {
    readonly kind: "requests";
    readonly requests: readonly PreparedRequest[];
    readonly sequence: Uint32Array<ArrayBuffer>;
  }
  | ({ readonly kind: "flow" } & FlowSpec);

/** One worker's share of one run. Posted by the pool, which made it from validated values. */
export interface Job {
  readonly driver: DriverName;
  readonly endpoint: Endpoint;
  readonly script: ScriptSpec;
  readonly connections: number;
  readonly pipeline: number;
  readonly keepAlive: boolean;
  readonly timeoutUs: number;
  readonly intervalUs: number;
  /** Infinity when the run ends by count. */
  readonly durationUs: number;
  readonly supply: SupplySpec;
  /** Whether visitors who are there when the time is over may finish. */
  readonly waitsForLast: boolean;
  /** Where the request log goes, and the number of this worker's first connection; null for none. */
  readonly log: { readonly path: string; readonly firstConnection: number } | null;
  /** One Int32: not 0 asks the worker to end now. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** A job but for what the pool adds itself. */
export type JobShare = Omit<Job, "stop">;

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
