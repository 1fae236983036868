/**
 * Turns the reports of the workers and of the machine into the evidence of one run, an object whose keys are those of
 * the result. Also defines the `Case` that is judged, and limits that several checks share.
 */
import type { Calibration } from "../host/calibration_cache.ts";
import type { WorkerReport } from "../load/worker/messages.ts";
import type {
  EndedWorker,
  Generator,
  HostActivity,
  TargetUse,
  WorkerUse,
} from "../result/generator.ts";
import { type Histogram, mergeHistograms } from "../stats/histogram/histogram.ts";
import type { Severity } from "../result/findings.ts";
import type { Measurement } from "../result/result.ts";
import type { SocketFigures, StreamFigures } from "../result/messages.ts";

/** What is known of the generator, before its trust is judged. */
export type GeneratorEvidence = Omit<Generator, "trust" | "findings">;

/** What is known about the generator's machine, apart from the workers' reports. */
export interface Stage {
  readonly hostActivity: HostActivity;
  /** Absent if the target's processes can't be seen. */
  readonly target?: TargetUse;
  /** Null if this machine has not been calibrated. */
  readonly calibration: Calibration | null;
  /** Whether the target runs on the same machine. */
  readonly sharesMachine: boolean;
  /** Workers that had to be ended by force; absent if there were none. */
  readonly ended?: EndedWorker[];
}

export function evidenceOf(
  reports: readonly WorkerReport[],
  elapsedUs: number,
  { hostActivity, target, calibration, ended = [] }: Stage,
): GeneratorEvidence {
  const each = reports.map((report) => workerUseOf(report, elapsedUs));
  const waits = each.flatMap(({ waiting }) => waiting === null ? [] : [waiting]);
  return {
    workers: reports.length,
    cpu: Math.max(...each.map(({ cpu }) => cpu)),
    waiting: waits.length === 0 ? null : Math.max(...waits),
    lag: timesOf(mergeHistograms(reports.map(({ totals }) => totals.lag))),
    delay: delayOf(reports, elapsedUs),
    each,
    timer: Math.max(...reports.map(({ timerUs }) => timerUs)) / 1_000,
    hostActivity,
    ...target && { target },
    ...ended.length > 0 && { ended },
    peakThroughput: calibration?.peakThroughput ?? null,
    baselineLatency: calibration?.baselineLatency ?? null,
  };
}

function workerUseOf(report: WorkerReport, elapsedUs: number): WorkerUse {
  const { time: { cpuUs, waitedUs }, spunUs, totals } = report;
  const share = (us: number): number => elapsedUs > 0 ? us / elapsedUs : 0;
  return {
    cpu: share(cpuUs),
    waiting: waitedUs === null ? null : share(waitedUs),
    spinning: share(spunUs),
    lag: timesOf(mergeHistograms([totals.lag])).p99,
    delay: delayOf([report], elapsedUs).p99,
  };
}

function timesOf(times: Histogram): Generator["lag"] {
  return {
    p50: times.valueAtPercentile(50) / 1_000,
    p99: times.valueAtPercentile(99) / 1_000,
    max: times.maxUs / 1_000,
  };
}

function delayOf(reports: readonly WorkerReport[], elapsedUs: number): Generator["delay"] {
  const busyPeriods = mergeHistograms(reports.map((report) => report.busyPeriods));
  const at = (percentile: number): number =>
    Math.round(delayAtPercentile(percentile, busyPeriods, elapsedUs * reports.length)) / 1_000;
  return { p50: at(50), p99: at(99), max: busyPeriods.maxUs / 1_000 };
}

// How long an event that became ready or due at a random moment of the run waited for the event
// loop. Within a busy period of length L, the wait is uniformly distributed from 0 to L; outside of
// busy periods it is 0. So the share of moments with a wait longer than d is Σ max(0, L − d) / T,
// summed over all busy periods of a run of length T. Arrivals at random moments see exactly these
// waits (R. Wolff, "Poisson Arrivals See Time Averages", 1982).

/**
 * The wait in microseconds that is not exceeded at `percentile` per cent (0–100) of all moments.
 *
 * @param busyPeriods Lengths of the busy periods, in microseconds.
 * @param totalUs Length of the run in microseconds, summed over all workers.
 */
