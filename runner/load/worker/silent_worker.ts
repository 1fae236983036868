/**
 * The report of a worker that fell silent: its last report, with the rest of its share of the load counted as dropped.
 * So every exchange that was due, over all workers, still has exactly one outcome.
 */
import { EMPTY, Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { JobShare } from "../engine/job.ts";
import { pacerOf } from "../engine/pacers.ts";
import type { IntervalPart } from "../recording/intervals.ts";
import { Recorder } from "../recording/recorder.ts";
import { SessionRecorder } from "../recording/totals.ts";
import type { SoFarReport, WorkerReport } from "./messages.ts";

export interface SilentShare {
  readonly pacer: JobShare["pacer"];
  readonly turns?: JobShare["turns"];
  readonly scriptKind: JobShare["script"]["kind"];
  /**
   * The end of the run, microseconds after its start; later arrivals are not part of it. Infinity if the load ends by
   * count.
   */
  readonly durationUs: number;
}

export interface SilentWorker {
  readonly report: WorkerReport;
  /**
   * How long dropped requests had waited at the end of the run. These are lower bounds of their latency. They are in no
   * interval yet, so the caller adds them to the last interval of any worker.
   */
  readonly dropped: SparseHistogram;
}

/**
 * The report of a worker whose last received report is `soFar`, or null if none was received. The rest of its share
 * counts as due and dropped: arrivals until the end of the run, or the rest of a given number of requests. For a closed
 * loop that ends by time nothing is added, because the number that it would have sent is unknown.
 *
 * The latencies in `soFar.open` are in no interval yet either, so the caller adds them to the worker's own last interval.
 */
export function reportOfSilent(share: SilentShare, soFar: SoFarReport | null): SilentWorker {
  const { open: _, ...received } = soFar ?? { ...silent(), open: EMPTY };
  const dropped = waitsOf(share, begunOf(share, received));
  const { count } = dropped;
  const { totals } = received;
  const report = {
    ...received,
    totals: {
      ...totals,
      due: totals.due + count,
      dropped: totals.dropped + count,
      censored: totals.censored + count,
    },
    elapsedUs: Math.max(received.elapsedUs, share.pacer.kind !== "closed" ? share.durationUs : 0),
  };
  return { report, dropped };
}

/** How long each request, or virtual user, of the share had waited at the end, except for the first `begun` of them. */
function waitsOf({ pacer, turns, durationUs }: SilentShare, begun: number): SparseHistogram {
  const waits = new Histogram();
  if (pacer.kind !== "closed") {
    let arrived = 0;
    pacerOf(pacer, turns).drop(durationUs, (dueUs) => {
      if (arrived++ >= begun) waits.record(durationUs - dueUs);
    });
  } else if (pacer.requests < Infinity) {
    // A request of a closed loop is due only when a connection is free, so these requests had not waited at all.
    for (let left = pacer.requests - begun; left > 0; left--) waits.record(0);
  }
  return waits.toSparse();
}

/**
 * How many arrivals of the share are in the report: in a flow, the virtual users who were let in or dropped; else the
 * requests that were due.
 */
function begunOf({ scriptKind }: SilentShare, { totals, sessions }: WorkerReport): number {
  return scriptKind === "flow" ? sessions.created + totals.dropped : totals.due;
}

/** A part of interval `index` that consists of lower bounds alone. */
export function boundsPart(index: number, bounds: SparseHistogram): IntervalPart {
  const counts = { index, completed: 0, failed: 0, errors: null, wrong: 0, bytesIn: 0 };
  return { ...counts, secondCompleted: [], secondBytes: [], latency: bounds, censored: bounds };
}

/** Report of a worker that never posted anything. */
function silent(): WorkerReport {
  return {
    totals: new Recorder(Infinity, () => {}).totals(),
    sessions: new SessionRecorder().totals(),
    elapsedUs: 0,
    time: { cpuUs: 0, waitedUs: null },
    spunUs: 0,
    busyPeriods: EMPTY,
    timerUs: 0,
  };
}
