/**
 * The table of all figures: the name, unit and better direction of each, how it is read from a run, how the values of a
 * cell's runs are pooled into one value with an interval, and what thresholds must know about it. CSV, tables,
 * thresholds, claims and capacities read this table.
 */
import { CACHE_STATUSES } from "../../base/http/framing_fields.ts";
import {
  type Distribution as DistributionName,
  type Figure,
  type FigureName,
  type FigureOf,
  MESSAGE_TIMES,
  NAMED_FIGURES,
  type StatisticOf,
} from "../../base/figures/figure.ts";
import type { StatusClass } from "../../runner/result/distribution.ts";
import type { Distribution, Run } from "../../runner/result/result.ts";
import {
  arePaced,
  type MessageTimes,
  type SocketFigures,
  type StreamFigures,
} from "../../runner/result/messages.ts";
import type { PooledFigure } from "../../runner/stats/confidence/pool.ts";
import type { Proportion } from "../../runner/stats/confidence/proportion_interval.ts";
import { countBeyond, decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import { capacityRange, foundCapacity } from "./capacity.ts";
import { flattenedOf } from "./intervals.ts";
import { type Bounded, bounded } from "./lower_bounds.ts";
import { poolLatency } from "./pool.ts";
import {
  eventsPerCpuSecondOf,
  meanCoresOf,
  peakMemoryBytesOf,
  perCpuSecondOf,
} from "./resources.ts";
import { sum } from "../writing/spread.ts";
import { errorsOf, successesOf } from "./errors.ts";
import {
  estimatedRange,
  histogramRange,
  type JudgedCell,
  type JudgedRun,
  type KeptTimes,
  meanRange,
  type Range,
  runsRange,
} from "./range.ts";

/** A value with its bounds, or the reason why there is no value. */
export type FigureOfRun = Bounded | { readonly none: string };

type ReadFrom = (run: JudgedRun) => FigureOfRun;
/** Pools the values of a cell's runs. @param values One for each run that has the figure; at least one. */
type Pool = (values: readonly number[], cell: JudgedCell) => Range & { isAtLeast?: boolean };

export interface FigureReading extends Figure {
  readonly of: ReadFrom;
  /**
   * Pools the figure over the runs of a cell. The result has its own `isAtLeast` only if the single runs don't tell
   * whether lower bounds affect the pooled value.
   */
  readonly pooled: Pool;
  /** Whether this many values suffice for the figure: see `supportsPercentile`. */
  readonly supported: (count: number) => boolean;
  /** For a share, how many requests it counts out of how many; null for other figures. */
  readonly counted: ((run: JudgedRun) => Proportion) | null;
  /**
   * Name of the figure among a cell's bootstrap estimates. Null if it has no estimate, so that its ratios are computed
   * from its mean over runs.
   */
  readonly estimate: PooledFigure | null;
  /**
   * Whether the figure describes a steady state, so that a threshold on it can't pass if no steady state was reached.
   */
  readonly isLasting: boolean;
  /**
   * The kind of figure ("time" or "rate"), if wrong responses make the figure look better than it is, because they may
   * be fast and cheap; null for all other figures.
   */
  readonly flattered: "time" | "rate" | null;
}

/** Distributions of times other than latency, each with the reason why a run may have none. */
const TIMES = {
  service: "no request has a service time",
  firstByte: "no response began",
  connect: "no connection was made",
  session: "the load has no virtual users",
  ttfe: "no response is a stream",
  gap: "no stream brought two messages",
  ttft: "no stream brought a token",
  tpot: "no whole stream brought two tokens",
  message: "no message on a WebSocket was answered",
  "2xx": "no response has a status of 2xx",
  "3xx": "no response has a status of 3xx",
  "4xx": "no response has a status of 4xx",
  "5xx": "no response has a status of 5xx",
} as const;
type TimesName = keyof typeof TIMES;

function isTimes(name: DistributionName | null): name is TimesName {
  return name !== null && name in TIMES;
}

/** Percentiles of per-second values, with their names in results. */
const SECONDS = { 1: "p1", 2.5: "p2_5", 50: "p50", 97.5: "p97_5" } as const;

const NO_MESSAGES = "no response is a stream, and no request is for a WebSocket";
const NOTHING_SENT = { none: "no request was due" };
const NOTHING_COMPLETED = { none: "no request was completed" };
const NO_LATENCY = { none: "no request has a latency" };

/** Shares of requests: how many requests each share counts out of how many, and why it may have no value. */
const SHARES = {
  success: { counted: (run) => successesOf([run]), none: "no request ended" },
  errors: { counted: (run) => errorsOf([run]), none: "no request ended" },
  dropped: {
    counted: ({ requests }) => ({ count: requests.dropped, of: requests.due }),
    ...NOTHING_SENT,
  },
  "2xx": { counted: (run) => ofStatus(run, "2"), ...NOTHING_COMPLETED },
  "3xx": { counted: (run) => ofStatus(run, "3"), ...NOTHING_COMPLETED },
  "4xx": { counted: (run) => ofStatus(run, "4"), ...NOTHING_COMPLETED },
  "5xx": { counted: (run) => ofStatus(run, "5"), ...NOTHING_COMPLETED },
} as const satisfies Partial<
  Record<FigureName, { counted: (run: JudgedRun) => Proportion; none: string }>
>;

function isShare(name: FigureName): name is keyof typeof SHARES {
  return name in SHARES;
}

function shareOf(name: keyof typeof SHARES): ReadFrom {
  const { counted, none } = SHARES[name];
  return (run) => {
    const { count, of } = counted(run);
    return quotient(count, of, none);
  };
}

const READ: Readonly<Record<Exclude<FigureName, keyof typeof SHARES>, ReadFrom>> = {
  rate: ({ requests, rate }) => requests.due === 0 ? NOTHING_SENT : bounded(rate),
  capacity: foundCapacity,
  requests: ({ requests }) => bounded(requests.completed),
  unfinished: ({ requests }) => bounded(requests.unfinished),
  read: ({ bytes }) => bounded(bytes.in),
  elapsed: ({ elapsedS }) => bounded(1_000 * elapsedS),
  bytes: ({ requests, bytes }) => requests.due === 0 ? NOTHING_SENT : bounded(bytes.inPerSecond),
  size: ({ requests, bytes }) => quotient(bytes.in, requests.completed, NOTHING_COMPLETED.none),
  "over.10ms": (run) => slowerThan(10, run),
  "over.100ms": (run) => slowerThan(100, run),
  "over.1s": (run) => slowerThan(1_000, run),
  events: (run) => ofStreams(run, ({ events }) => events),
  eventsPerSec: (run) => ofStreams(run, ({ eventsPerSec }) => eventsPerSec),
  messages: (run) => ofSockets(run, ({ received }) => received),
  messagesPerSec: (run) => ofSockets(run, ({ messagesPerSec }) => messagesPerSec),
  "messages.failed": (run) => ofMessages(run, "failed"),
  "messages.dropped": (run) => ofMessages(run, "dropped"),
  tokens: (run) => ofStreams(run, ({ tokens }) => tokens?.tokens),
  tokensPerSec: (run) => ofStreams(run, ({ tokens }) => tokens?.tokensPerSec),
  startUp: ({ startUp = null }) =>
    startUp === null ? { none: "Plateau did not start the target" } : bounded(startUp),
  cpu: (run) => ofTarget(run, meanCoresOf),
  perCpu: (run) => ofTarget(run, () => perCpuSecondOf(run)),
  eventsPerCpu: (run) =>
    run.streams === undefined && run.sockets === undefined
      ? { none: NO_MESSAGES }
      : ofTarget(run, () => eventsPerCpuSecondOf(run)),
  memory: (run) => ofTarget(run, peakMemoryBytesOf),
  "machine.cpu": ({ generator: { hostActivity: { busy } } }) =>
    busy === null
      ? { none: "the operating system does not report how busy the cores are" }
      : bounded(busy),
  "generator.cpu": ({ generator }) => bounded(generator.cpu),
  hitRatio: ({ cache = {} }) => {
    const [hit, miss, stale] = CACHE_STATUSES.map((use) => cache[use]?.latency.count ?? 0);
    return quotient(hit + stale, hit + miss + stale, "no response has an x-cache header");
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
  ...family(["latency"], (_, statistic) => (run) => latencyOf(run, statistic)),
  ...family(
    Object.keys(TIMES) as TimesName[],
    (name, statistic) => (run) => timeOf(run, name, statistic),
  ),
  ...family(["rate", "bytes"], (of, statistic) => ({ elapsedS, perSecond }) => {
    if (elapsedS < 1) return { none: "no whole second was measured" };
    const spread = perSecond[of === "rate" ? "requests" : "bytes"];
    return bounded(typeof statistic === "string" ? spread[statistic] : spread[SECONDS[statistic]]);
  }),
  // How a percentile develops over a run: its level at the start, its level at the end, and the
  // time from which it stays near its level at the end.
  ...family(["initial", "final", "stable"], (name, percentile) => (run) => {
    const found = flattenedOf(run, `p${percentile}`);
    if (found === null) return NO_LATENCY;
    const { initialMs, finalMs, fromS, isAtLeast } = found;
    if (name === "stable") return bounded(1_000 * fromS, isAtLeast);
    return bounded(name === "initial" ? initialMs : finalMs);
  }),
  ...family(["lag"], (_, statistic) => ({ load, requests, sockets, generator: { lag } }) => {
    if (load.kind === "closed" && !arePaced(sockets)) {
      return { none: "a closed loop has no lag, because it has no schedule" };
    }
    if (requests.due === 0) return NOTHING_SENT;
    return bounded(statistic === "max" ? lag.max : lag[`p${statistic}`]);
  }),
};

/** The readings of all figures that belong to these distributions. */
function family<D extends DistributionName>(
  names: readonly D[],
  read: (name: D, statistic: StatisticOf<D>) => ReadFrom,
): Record<FigureOf<D>, ReadFrom> {
  return Object.fromEntries(
    Object.values(NAMED_FIGURES).flatMap(({ name, distribution, statistic }) => {
      const of = names.find((one) => one === distribution);
      return of === undefined ? [] : [[name, read(of, statistic as StatisticOf<D>)]];
    }),
  ) as Record<FigureOf<D>, ReadFrom>;
}

export const FIGURES = Object.fromEntries(
  Object.values(NAMED_FIGURES).map((figure): [FigureName, FigureReading] => {
    const { name, statistic } = figure;
    return [name, {
      ...figure,
      of: isShare(name) ? shareOf(name) : READ[name],
      pooled: poolOf(figure),
      supported: (count) =>
        typeof statistic === "number" ? supportsPercentile(count, statistic) : count > 0,
      counted: isShare(name) ? SHARES[name].counted : null,
      estimate: estimateOf(figure),
      isLasting: isLasting(figure),
      flattered: flatteredBy(figure),
    }];
  }),
) as Readonly<Record<FigureName, FigureReading>>;

function poolOf(figure: Figure): Pool {
  const { name, distribution, statistic } = figure;
  const estimate = estimateOf(figure);
  if (statistic === "min" || statistic === "max") {
    // The extreme over all runs is a fact about these runs. It does not estimate anything, so it
    // has no interval.
    return (values) => ({ value: Math[statistic](...values), interval: null });
  }
  if (name === "capacity") {
    return (values, cell) => capacityRange(cell.runs, cell.level) ?? meanRange(values, cell);
  }
  if (estimate !== null) return (values, cell) => latencyRange(estimate, values, cell);
  if (distribution === "lag") return runsRange;
  if (!isTimes(distribution) || statistic === null || statistic === "stdev") return meanRange;
  return (values, cell) => {
    const kept = cell.runs.flatMap((run) => timesIn(run, distribution) ?? []);
    return histogramRange(statistic, kept, { values, level: cell.level }) ??
      (statistic === "mean" ? meanRange(values, cell) : runsRange(values, cell));
  };
}

/** Range of a figure that has an estimate: the rate, or a percentile or the mean of latency. */
function latencyRange(
  estimate: PooledFigure,
  values: readonly number[],
  cell: JudgedCell,
): ReturnType<Pool> {
  const drawn = values.length > 1 ? estimatedRange(estimate, cell) : null;
  if (typeof estimate !== "number") return drawn ?? meanRange(values, cell);
  const { isAtLeast } = poolLatency(cell.runs).percentile(estimate);
  return { ...drawn ?? runsRange(values, cell), isAtLeast };
}

function estimateOf({ name, distribution, statistic }: Figure): PooledFigure | null {
  if (name === "rate") return name;
  if (distribution !== "latency") return null;
  return typeof statistic === "number" || statistic === "mean" ? statistic : null;
}

/**
 * Whether a figure describes a steady state. Counts, shares of requests, extremes, start-up, peak memory and the
 * generator's own figures do not.
 */
function isLasting({ name, distribution, statistic }: Figure): boolean {
  if (distribution === null) return ["rate", "bytes", "cpu", "perCpu"].includes(name);
  return ["latency", "service", "firstByte", "rate", "bytes"].includes(distribution) &&
    statistic !== "min" && statistic !== "max";
}

function flatteredBy({ name, distribution, statistic }: Figure): FigureReading["flattered"] {
  if (name === "rate" || name === "perCpu") return "rate";
  const isTime = ["latency", "service", "firstByte", "initial", "final"].includes(
    `${distribution}`,
  );
  return isTime && statistic !== "stdev" ? "time" : null;
}

export type FigureRange = Range & {
  /** Whether the true value may be higher, because lower bounds affect it. */
  readonly isAtLeast: boolean;
  /** The value of each run that has the figure. */
  readonly byRun: readonly number[];
  /** The repetition of each run in `byRun`. */
  readonly repetitions: readonly number[];
};

/** A figure of a cell with its interval over the runs, or why it has no value. */
export function rangeOf(
  figure: FigureName,
  cell: JudgedCell,
): FigureRange | { readonly none: string } {
  const all = cell.runs.map(FIGURES[figure].of);
  const known = all.flatMap((one, i) =>
    "none" in one ? [] : [{ ...one, repetition: cell.runs[i].repetition ?? i + 1 }]
  );
  const [reason] = all.flatMap((one) => "none" in one ? [one.none] : []);
  if (known.length === 0) return { none: reason ?? "there is no run" };
  const byRun = known.map(({ value }) => value);
  const repetitions = known.map(({ repetition }) => repetition);
  const isAtLeast = known.some((one) => one.isAtLeast);
  return { isAtLeast, ...FIGURES[figure].pooled(byRun, cell), byRun, repetitions };
}

/** Like `rangeOf`, but null if there is no value. */
export function figureOf(figure: FigureName, cell: JudgedCell): FigureRange | null {
  const range = rangeOf(figure, cell);
  return "none" in range ? null : range;
}

// How the figures of a single run are read.

function quotient(count: number, of: number, none: string): FigureOfRun {
  return of === 0 ? { none } : bounded(count / of);
}

function latencyOf(run: JudgedRun, statistic: StatisticOf<"latency">): FigureOfRun {
  if (run.latency.count === 0) return NO_LATENCY;
  const pooled = poolLatency([run]);
  switch (statistic) {
    case "min":
      return pooled.fastest === 0 ? NOTHING_COMPLETED : bounded(pooled.fastest);
    case "mean":
    case "stdev":
      return bounded(pooled[statistic], pooled.isAtLeast("mean"));
    case "max":
      // In older results it is unknown which latencies are lower bounds. There, timed-out requests
      // count as such, but requests in flight at the end do not, because they may have just been
      // sent.
      return bounded(pooled.max, pooled.isAtLeast("max") || (run.errors.timeout ?? 0) > 0);
    default:
      return statistic < 50 && pooled.endedCount === 0
        ? { none: "no request ended" }
        : pooled.percentile(statistic);
  }
}

function timeOf(
  run: JudgedRun,
  name: TimesName,
  statistic: StatisticOf<TimesName>,
): FigureOfRun {
  const times = timesIn(run, name)?.times;
  if (times === undefined || times.count === 0) return { none: TIMES[name] };
  const value = typeof statistic === "number"
    ? times.percentiles[`${statistic}`]
    : times[statistic];
  if (name === "service") return bounded(value, isServiceAtLeast(run, statistic));
  const { lowerBounds = [] } = messageTimes(run, name) ?? {};
  return bounded(value, lowerBounds.includes(statistic === "stdev" ? "mean" : String(statistic)));
}

/** Times of messages; null if the run has none of this kind, or if `of` names times of something else. */
export function messageTimes(
  { streams, sockets }: Pick<JudgedRun, "streams" | "sockets">,
  of: TimesName,
): MessageTimes | null {
  if (of === "message") return sockets?.message ?? null;
  if (streams === undefined) return null;
  if (of === "ttfe" || of === "gap") return streams[of];
  return of === "ttft" || of === "tpot" ? streams.tokens?.[of] ?? null : null;
}

function ofStreams(
  { streams }: Pick<JudgedRun, "streams">,
  of: (figures: StreamFigures) => number | undefined,
): FigureOfRun {
  if (streams === undefined) return { none: TIMES.ttfe };
  const value = of(streams);
  return value === undefined ? { none: "no token was named" } : bounded(value);
}

function ofSockets(
  { sockets }: Pick<JudgedRun, "sockets">,
  of: (figures: SocketFigures) => number,
): FigureOfRun {
  return sockets === undefined ? { none: "no request is for a WebSocket" } : bounded(of(sockets));
}

/** Counts the messages of both streams and WebSockets. */
function ofMessages(
  { streams, sockets }: Pick<JudgedRun, "streams" | "sockets">,
  fate: "failed" | "dropped",
): FigureOfRun {
  if (streams === undefined && sockets === undefined) return { none: NO_MESSAGES };
  return bounded((streams?.messages[fate] ?? 0) + (sockets?.messages[fate] ?? 0));
}

function isOfMessages(of: TimesName | StatusClass): of is typeof MESSAGE_TIMES[number] {
  return MESSAGE_TIMES.some((name) => name === of);
}

/**
 * Times of a run, with their histogram if the results have one. Null if the run has no such times, or if they are
 * missing from an older file.
 */
export function timesIn(run: JudgedRun, of: TimesName | StatusClass): KeptTimes | null {
  const { histograms = {}, sessions = null, statusLatency, latency, status } = run;
  if (of === "service" || of === "firstByte" || of === "connect") {
    return { times: run[of], histogram: histograms[of] };
  }
  if (of === "session") {
    return sessions && { times: sessions.length, histogram: histograms.sessionLength };
  }
  if (isOfMessages(of)) {
    const times = messageTimes(run, of);
    return times && { times, histogram: times.histogram };
  }
  const kept = statusLatency?.[of];
  if (kept !== undefined) return { times: kept.latency, histogram: kept.histogram };
  const areAllOk = latency.censored === 0 &&
    Object.keys(status).every((code) => code.startsWith("2"));
  return of === "2xx" && areAllOk ? { times: latency, histogram: run.histogram } : null;
}

/**
 * Whether lower bounds could raise a figure of service time. Older results tell this only for latency, so for them the
 * same figure of latency decides.
 */
function isServiceAtLeast(run: JudgedRun, statistic: StatisticOf<"service">): boolean {
  const { service: { lowerBounds = [] }, latency: { censored }, censoredHistogram } = run;
  const isKnown = censored === 0 || censoredHistogram !== undefined;
  if (isKnown) return lowerBounds.includes(statistic === "stdev" ? "mean" : String(statistic));
  const found = statistic === "min" ? NO_LATENCY : latencyOf(run, statistic);
  return "value" in found && found.isAtLeast;
}

/**
 * The number of requests that took longer than the limit. It is a lower bound if any request was given up before the
 * limit.
 */
function slowerThan(limitMs: number, run: JudgedRun): FigureOfRun {
  const { histogram, latency: { count, censored, max }, censoredHistogram } = run;
  if (count === 0) return NO_LATENCY;
  const slowerIn = (all: string) => countBeyond(decodeSparse(all), max, (ms) => ms > limitMs);
  const isOpen = censored > (censoredHistogram ? slowerIn(censoredHistogram) : 0);
  return bounded(slowerIn(histogram), isOpen);
}

/** Completed requests whose status has this first digit, out of all completed requests. */
function ofStatus({ status, requests: { completed } }: JudgedRun, first: string): Proportion {
  const codes = Object.entries(status).filter(([code]) => code.startsWith(first));
  return { count: sum(codes, ([, count]) => count), of: completed };
}

/** How far the highest value of an instance lies above the mean over all instances, as a share of that mean. */
function imbalanceOf(
  { instances = [] }: JudgedRun,
  of: (latency: Distribution) => number,
): FigureOfRun {
  if (instances.length < 2) {
    return { none: "responses name fewer than two instances in an x-instance header" };
  }
  const values = instances.map(({ latency }) => of(latency));
  const mean = sum(values, (value) => value) / values.length;
  return bounded(mean === 0 ? 0 : Math.max(...values) / mean - 1);
}

function ofTarget(
  { resources = [] }: JudgedRun,
  of: (run: Pick<Run, "resources">) => number | null,
): FigureOfRun {
  if (resources.length === 0) {
    return { none: "CPU and memory are known only of targets that Plateau starts" };
  }
  const value = of({ resources });
  return value === null ? { none: "no CPU time of the target was recorded" } : bounded(value);
}