export function delayAtPercentile(
  percentile: number,
  busyPeriods: Histogram,
  totalUs: number,
): number {
  const targetUs = (1 - percentile / 100) * totalUs;
  const buckets: { lengthUs: number; count: number }[] = [];
  busyPeriods.forEachBucket((lowUs, highUs, count) => {
    buckets.push({ lengthUs: Math.min((lowUs + highUs) / 2, busyPeriods.maxUs), count });
  });
  // Goes from the longest busy period to the shortest. For a wait d shorter than the current
  // period, the longer periods contribute `sumUs − longer · d` to the time in which a wait exceeds
  // d.
  let longer = 0;
  let sumUs = 0;
  for (const { lengthUs, count } of buckets.reverse()) {
    if (sumUs - longer * lengthUs >= targetUs) break;
    longer += count;
    sumUs += count * lengthUs;
  }
  return longer === 0 ? 0 : Math.max(0, (sumUs - targetUs) / longer);
}

export interface Case {
  readonly evidence: GeneratorEvidence;
  readonly run:
    & Pick<
      Measurement,
      | "driver"
      | "load"
      | "elapsedS"
      | "requests"
      | "reasons"
      | "rate"
      | "service"
      | "connect"
      | "warmup"
    >
    & {
      readonly streams?: Pick<StreamFigures, "ttfe" | "gap">;
      readonly sockets?: Pick<SocketFigures, "sent" | "opened" | "message">;
    };
  readonly sharesMachine: boolean;
}

/** A figure that reaches `suspect` makes the run suspect; one that reaches `invalid` makes it invalid. */
export interface Limits {
  readonly suspect: number;
  readonly invalid: number;
}

/** Null if the figure is below both limits. */
export function severityOf(figure: number, { suspect, invalid }: Limits): Severity | null {
  if (figure >= invalid) return "invalid";
  return figure >= suspect ? "suspect" : null;
}

/** Share of the run for which a worker had work to do, whether it had a core or waited for one. */
export function occupiedShare({ cpu, spinning, waiting }: WorkerUse): number {
  return Math.max(0, cpu - spinning) + (waiting ?? 0);
}

export function busiestOf({ each }: GeneratorEvidence): WorkerUse {
  return each.reduce((busiest, use) => occupiedShare(use) > occupiedShare(busiest) ? use : busiest);
}

/** Milliseconds. Sending a request 1 ms late does no harm; if responses are slow, even longer delays are harmless. */
const HARMLESS_DELAY_MS: Limits = { suspect: 1, invalid: 10 };
/** Harmless delays, as shares of the median wait for a response or a message. */
const HARMLESS_DELAY_SHARE: Limits = { suspect: 0.1, invalid: 1 };
/**
 * Harmless delay in milliseconds for a run of 1 s; for other runs it is divided by their length in seconds. A single
 * hiccup decides the p99 of a short run: one of 20 ms makes it 10 ms in a run of 1 s, but leaves it at 0 in a run of 10
 * s.
 */
const HARMLESS_HICCUP: Limits = { suspect: 10, invalid: 30 };

/**
 * The shortest median wait of a client, in ms: for a response, for a stream's first or next message, or for an answer
 * on a WebSocket. The time for which a stream or a WebSocket is open does not count, because nothing waits for its end.
 * Gaps between messages count only if they are at least 1 ms long, because nobody waits for messages that come back to
 * back.
 */
export function medianWait({ service, streams, sockets }: Case["run"]): number {
  const gap = streams?.gap;
  const isWaitedFor = gap !== undefined && gap.percentiles["50"] >= HARMLESS_DELAY_MS.suspect;
  const ofMessages = [streams?.ttfe, isWaitedFor ? gap : undefined, sockets?.message];
  return ofMessages.reduce(
    (least, times) => times?.count ? Math.min(least, times.percentiles["50"]) : least,
    service.percentiles["50"],
  );
}

/** Harmless p99 delay in ms of a worker whose sends are scheduled. */
export function harmlessDelay(run: Case["run"]): Limits {
  const limit = (level: keyof Limits): number =>
    Math.max(
      HARMLESS_DELAY_MS[level],
      HARMLESS_DELAY_SHARE[level] * medianWait(run),
      HARMLESS_HICCUP[level] / run.elapsedS,
    );
  return { suspect: limit("suspect"), invalid: limit("invalid") };
}
