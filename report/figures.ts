/** The figures that thresholds name, of one run: in the unit of the results, or why there is none. */
import type { Distribution, Measurement, Run, Threshold } from "../runner/result.ts";
import { decodeSparse } from "../runner/stats/hdr.ts";
import { valueAtPercentile } from "../runner/stats/histogram.ts";
import { PERCENTILES } from "../runner/stats/percentiles.ts";
import { endedLatency } from "./ended.ts";
import { isLowerBound } from "./pool.ts";
import { flattenedOf, FLATTENING } from "./flattening.ts";
import { meanCoresOf, peakMemoryBytesOf, perCpuSecondOf } from "./resources.ts";
import { sum } from "./spread.ts";

export type FigureName = Threshold["figure"];

/** A run, or a single measurement, which knows nothing of its target's process. */
export type Judged = Measurement & Partial<Pick<Run, "startUp" | "resources" | "repetition">>;

export type FigureOfRun =
  | {
    readonly value: number;
    /** True: the value that waiting longer would have shown may be any larger. */
    readonly isAtLeast: boolean;
  }
  | { readonly none: string };

export function figureOfRun(name: FigureName, run: Judged): FigureOfRun {
  const [, of, time] = TIMES.exec(name) ?? [];
  if (time !== undefined) return timeOf(run, of as DistributionName | undefined, time);
  const [, counted, spread] = SPREADS.exec(name) ?? [];
  if (spread !== undefined) return spreadOf(run, counted === "rate" ? "requests" : "bytes", spread);
  const [, flat, flattened = "p50"] = FLATS.exec(name) ?? [];
  if (flat !== undefined) return flatOf(run, flat, flattened);
  return OTHERS[name as OtherName](run);
}

const TIMES = /^(?:(service|firstByte|connect)\.)?(min|mean|stdev|max|p[\d.]+)$/;
const SPREADS = /^(rate|bytes)\.(min|mean|stdev|p[\d.]+)$/;
const FLATS = /^(stable|final)(?:\.(p\d+))?$/;
type DistributionName = "service" | "firstByte" | "connect";
type StatusClass = "2xx" | "3xx" | "4xx" | "5xx";
type OtherName = Extract<
  FigureName,
  | "rate"
  | "success"
  | "errors"
  | "dropped"
  | StatusClass
  | "startUp"
  | "cpu"
  | "perCpu"
  | "memory"
  | "bytes"
  | "size"
  | "generator.cpu"
  | `lag.${string}`
>;

const NOTHING_MEASURED: Readonly<Record<DistributionName | "latency", string>> = {
  latency: "no request has a latency",
  service: "no request has a service time",
  firstByte: "no answer began",
  connect: "no connection was made",
};

function timeOf(run: Judged, of: DistributionName | undefined, time: string): FigureOfRun {
  const times: Distribution = of ? run[of] : run.latency;
  if (times.count === 0) return { none: NOTHING_MEASURED[of ?? "latency"] };
  const holdsBounds = of === undefined || of === "service";
  if (time === "mean" || time === "stdev") return exact(times[time]);
  if (time === "min") return of ? exact(times.min) : fastestOf(run);
  // What was under way at the end may have been sent a moment before; what timed out did take that long.
  const timedOut = (run.errors.timeout ?? 0) > 0;
  if (time === "max") return { value: times.max, isAtLeast: holdsBounds && timedOut };
  const percentile = Number(time.slice(1));
  if (percentile < 50) return lowOf(run, percentile);
  const { count } = times;
  return {
    value: valueOf(times, percentile, run),
    isAtLeast: holdsBounds && isLowerBound({ count, censored: run.latency.censored }, percentile),
  };
}

function fastestOf({ latency: { fastest } }: Judged): FigureOfRun {
  return fastest === 0 ? NOTHING_COMPLETED : exact(fastest);
}

/** What the results have not is in their histogram. */
function valueOf({ percentiles, max }: Distribution, percentile: number, run: Judged): number {
  const kept = PERCENTILES.find((one) => one === percentile);
  if (kept !== undefined) return percentiles[`${kept}`];
  return Math.min(valueAtPercentile(decodeSparse(run.histogram), percentile) / 1_000, max);
}

function lowOf(run: Judged, percentile: number): FigureOfRun {
  const ended = endedLatency(decodeSparse(run.histogram), run.latency.fastest);
  if (ended.count === 0) return { none: "no request ended" };
  return exact(valueAtPercentile(ended, percentile) / 1_000);
}

