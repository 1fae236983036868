/**
 * The report of a worker that fell silent: what was last heard of it, and what would have come after that.
 * Every exchange of its share is counted once, so that the law of conservation holds over all workers.
 */
import { EMPTY } from "../stats/histogram.ts";
import type { SoFarReport, WorkerReport } from "./job.ts";
import type { JobShare } from "./pool.ts";
import { Recorder } from "./recorder.ts";
import { SessionRecorder } from "./session_recorder.ts";
import { supplyOf } from "./supply.ts";

export interface LostShare {
  readonly supply: JobShare["supply"];
  readonly scriptKind: JobShare["script"]["kind"];
  /** When the run was over: arrivals from then on were nobody's to carry out. Infinity when it ended by count. */
  readonly durationUs: number;
}

/**
 * The report of a worker of which `soFar` was the last that was heard; null when nothing was. What its share had
 * still to come is due and dropped: arrivals until the end of the run, or what was left of a given number. A
 * closed loop that ends by time would have asked nobody knows how much.
 *
 * The latencies in `soFar.open` are in no interval: the caller puts them into the worker's last one.
 */
export function endWithout(share: LostShare, soFar: SoFarReport | null): WorkerReport {
  const { open: _, ...heard } = soFar ?? { ...silent(), open: EMPTY };
  const { totals } = heard;
  const missing = Math.max(0, wholeOf(share) - begunOf(share, heard));
  const due = totals.due + missing;
  return {
    ...heard,
    totals: { ...totals, due, dropped: totals.dropped + missing },
    elapsedUs: Math.max(heard.elapsedUs, share.supply.kind === "open" ? share.durationUs : 0),
  };
}

/** How many requests, or visitors, the share holds in all. 0 when nobody knows. */
function wholeOf({ supply, durationUs }: LostShare): number {
  if (supply.kind === "open") return supplyOf(supply).drop(durationUs);
  return supply.requests === Infinity ? 0 : supply.requests;
}

/** How many of those are in the report. Of a visitor who was let in, each request counts; who was not, as one. */
function begunOf({ scriptKind }: LostShare, { totals, sessions }: WorkerReport): number {
  return scriptKind === "flow" ? sessions.created + totals.dropped : totals.due;
}

/** Of a worker that never told anything. */
function silent(): WorkerReport {
  return {
    totals: new Recorder(Infinity, () => {}).totals(),
    sessions: new SessionRecorder().totals(),
    elapsedUs: 0,
    time: { cpuUs: 0, waitedUs: null },
    spunUs: 0,
    stretches: EMPTY,
    timerUs: 0,
  };
}
