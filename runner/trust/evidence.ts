/**
 * Reports of the workers and of the machine → the evidence of one run, with the keys of the result. Also the run to be
 * judged, and the limits that checks share.
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

/** The evidence before it is judged. */
export type GeneratorEvidence = Omit<Generator, "trust" | "findings">;

/** Facts about the generator's machine. */
export interface Stage {
  readonly hostActivity: HostActivity;
  /** Absent if the target's processes can't be seen. */
  readonly target?: TargetUse;
  /** Null if no calibration is remembered. */
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

// How long events that became ready or due at a random moment of the run waited until the loop came to them. In a busy
// period of length L that wait is evenly distributed from 0 to L; outside of busy periods it is 0. So the share of the
// run's moments that waited longer than d is Σ max(0, L − d) / T over all busy periods. Arrivals at random moments see
// just these waits (R. Wolff, "Poisson Arrivals See Time Averages", 1982).

/**
 * The wait, in microseconds, that is not exceeded at `percentile` (0–100) percent of all moments.
 * @param busyPeriods Lengths of the busy periods.
 * @param totalUs Length of the run, summed over all workers.
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
  // From the longest down: for d below lengthUs, the longer busy periods contain `sumUs − longer · d` of the moments
  // that wait longer than d.
  let longer = 0;
  let sumUs = 0;
  for (const { lengthUs, count } of buckets.reverse()) {
    if (sumUs - longer * lengthUs >= targetUs) break;
    longer += count;
    sumUs += count * lengthUs;
  }
  return longer === 0 ? 0 : Math.max(0, (sumUs - targetUs) / longer);
}

/** A run to be judged. */
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
  /** Whether the target runs on the same machine. */
  readonly sharesMachine: boolean;
}

/** Values of a figure from which on a run is suspect, and from which on it is invalid. */
export interface Limits {
  readonly suspect: number;
  readonly invalid: number;
}

/** Null if the figure is below both limits. */
export function severityOf(figure: number, { suspect, invalid }: Limits): Severity | null {
  if (figure >= invalid) return "invalid";
  return figure >= suspect ? "suspect" : null;
}

/** Share of the run for which a worker had work, with or without a core for it. */
export function occupiedShare({ cpu, spinning, waiting }: WorkerUse): number {
  return Math.max(0, cpu - spinning) + (waiting ?? 0);
}

/** The worker with the most work. */
export function busiestOf({ each }: GeneratorEvidence): WorkerUse {
  return each.reduce((busiest, use) => occupiedShare(use) > occupiedShare(busiest) ? use : busiest);
}

/** A request that is sent a millisecond late does no harm; with slow responses, larger delays are harmless. */
const HARMLESS_DELAY_MS: Limits = { suspect: 1, invalid: 10 };
/** Harmless delays as shares of the median wait for a response or a message. */
const HARMLESS_DELAY_SHARE: Limits = { suspect: 0.1, invalid: 1 };
/**
 * A single hiccup decides a short run's p99: one of 20 ms makes it 10 ms in a run of 1 s, and does not show in a run of
 * 10 s. So short runs are forgiven more: this many ms, divided by the seconds of the run.
 */
const HARMLESS_HICCUP: Limits = { suspect: 10, invalid: 30 };

/**
 * The shortest median wait, ms: for a response, for a stream's first message, for its next message, or for an answer on
 * a WebSocket. How long a stream or a WebSocket is held does not count, because it says nothing of how late its
 * messages may be noticed. Nor does a message that comes with the one before it or right behind it, because nobody
 * waits for that.
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

/** Harmless p99 delay of a worker with scheduled sends, ms. */
export function harmlessDelay(run: Case["run"]): Limits {
  const limit = (level: keyof Limits): number =>
    Math.max(
      HARMLESS_DELAY_MS[level],
      HARMLESS_DELAY_SHARE[level] * medianWait(run),
      HARMLESS_HICCUP[level] / run.elapsedS,
    );
  return { suspect: limit("suspect"), invalid: limit("invalid") };
}
