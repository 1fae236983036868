/** The figures that thresholds name, of one run: in the unit of the results, or why there is none. */
import type { Distribution, Measurement, Run, Threshold } from "../../runner/result/result.ts";
import { sum } from "../writing/spread.ts";
import { flattenedOf, FLATTENING } from "./intervals.ts";
import { countBeyond, decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { foundCapacity } from "./capacity.ts";
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import { atLeast, type Bounded, exactly } from "./lower_bounds.ts";
import { type PooledLatency, poolLatency } from "./pool.ts";
import { meanCoresOf, peakMemoryBytesOf, perCpuSecondOf } from "./resources.ts";
import { CACHE_STATUSES } from "../../base/http/framing_fields.ts";
import type { Proportion } from "../../runner/stats/confidence/proportion_interval.ts";

export type ThresholdFigure = Threshold["figure"];

/** A run, or a single measurement, which knows nothing of its target's process. */
export type JudgedRun =
  & Measurement
  & Partial<Pick<Run, "startUp" | "resources" | "parts" | "repetition" | "capacity">>;

/** With the most that it can be, whatever lower bounds turn out to be; or why there is none. */
export type FigureOfRun = Bounded | { readonly none: string };

export function figureOfRun(name: ThresholdFigure, run: JudgedRun): FigureOfRun {
  const [, of, time] = TIMES.exec(name) ?? [];
  if (time !== undefined) return timeOf(run, of as DistributionName | undefined, time);
  const [, counted, spread] = SPREADS.exec(name) ?? [];
  if (spread !== undefined) return spreadOf(run, counted === "rate" ? "requests" : "bytes", spread);
  const [, flat, flattened = "p50"] = FLATS.exec(name) ?? [];
  if (flat !== undefined) return flatOf(run, flat, flattened);
  return OTHERS[name as OtherName](run);
}

const TIMES = /^(?:(service|firstByte|connect|session|[2-5]xx)\.)?(min|mean|stdev|max|p[\d.]+)$/;
const SPREADS = /^(rate|bytes)\.(min|mean|stdev|p[\d.]+)$/;
const FLATS = /^(initial|stable|final)(?:\.(p\d+))?$/;
type StatusClass = "2xx" | "3xx" | "4xx" | "5xx";
export type DistributionName = "service" | "firstByte" | "connect" | "session" | StatusClass;
type OtherName = Extract<
  ThresholdFigure,
  | "rate"
  | "capacity"
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
  | "requests"
  | "read"
  | "machine.cpu"
  | `over.${string}`
  | "hitRatio"
  | "redis.hitRatio"
  | "generator.cpu"
  | "imbalance"
  | `imbalance.${string}`
  | `lag.${string}`
>;

const NOTHING_MEASURED: Readonly<Record<DistributionName | "latency", string>> = {
  latency: "no request has a latency",
  service: "no request has a service time",
  firstByte: "no response began",
  connect: "no connection was made",
  session: "the load has no virtual users",
  "2xx": "no response has a status of 2xx",
  "3xx": "no response has a status of 3xx",
  "4xx": "no response has a status of 4xx",
  "5xx": "no response has a status of 5xx",
};

/** Times other than latency, with their histogram where the results keep it. */
interface KeptTimes {
  readonly times: Distribution;
  readonly histogram: string | undefined;
}

/** Null where there are none, or an older file does not say. */
export function timesIn(run: JudgedRun, of: DistributionName): KeptTimes | null {
  switch (of) {
    case "service":
    case "firstByte":
    case "connect":
      return { times: run[of], histogram: run.histograms?.[of] };
    case "session": {
      const length = run.sessions?.length;
      return length === undefined
        ? null
        : { times: length, histogram: run.histograms?.sessionLength };
    }
    default: {
      const kept = run.statusLatency?.[of];
      if (kept !== undefined) return { times: kept.latency, histogram: kept.histogram };
      return of === "2xx" && isAllOk(run) ? { times: run.latency, histogram: run.histogram } : null;
    }
  }
}

/** Whether every latency is that of a response with a status of 2xx. */
function isAllOk({ latency, status }: JudgedRun): boolean {
  return latency.censored === 0 && Object.keys(status).every((code) => code.startsWith("2"));
}

function timeOf(run: JudgedRun, of: DistributionName | undefined, time: string): FigureOfRun {
  const times = of === undefined ? run.latency : timesIn(run, of)?.times;
  if (times === undefined || times.count === 0) return { none: NOTHING_MEASURED[of ?? "latency"] };
  if (of === undefined) return latencyOf(run, time);
  const value = timeOfDistribution(times, time);
  return of === "service" && isServiceAtLeast(run, time) ? atLeast(value) : exactly(value);
}

function latencyOf(run: JudgedRun, time: string): FigureOfRun {
  const pooled = poolLatency([run]);
  switch (time) {
    case "min":
      return pooled.fastest === 0 ? NOTHING_COMPLETED : exactly(pooled.fastest);
    case "mean":
    case "stdev":
      return pooled.isAtLeast("mean") ? atLeast(pooled[time]) : exactly(pooled[time]);
    case "max":
      return isMaxAtLeast(run, pooled) ? atLeast(pooled.max) : exactly(pooled.max);
    default:
      return percentileOf(pooled, Number(time.slice(1)));
  }
}

function percentileOf(pooled: PooledLatency, percentile: number): FigureOfRun {
  const found = pooled.percentile(percentile);
  return percentile < 50 && pooled.endedCount === 0 ? { none: "no request ended" } : found;
}

/** Where is not known which values are bounds: what timed out is one; what was under way may have been sent a moment before. */
function isMaxAtLeast({ errors }: JudgedRun, pooled: PooledLatency): boolean {
  return pooled.isAtLeast("max") || (errors.timeout ?? 0) > 0;
}

function timeOfDistribution(times: Distribution, time: string): number {
  if (time === "min" || time === "mean" || time === "stdev" || time === "max") return times[time];
  return times.percentiles[time.slice(1) as keyof Distribution["percentiles"]];
}

/** Of service times the results keep no histogram, but which figures lower bounds could make larger. */
function isServiceAtLeast(run: JudgedRun, time: string): boolean {
  const { service: { lowerBounds = [] }, latency: { censored }, censoredHistogram } = run;
  const isKnown = censored === 0 || censoredHistogram !== undefined;
  if (isKnown) return lowerBounds.includes(time === "stdev" ? "mean" : time.replace(/^p/, ""));
  const found = time === "min" ? null : latencyOf(run, time);
  return found !== null && "value" in found && found.isAtLeast;
}

/** Of the whole seconds of a run. */
function spreadOf(run: JudgedRun, of: keyof JudgedRun["perSecond"], spread: string): FigureOfRun {
  if (run.elapsedS < 1) return { none: "no whole second was measured" };
  const key = spread.replace(".", "_") as keyof JudgedRun["perSecond"]["requests"];
  return exactly(run.perSecond[of][key]);
}

/** Of a percentile's intervals: where they begin, until when they change, and where they end. */
function flatOf(run: JudgedRun, of: string, percentile: string): FigureOfRun {
  const [found] = FLATTENING.flatMap((p) => p === percentile ? flattenedOf(run, p) ?? [] : []);
  if (found === undefined) return { none: NOTHING_MEASURED.latency };
  if (of !== "stable") return exactly(of === "final" ? found.finalMs : found.initialMs);
  return (found.isAtLeast ? atLeast : exactly)(found.fromS * 1_000);
}

const OTHERS: Readonly<Record<OtherName, (run: JudgedRun) => FigureOfRun>> = {
  capacity: foundCapacity,
  rate: ({ requests, rate }) => requests.due === 0 ? NOTHING_SENT : exactly(rate),
  success: (run) => {
    const { count, of } = successesOf([run]);
    return shareOf(of === 0 ? null : count / of);
  },
  errors: (run) => shareOf(errorRatioOf([run])),
  dropped: ({ requests }) => quotient(requests.dropped, requests.due, NOTHING_SENT.none),
  "2xx": (run) => statusOf(run, "2"),
  "3xx": (run) => statusOf(run, "3"),
  "4xx": (run) => statusOf(run, "4"),
  "5xx": (run) => statusOf(run, "5"),
  requests: ({ requests: { completed } }) => exactly(completed),
  read: ({ bytes }) => exactly(bytes.in),
  "machine.cpu": ({ generator: { hostActivity: { busy } } }) =>
    busy === null ? { none: "the system does not report how busy its cores are" } : exactly(busy),
  "over.10ms": (run) => slowerThan(10, run),
  "over.100ms": (run) => slowerThan(100, run),
  "over.1s": (run) => slowerThan(1_000, run),
  startUp: ({ startUp }) =>
    startUp === null || startUp === undefined
      ? { none: "the target was not started here" }
      : exactly(startUp),
  cpu: (run) => ofTarget(run, meanCoresOf),
  perCpu: (run) => ofTarget(run, () => perCpuSecondOf(run)),
  memory: (run) => ofTarget(run, peakMemoryBytesOf),
  bytes: ({ requests, bytes }) => requests.due === 0 ? NOTHING_SENT : exactly(bytes.inPerSecond),
  size: ({ requests, bytes }) => quotient(bytes.in, requests.completed, NOTHING_COMPLETED.none),
  hitRatio: ({ cache = {} }) => {
    const [hit, miss, stale] = CACHE_STATUSES.map((use) => cache[use]?.latency.count ?? 0);
    return quotient(hit + stale, hit + miss + stale, "no response has a header x-cache");
  },
  "redis.hitRatio": ({ parts = [] }) => {
    const { hits = 0, misses = 0 } =
      parts.find(({ keyspace }) => keyspace !== undefined)?.keyspace ?? {};
    return quotient(hits, hits + misses, "nothing was looked up in Redis");
  },
  imbalance: (run) => imbalanceOf(run, ({ count }) => count),
  "imbalance.mean": (run) => imbalanceOf(run, ({ mean }) => mean),
  "imbalance.p50": (run) => imbalanceOf(run, ({ percentiles }) => percentiles["50"]),
  "imbalance.p99": (run) => imbalanceOf(run, ({ percentiles }) => percentiles["99"]),
  "generator.cpu": ({ generator }) => exactly(generator.cpu),
  "lag.p50": (run) => lagOf(run, "p50"),
  "lag.p99": (run) => lagOf(run, "p99"),
  "lag.max": (run) => lagOf(run, "max"),
};

const NOTHING_SENT = { none: "no request was due" };
const NOTHING_COMPLETED = { none: "no request was completed" };

/** Requests of the run that took longer; those that were given up sooner may have. */
function slowerThan(limitMs: number, run: JudgedRun): FigureOfRun {
  const { histogram, latency: { count, censored, max }, censoredHistogram } = run;
  if (count === 0) return { none: NOTHING_MEASURED.latency };
  const slowerIn = (all: string) => countBeyond(decodeSparse(all), max, (ms) => ms > limitMs);
  const isOpen = censored > (censoredHistogram ? slowerIn(censoredHistogram) : 0);
  return (isOpen ? atLeast : exactly)(slowerIn(histogram));
}

function quotient(count: number, of: number, none: string): FigureOfRun {
  return of === 0 ? { none } : exactly(count / of);
}

function shareOf(share: number | null): FigureOfRun {
  return share === null ? { none: "no request ended" } : exactly(share);
}

/** Responses of one class of status, as a share of those that were completed. */
function statusOf({ status, requests: { completed } }: JudgedRun, first: string): FigureOfRun {
  if (completed === 0) return NOTHING_COMPLETED;
  const codes = Object.entries(status).filter(([code]) => code.startsWith(first));
  return exactly(sum(codes, ([, count]) => count) / completed);
}

/** By how much the highest of the instances exceeds their mean, as a share of that. */
function imbalanceOf(
  { instances = [] }: JudgedRun,
  of: (latency: Distribution) => number,
): FigureOfRun {
  if (instances.length < 2) return { none: "no two instances are known by a header x-instance" };
  const values = instances.map(({ latency }) => of(latency));
  const mean = sum(values, (value) => value) / values.length;
  return exactly(mean === 0 ? 0 : Math.max(...values) / mean - 1);
}

function ofTarget(
  { resources = [] }: JudgedRun,
  of: (run: Pick<Run, "resources">) => number | null,
): FigureOfRun {
  if (resources.length === 0) {
    return { none: "CPU and memory are those of targets that Plateau starts" };
  }
  const value = of({ resources });
  return value === null ? { none: "the target used no CPU time that was seen" } : exactly(value);
}

function lagOf({ load, requests, generator }: JudgedRun, of: "p50" | "p99" | "max"): FigureOfRun {
  if (load.kind === "closed") return { none: "a closed loop sends when it can and has no lag" };
  return requests.due === 0 ? NOTHING_SENT : exactly(generator.lag[of]);
}

// How many requests succeeded, and how many did not: the one place that decides it for every table, threshold, claim and comparison. A request that was due and never sent is an error; one still under way at the end is neither.

export type EndedRequests = Pick<Measurement, "requests" | "checks" | "status">;

/** Requests that failed, were never sent, or got a wrong response, of all that ended or were never sent. */
export function errorsOf(runs: readonly EndedRequests[]): Proportion {
  return {
    count: sum(runs, (run) => run.requests.failed + run.requests.dropped + wrongResponsesOf(run)),
    of: sum(runs, ({ requests: { completed, failed, dropped } }) => completed + failed + dropped),
  };
}

/** The others of them. */
export function successesOf(runs: readonly EndedRequests[]): Proportion {
  const { count, of } = errorsOf(runs);
  return { count: of - count, of };
}

/** Null where no request ended. */
export function errorRatioOf(runs: readonly EndedRequests[]): number | null {
  const { count, of } = errorsOf(runs);
  return of === 0 ? null : count / of;
}