/** Of the whole seconds of a run. */
function spreadOf(run: Judged, of: keyof Judged["perSecond"], spread: string): FigureOfRun {
  if (run.elapsed < 1) return { none: "no whole second was measured" };
  const key = spread.replace(".", "_") as keyof Judged["perSecond"]["requests"];
  return exact(run.perSecond[of][key]);
}

/** Of a percentile's intervals: until when they change, and where they end. */
function flatOf(run: Judged, of: string, percentile: string): FigureOfRun {
  const name = FLATTENING.find((one) => one === percentile);
  const found = name === undefined ? null : flattenedOf(run, name);
  if (found === null) return { none: NOTHING_MEASURED.latency };
  return exact(of === "final" ? found.finalMs : found.fromS * 1_000);
}

const OTHERS: Readonly<Record<OtherName, (run: Judged) => FigureOfRun>> = {
  rate: ({ requests, rate }) => requests.due === 0 ? NOTHING_SENT : exact(rate),
  success: (run) => shareOf(1 - wrongRatioOf(run)),
  errors: (run) => shareOf(wrongRatioOf(run)),
  dropped: ({ requests }) =>
    requests.due === 0 ? NOTHING_SENT : exact(requests.dropped / requests.due),
  "2xx": (run) => statusOf(run, "2"),
  "3xx": (run) => statusOf(run, "3"),
  "4xx": (run) => statusOf(run, "4"),
  "5xx": (run) => statusOf(run, "5"),
  startUp: ({ startUp }) =>
    startUp === null || startUp === undefined
      ? { none: "the target was not started here" }
      : exact(startUp),
  cpu: (run) => ofTarget(run, meanCoresOf),
  perCpu: (run) => ofTarget(run, (used) => perCpuSecondOf(used, run)),
  memory: (run) => ofTarget(run, peakMemoryBytesOf),
  bytes: ({ requests, bytes }) => requests.due === 0 ? NOTHING_SENT : exact(bytes.inPerSecond),
  size: ({ requests: { completed }, bytes }) =>
    completed === 0 ? NOTHING_COMPLETED : exact(bytes.in / completed),
  "generator.cpu": ({ generator }) => exact(generator.cpu),
  "lag.p50": (run) => lagOf(run, "p50"),
  "lag.p99": (run) => lagOf(run, "p99"),
  "lag.max": (run) => lagOf(run, "max"),
};

const NOTHING_SENT: FigureOfRun = { none: "no request was due" };
const NOTHING_COMPLETED: FigureOfRun = { none: "no request was completed" };

function exact(value: number): FigureOfRun {
  return { value, isAtLeast: false };
}

/**
 * Failed, never sent, or answered wrong, as a share of all that were due but those under way at the end.
 * Where nothing was expected of the answers, those outside 2xx and 3xx are wrong.
 */
function wrongRatioOf({ requests, checks, status }: Judged): number {
  const { completed, failed, dropped } = requests;
  const unexpected = Object.entries(status)
    .reduce((sum, [code, count]) => /^[23]/.test(code) ? sum : sum + count, 0);
  const wrong = checks.passed + checks.failed > 0 ? checks.failed : unexpected;
  return (failed + dropped + wrong) / (completed + failed + dropped); // NaN when none ended
}

function shareOf(share: number): FigureOfRun {
  return Number.isNaN(share) ? { none: "no request ended" } : exact(share);
}

/** Answers of one class of status, as a share of those that were completed. */
function statusOf({ status, requests: { completed } }: Judged, first: string): FigureOfRun {
  if (completed === 0) return NOTHING_COMPLETED;
  const codes = Object.entries(status).filter(([code]) => code.startsWith(first));
  return exact(sum(codes, ([, count]) => count) / completed);
}

function ofTarget(
  { resources = [] }: Judged,
  of: (run: Pick<Run, "resources">) => number | null,
): FigureOfRun {
  if (resources.length === 0) {
    return { none: "CPU and memory are those of targets that Plateau starts" };
  }
  const value = of({ resources });
  return value === null ? { none: "the target used no CPU time that was seen" } : exact(value);
}

function lagOf({ load, requests, generator }: Judged, of: "p50" | "p99" | "max"): FigureOfRun {
  if (load.kind === "closed") return { none: "a closed loop sends when it can and has no lag" };
  return requests.due === 0 ? NOTHING_SENT : exact(generator.lag[of]);
}
