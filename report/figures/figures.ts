/**
 * The figures: each once, with its name, unit and better direction, how it is read from a run, how the runs of a cell
 * pool into one value with its interval, and what else rules want to know of it. CSV, tables, thresholds, claims and
 * the capacity of a cell read this table.
 */
import { CACHE_STATUSES } from "../../base/http/framing_fields.ts";
import {
  type Distribution as DistributionName,
  type Figure,
  FIGURE_NAMES,
  type FigureName,
  type FigureOf,
  NAMED_FIGURES,
  type StatisticOf,
} from "../../base/figures/figure.ts";
import type { Distribution, Measurement, Run } from "../../runner/result/result.ts";
import { ratioInterval, type Variance } from "../../runner/stats/confidence/confidence_interval.ts";
import type { PooledFigure } from "../../runner/stats/confidence/pool.ts";
import type { Proportion } from "../../runner/stats/confidence/proportion_interval.ts";
import { countBeyond, decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { supportsPercentile } from "../../runner/stats/quantile.ts";
import { capacityRange, foundCapacity } from "../cells/capacity.ts";
import { flattenedOf } from "../cells/intervals.ts";
import { atLeast, type Bounded, exactly } from "../cells/lower_bounds.ts";
import { percentileBounds, poolLatency } from "../cells/pool.ts";
import { meanCoresOf, peakMemoryBytesOf, perCpuSecondOf } from "../cells/resources.ts";
import { sum } from "../writing/spread.ts";
import { errorsOf, successesOf } from "./errors.ts";
import {
  estimatedRange,
  extremeRange,
  histogramRange,
  type JudgedCell,
  type JudgedRun,
  meanRange,
  quotientOf,
  type Range,
  runsRange,
} from "./range.ts";

/** With the most that it can be, whatever lower bounds turn out to be; or why there is none. */
export type FigureOfRun = Bounded | { readonly none: string };

/** Of the runs of a cell; `isAtLeast` where the value that waiting longer would have shown may be any larger. */
type PooledRange = Range & { readonly isAtLeast?: boolean };

export interface FigureReading extends Figure {
  readonly of: (run: JudgedRun) => FigureOfRun;
  /** @param values Of each run that has the figure; at least one. */
  readonly pooled: (values: readonly number[], cell: JudgedCell) => PooledRange;
  /** What the estimates of a cell call it; absent: its ratios are drawn from the mean of the runs. */
  readonly estimate?: PooledFigure;
  /** The requests that a share of requests counts. */
  readonly counted?: (run: JudgedRun) => Proportion;
  /** Whether it is of a steady state: no gate opens by it where there is none. */
  readonly isLasting?: boolean;
  /** What wrong responses make look better than it is: they may be fast, and cost the target little. */
  readonly flattered?: "time" | "rate";
  /** Whether so many values say anything about it: see `supportsPercentile`. */
  readonly supported: (count: number) => boolean;
}

type Reading = Omit<FigureReading, keyof Figure | "supported">;

const NOTHING_SENT = { none: "no request was due" };
const NOTHING_COMPLETED = { none: "no request was completed" };
const NOTHING_ENDED = { none: "no request ended" };

const meanOfRuns: Reading["pooled"] = (values, { level }) => meanRange(values, level);

const READINGS: Readonly<Record<FigureName, Reading>> = {
  rate: {
    of: ({ requests, rate }) => requests.due === 0 ? NOTHING_SENT : exactly(rate),
    pooled: drawn("rate", meanOfRuns),
    estimate: "rate",
    isLasting: true,
    flattered: "rate",
  },
  capacity: {
    of: foundCapacity,
    pooled: (values, cell) => capacityRange(cell.runs, cell.level) ?? meanOfRuns(values, cell),
  },
  success: share((run) => successesOf([run]), NOTHING_ENDED.none),
  errors: share((run) => errorsOf([run]), NOTHING_ENDED.none),
  dropped: share(
    ({ requests }) => ({ count: requests.dropped, of: requests.due }),
    NOTHING_SENT.none,
  ),
  "2xx": shareOfStatus("2"),
  "3xx": shareOfStatus("3"),
  "4xx": shareOfStatus("4"),
  "5xx": shareOfStatus("5"),
  requests: mean(({ requests }) => exactly(requests.completed)),
  read: mean(({ bytes }) => exactly(bytes.in)),
  bytes: {
    ...mean(({ requests, bytes }) =>
      requests.due === 0 ? NOTHING_SENT : exactly(bytes.inPerSecond)
    ),
    isLasting: true,
  },
  size: mean(({ requests, bytes }) =>
    quotient(bytes.in, requests.completed, NOTHING_COMPLETED.none)
  ),
  "over.10ms": mean((run) => slowerThan(10, run)),
  "over.100ms": mean((run) => slowerThan(100, run)),
  "over.1s": mean((run) => slowerThan(1_000, run)),
  startUp: mean(({ startUp = null }) =>
    startUp === null ? { none: "the target was not started here" } : exactly(startUp)
  ),
  cpu: { ...mean((run) => ofTarget(run, meanCoresOf)), isLasting: true },
  perCpu: {
    ...mean((run) => ofTarget(run, () => perCpuSecondOf(run))),
    isLasting: true,
    flattered: "rate",
  },
  memory: mean((run) => ofTarget(run, peakMemoryBytesOf)),
  "machine.cpu": mean(({ generator: { hostActivity: { busy } } }) =>
    busy === null ? { none: "the system does not report how busy its cores are" } : exactly(busy)
  ),
  "generator.cpu": mean(({ generator }) => exactly(generator.cpu)),
  hitRatio: mean(({ cache = {} }) => {
    const [hit, miss, stale] = CACHE_STATUSES.map((use) => cache[use]?.latency.count ?? 0);
    return quotient(hit + stale, hit + miss + stale, "no response has a header x-cache");
  }),
  "redis.hitRatio": mean(({ parts = [] }) => {
    const { hits = 0, misses = 0 } = parts.find(({ keyspace }) =>
      keyspace !== undefined
    )?.keyspace ?? {};
    return quotient(hits, hits + misses, "nothing was looked up in Redis");
  }),
  imbalance: mean((run) => imbalanceOf(run, ({ count }) => count)),
  "imbalance.mean": mean((run) => imbalanceOf(run, ({ mean }) => mean)),
  "imbalance.p50": mean((run) => imbalanceOf(run, ({ percentiles }) => percentiles["50"])),
  "imbalance.p99": mean((run) => imbalanceOf(run, ({ percentiles }) => percentiles["99"])),
  ...family("latency", latencyReading),
  ...family("service", (statistic) => timesReading("service", statistic)),
  ...family("firstByte", (statistic) => timesReading("firstByte", statistic)),
  ...family("connect", (statistic) => timesReading("connect", statistic)),
  ...family("session", (statistic) => timesReading("session", statistic)),
  ...family("2xx", (statistic) => timesReading("2xx", statistic)),
  ...family("3xx", (statistic) => timesReading("3xx", statistic)),
  ...family("4xx", (statistic) => timesReading("4xx", statistic)),
  ...family("5xx", (statistic) => timesReading("5xx", statistic)),
  ...family("rate", (statistic) => secondsReading("requests", statistic)),
  ...family("bytes", (statistic) => secondsReading("bytes", statistic)),
  ...family("initial", (p) => ({
    ...mean((run) => flatOf(run, p, ({ initialMs }) => exactly(initialMs))),
    flattered: "time",
  })),
  ...family("final", (p) => ({
    ...mean((run) => flatOf(run, p, ({ finalMs }) => exactly(finalMs))),
    flattered: "time",
  })),
  ...family(
    "stable",
    (p) =>
      mean((run) =>
        flatOf(run, p, ({ fromS, isAtLeast }) => (isAtLeast ? atLeast : exactly)(1_000 * fromS))
      ),
  ),
  ...family("lag", (statistic) => ({
    of: ({ load, requests, generator: { lag } }) =>
      load.kind === "closed"
        ? { none: "a closed loop sends when it can and has no lag" }
        : requests.due === 0
        ? NOTHING_SENT
        : exactly(statistic === "max" ? lag.max : lag[`p${statistic}`]),
    pooled: statistic === "max" ? (values) => extremeRange("max", values) : runsRange,
  })),
};

export const FIGURES = Object.fromEntries(FIGURE_NAMES.map((name): [string, FigureReading] => {
  const { statistic } = NAMED_FIGURES[name];
  const supported = (count: number): boolean =>
    typeof statistic === "number" ? supportsPercentile(count, statistic) : count > 0;
  return [name, { ...NAMED_FIGURES[name], ...READINGS[name], supported }];
})) as Readonly<Record<FigureName, FigureReading>>;

export type FigureRange = Range & {
  /** True: the value that waiting longer would have shown may be any larger. */
  readonly isAtLeast: boolean;
  /** Of each run that has the figure. */
  readonly byRun: readonly number[];
};

/** A figure of a cell with its interval over the runs, or why it has none. */
export function rangeOf(
  figure: FigureName,
  cell: JudgedCell,
): FigureRange | { readonly none: string } {
  const all = cell.runs.map(FIGURES[figure].of);
  const known = all.flatMap((one) => "none" in one ? [] : [one]);
  const [reason] = all.flatMap((one) => "none" in one ? [one.none] : []);
  if (known.length === 0) return { none: reason ?? "there is no run" };
  const byRun = known.map(({ value }) => value);
  const isAtLeast = known.some((one) => one.isAtLeast);
  return { isAtLeast, ...FIGURES[figure].pooled(byRun, cell), byRun };
}

/**
 * The figure over the baseline's; null when either is 0.
 *
 * @param between What else the two differ by, besides what their runs show.
 */
export function ratioRangeOf(
  figure: FigureName,
  cell: JudgedCell,
  baseline: JudgedCell,
  between: readonly Variance[] = [],
): Range | null {
  const [of, to] = [rangeOf(figure, cell), rangeOf(figure, baseline)];
  if ("none" in of || "none" in to || of.value <= 0 || to.value <= 0) return null;
  const { estimate } = FIGURES[figure];
  const [ofDrawn, toDrawn] = [cell, baseline].map(({ estimates }) =>
    estimate === undefined ? null : estimates.get(estimate)
  );
  const drawn = ofDrawn && toDrawn &&
    ratioInterval(ofDrawn, toDrawn, { confidence: cell.level, between });
  return drawn ? { value: drawn.value, interval: drawn } : quotientOf(of, to);
}

function family<D extends DistributionName>(
  of: D,
  read: (statistic: StatisticOf<D>) => Reading,
): Record<FigureOf<D>, Reading> {
  const figures = Object.values(NAMED_FIGURES).filter(({ distribution }) => distribution === of);
  return Object.fromEntries(
    figures.map(({ name, statistic }) => [name, read(statistic as StatisticOf<D>)]),
  ) as Record<FigureOf<D>, Reading>;
}

/** A figure of which a cell has the mean over its runs. */
function mean(of: Reading["of"]): Reading {
  return { of, pooled: meanOfRuns };
}

/** As drawn of all runs together, where it is; `otherwise` else. */
function drawn(figure: PooledFigure, otherwise: Reading["pooled"]): Reading["pooled"] {
  return (values, cell) =>
    values.length > 1 && estimatedRange(figure, cell) || otherwise(values, cell);
}

/** A share of requests. @param none Why there is none without such requests. */
function share(counted: (run: JudgedRun) => Proportion, none: string): Reading {
  return {
    ...mean((run) => {
      const { count, of } = counted(run);
      return quotient(count, of, none);
    }),
    counted,
  };
}

/** Responses of one class of status, of those that were completed. */
function shareOfStatus(first: string): Reading {
  return share(({ status, requests }) => {
    const codes = Object.entries(status).filter(([code]) => code.startsWith(first));
    return { count: sum(codes, ([, count]) => count), of: requests.completed };
  }, NOTHING_COMPLETED.none);
}

type Times = FigureDistributions["service"];
type FigureDistributions = { [D in DistributionName]: StatisticOf<D> };

function latencyReading(statistic: FigureDistributions["latency"]): Reading {
  const of = (run: JudgedRun): FigureOfRun => latencyOf(run, statistic);
  if (statistic === "min") {
    return { of, pooled: (values) => extremeRange("min", values), flattered: "time" };
  }
  if (statistic === "max") {
    return { of, pooled: (values) => extremeRange("max", values), flattered: "time" };
  }
  if (statistic === "stdev") return { ...mean(of), isLasting: true };
  const common = { of, estimate: statistic, isLasting: true, flattered: "time" } as const;
  if (statistic === "mean") {
    return {
      ...common,
      pooled: drawn("mean", meanOfRuns),
    };
  }
  return {
    ...common,
    // Of all runs together, and so are its lower bounds.
    pooled: (values, cell) => ({
      ...drawn(statistic, runsRange)(values, cell),
      isAtLeast: percentileBounds(cell.runs, statistic).isAtLeast,
    }),
  };
}

function latencyOf(run: JudgedRun, statistic: FigureDistributions["latency"]): FigureOfRun {
  if (run.latency.count === 0) return { none: NOTHING_MEASURED.latency };
  const pooled = poolLatency([run]);
  switch (statistic) {
    case "min":
      return pooled.fastest === 0 ? NOTHING_COMPLETED : exactly(pooled.fastest);
    case "mean":
    case "stdev":
      return (pooled.isAtLeast("mean") ? atLeast : exactly)(pooled[statistic]);
    case "max": {
      // Where is not known which values are bounds: what timed out is one; what was under way may have been sent a moment before.
      const isAtLeast = pooled.isAtLeast("max") || (run.errors.timeout ?? 0) > 0;
      return (isAtLeast ? atLeast : exactly)(pooled.max);
    }
    default:
      return statistic < 50 && pooled.endedCount === 0
        ? NOTHING_ENDED
        : pooled.percentile(statistic);
  }
}

/** Distributions of times other than latency. */
export type TimesName = "service" | "firstByte" | "connect" | "session" | StatusClass;
type StatusClass = "2xx" | "3xx" | "4xx" | "5xx";

const NOTHING_MEASURED: Readonly<Record<TimesName | "latency", string>> = {
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

function timesReading(name: TimesName, statistic: Times): Reading {
  const isOfRequests = name === "service" || name === "firstByte";
  return {
    of: (run) => {
      const times = timesIn(run, name)?.times;
      if (times === undefined || times.count === 0) return { none: NOTHING_MEASURED[name] };
      const value = typeof statistic === "number"
        ? times.percentiles[`${statistic}`]
        : times[statistic];
      return (name === "service" && isServiceAtLeast(run, statistic) ? atLeast : exactly)(value);
    },
    pooled: statistic === "min" || statistic === "max"
      ? (values) => extremeRange(statistic, values)
      : statistic === "stdev"
      ? meanOfRuns
      : (values, cell) =>
        histogramRange(
          statistic,
          cell.runs.flatMap((run) => timesIn(run, name) ?? []),
          { values, level: cell.level },
        ) ?? (statistic === "mean" ? meanOfRuns(values, cell) : runsRange(values)),
    isLasting: isOfRequests && statistic !== "min" && statistic !== "max",
    ...isOfRequests && statistic !== "stdev" && { flattered: "time" },
  };
}

/** Times other than latency, with their histogram where the results keep it. */
interface KeptTimes {
  readonly times: Distribution;
  readonly histogram: string | undefined;
}

/** Null where there are none, or an older file does not say. */
export function timesIn(run: JudgedRun, of: TimesName): KeptTimes | null {
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

/** Of service times the results keep which figures lower bounds could make larger, or nothing but those of latency. */
function isServiceAtLeast(run: JudgedRun, statistic: Times): boolean {
  const { service: { lowerBounds = [] }, latency: { censored }, censoredHistogram } = run;
  const isKnown = censored === 0 || censoredHistogram !== undefined;
  if (isKnown) return lowerBounds.includes(statistic === "stdev" ? "mean" : String(statistic));
  const found = statistic === "min" ? null : latencyOf(run, statistic);
  return found !== null && "value" in found && found.isAtLeast;
}

/** Of the whole seconds of a run. */
function secondsReading(
  of: keyof Measurement["perSecond"],
  statistic: FigureDistributions["rate"],
): Reading {
  const key = statistic === 2.5
    ? "p2_5"
    : statistic === 97.5
    ? "p97_5"
    : typeof statistic === "number"
    ? `p${statistic}` as const
    : statistic;
  return {
    of: ({ elapsedS, perSecond }) =>
      elapsedS < 1 ? { none: "no whole second was measured" } : exactly(perSecond[of][key]),
    pooled: statistic === "min" ? (values) => extremeRange("min", values) : meanOfRuns,
    isLasting: statistic !== "min",
  };
}

/** Of a percentile's intervals: where they begin, until when they change, and where they end. */
function flatOf(
  run: JudgedRun,
  percentile: FigureDistributions["stable"],
  of: (found: NonNullable<ReturnType<typeof flattenedOf>>) => Bounded,
): FigureOfRun {
  const found = flattenedOf(run, `p${percentile}`);
  return found === null ? { none: NOTHING_MEASURED.latency } : of(found);
}

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
