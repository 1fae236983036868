/**
 * Tidy CSV (RFC 4180) with one row for each run and one column for each variable. Column names include the unit, so any
 * tool can read the file without cleaning.
 */
import { ERRORS } from "../../runner/result/outcome.ts";
import type { Distribution, Measurement, Run } from "../../runner/result/result.ts";
import { type IntervalPoint, isEmpty, lowerBoundsIn } from "../figures/intervals.ts";
import {
  cpuSecondsOf,
  meanCoresOf,
  partsOf,
  peakMemoryBytesOf,
  peakOf,
  perCpuSecondOf,
  pointAt,
  type ResourceUse,
  switchesPerRequestOf,
  systemShareOf,
} from "../figures/resources.ts";
import { stepColumns } from "../subjects/steps/table.ts";
import { callColumns } from "../subjects/calls.ts";
import { messageColumns } from "../subjects/streams.ts";
import { csvOf, type CsvRecord } from "../writing/csv.ts";
import type { Written } from "../writing/written.ts";
import { FIGURES } from "../figures/figures.ts";
import type { FigureName } from "../../base/figures/figure.ts";

/**
 * The runs of an experiment. Their figures cover only the part of each run that counts, if the runs come from a report.
 */
interface NamedRuns {
  readonly name: string;
  readonly context: { readonly runs: readonly Run[] };
}

/** Rows are in the order of measurement. */
export function renderCsv({ name, context: { runs } }: NamedRuns): Written<"csv"> {
  return csvOf(runs.map((run) => ({
    experiment: name,
    ...identityOf(run),
    startedAt: run.startedAt,
    url: run.url,
    ...parametersOf(run),
    ...figuresOf(run),
    startUpMs: run.startUp,
    ...ofParts(run, (used) => resourcesOf(used, run)),
  })));
}

/** Columns for a run that searched for a capacity; no columns for other runs. */
function capacityOf(run: Measurement & Partial<Pick<Run, "capacity">>): CsvRecord {
  if (run.capacity === undefined) return {};
  const { value = null, low = null, high = null, bound = null } = run.capacity.capacity ?? {};
  return {
    capacityPerSec: value,
    capacityLowPerSec: low,
    capacityHighPerSec: high,
    capacityBound: bound,
  };
}

export function renderMeasurementCsv(measurement: Measurement): Written<"csv"> {
  return csvOf([{ url: measurement.url, ...figuresOf(measurement) }]);
}

function figuresOf(measurement: Measurement): CsvRecord {
  const { requests, errors, bytes, load } = measurement;
  return {
    connections: load.connections,
    elapsedS: measurement.elapsedS,
    ...requests,
    checksFailed: measurement.checks.failed,
    ...Object.fromEntries(ERRORS.map((kind) => [`errors.${kind}`, errors[kind] ?? 0])),
    ratePerSec: measurement.rate,
    ...capacityOf(measurement),
    ...stepColumns(measurement.steps ?? []),
    ...messageColumns(measurement),
    ...measurement.grpc && callColumns(measurement.grpc),
    bytesIn: bytes.in,
    bytesOut: bytes.out,
    latencyMinMs: measurement.latency.count === 0 ? null : measurement.latency.min,
    ...columnsOf(LATENCIES, measurement),
    latencyCensored: measurement.latency.censored,
    latencyLowerBounds: lowerBoundsOf(measurement),
    drainS: measurement.drain?.durationS ?? null,
    drainCompleted: measurement.drain?.completed ?? null,
    drainFailed: measurement.drain?.failed ?? null,
    ...measurement.warmup !== null && columnsOf(FLATTENED, measurement), // null if the load changes
    connects: measurement.connect.count,
    ...measurement.connect.count > 0 && columnsOf(CONNECTS, measurement),
    ...servedOf(measurement),
    ...columnsOf({ responseBytes: "size" }, measurement),
    bytesInPerSec: bytes.inPerSecond,
    steadyLabel: measurement.warmup?.label ?? null,
    steadyFromS: measurement.warmup?.steadyFromS ?? null,
    generatorCpu: measurement.generator.cpu,
    trust: measurement.generator.trust,
  };
}

/** Columns, each with the value of a figure; the cell is empty if the run lacks the figure. */
function columnsOf(
  columns: Readonly<Record<string, FigureName>>,
  measurement: Measurement,
): CsvRecord {
  return Object.fromEntries(
    Object.entries(columns).map(([column, figure]) => {
      const found = FIGURES[figure].of(measurement);
      return [column, "none" in found ? null : found.value];
    }),
  );
}

const PERCENTILES = {
  "latencyP2.5Ms": "p2.5",
  latencyP10Ms: "p10",
  latencyP25Ms: "p25",
  latencyP50Ms: "p50",
  latencyP75Ms: "p75",
  latencyP90Ms: "p90",
  latencyP95Ms: "p95",
  "latencyP97.5Ms": "p97.5",
  latencyP99Ms: "p99",
  "latencyP99.9Ms": "p99.9",
  "latencyP99.99Ms": "p99.99",
} as const;
/** `latencyFastestMs` is the latency of the fastest request that got a response. */
const LATENCIES = {
  latencyFastestMs: "min",
  latencyMeanMs: "mean",
  latencyStdevMs: "stdev",
  ...PERCENTILES,
  latencyMaxMs: "max",
} as const;
const FLATTENED = {
  stableP50Ms: "stable",
  finalP50Ms: "final",
  stableP75Ms: "stable.p75",
  finalP75Ms: "final.p75",
  stableP90Ms: "stable.p90",
  finalP90Ms: "final.p90",
  stableP99Ms: "stable.p99",
  finalP99Ms: "final.p99",
} as const;
const CONNECTS = {
  connectMinMs: "connect.min",
  connectMeanMs: "connect.mean",
  connectP50Ms: "connect.p50",
  connectP99Ms: "connect.p99",
  connectMaxMs: "connect.max",
} as const;

/**
 * Names of the figures whose true value may be higher because some latencies are only lower bounds, separated by
 * spaces: for example, `p99 p99.9 mean max`.
 */
function lowerBoundsOf(measurement: Measurement): string {
  return [...Object.values(PERCENTILES), "mean" as const, "max" as const].filter((figure) => {
    const found = FIGURES[figure].of(measurement);
    return "value" in found && found.isAtLeast;
  }).join(" ");
}

/** Columns for each class of status, instance and cache status, and for the sessions of virtual users. */
function servedOf(measurement: Measurement): CsvRecord {
  const { statusLatency = {}, instances = [], cache = {}, sessions } = measurement;
  const timesOf = (name: string, { count, mean, percentiles }: Distribution): CsvRecord => {
    const timeOf = (ms: number): number | null => count === 0 ? null : ms;
    return prefixed(`${name}.`, {
      count,
      meanMs: timeOf(mean),
      p50Ms: timeOf(percentiles["50"]),
      p95Ms: timeOf(percentiles["95"]),
      p99Ms: timeOf(percentiles["99"]),
    });
  };
  return {
    ...Object.assign(
      {},
      ...Object.entries(statusLatency).map(([name, { latency }]) => timesOf(name, latency)),
      ...instances.map(({ instance, latency }) => timesOf(`instance${instance}`, latency)),
      ...Object.entries(cache).map(([name, { latency }]) => timesOf(`cache.${name}`, latency)),
      sessions === null ? {} : timesOf("session", sessions.length),
    ),
    ...instances.length > 1 && columnsOf({ imbalance: "imbalance" }, measurement),
    ...Object.keys(cache).length > 0 && columnsOf({ hitRatio: "hitRatio" }, measurement),
  };
}

/** Columns for the whole target and for each of its parts. The names of a part's columns begin with the part's name. */
function ofParts(run: Run, columns: (used: ResourceUse) => CsvRecord): CsvRecord {
  const parts = partsOf(run).map((part) => prefixed(`${part.name}.`, columns(part)));
  return Object.assign({}, columns(run), ...parts);
}

/** Columns for the whole target, or for one of its parts. */
function resourcesOf(used: ResourceUse, run: Run): CsvRecord {
  if (used.resources.length === 0) return {};
  const seconds = cpuSecondsOf(used);
  const systemShare = systemShareOf(used);
  return {
    cpuCores: meanCoresOf(used),
    cpuSeconds: seconds,
    cpuUserSeconds: systemShare === null ? null : seconds * (1 - systemShare),
    cpuSystemSeconds: systemShare === null ? null : seconds * systemShare,
    ...used === run && { requestsPerCpuSecond: perCpuSecondOf(run) },
    memoryPeakBytes: peakMemoryBytesOf(used),
    threadsPeak: peakOf(used, ({ threads }) => threads),
    openFilesPeak: peakOf(used, ({ files }) => files),
    voluntarySwitchesPerRequest: switchesPerRequestOf("voluntary", used, run),
    involuntarySwitchesPerRequest: switchesPerRequestOf("involuntary", used, run),
  };
}

function prefixed(before: string, record: CsvRecord): CsvRecord {
  return Object.fromEntries(
    Object.entries(record).map(([column, value]) => [before + column, value]),
  );
}

// Columns that identify a run. In both kinds of CSV, they follow the experiment's name.

function identityOf({ target, scenario, repetition, order }: Run): CsvRecord {
  return { target, scenario, repetition, order };
}

/** One column for each factor. */
function parametersOf({ parameters }: Run): CsvRecord {
  return Object.fromEntries(
    Object.entries(parameters).map(([path, value]) => [
      path,
      typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value),
    ]),
  );
}

// Tidy CSV of the timelines: one row for each interval of a run, including the target's use of
// resources. Column names include the unit, as in the CSV of runs.

/** All intervals, including those that other figures discard. Rows are in the order of measurement. */
export function renderIntervalsCsv({ name, context: { runs } }: NamedRuns): Written<"csv"> {
  return csvOf(runs.flatMap((run) => {
    const which = { experiment: name, ...identityOf(run), ...parametersOf(run) };
    return run.timeline.points.map((point, i) => {
      const startS = startOf(run, i);
      const resources = ofParts(run, (used) => resourcesAt(used, (startS + point.endS) / 2));
      return { ...which, ...intervalFigures(point, startS), ...resources };
    });
  }));
}

export function renderMeasurementIntervalsCsv(measurement: Measurement): Written<"csv"> {
  const { url, timeline } = measurement;
  return csvOf(timeline.points.map((point, i) => ({
    url,
    ...intervalFigures(point, startOf(measurement, i)),
  })));
}

/** Latencies are empty, not 0, for an interval in which no request ended. */
function intervalFigures(point: IntervalPoint, startS: number): CsvRecord {
  const { endS, completed, failed, bytes } = point;
  const timeOf = (ms: number): number | null => isEmpty(point) ? null : ms;
  return {
    startS,
    endS,
    completed,
    failed,
    bytes,
    ratePerSec: endS > startS ? completed / (endS - startS) : null,
    latencyP50Ms: timeOf(point.p50),
    latencyP75Ms: timeOf(point.p75),
    latencyP90Ms: timeOf(point.p90),
    latencyP99Ms: timeOf(point.p99),
    latencyMaxMs: timeOf(point.max),
    latencyLowerBounds: lowerBoundsIn(point).join(" "),
    ...point.messages && messageFigures(point.messages),
  };
}

function messageFigures(
  { received, failed = 0, ttfe, gap, ttft, message }: NonNullable<IntervalPoint["messages"]>,
): CsvRecord {
  const times = Object.entries({ ttfe, gap, ttft, message }).flatMap(([name, of]) => [
    [`${name}P50Ms`, of?.p50 ?? null],
    [`${name}P99Ms`, of?.p99 ?? null],
  ]);
  return prefixed("messages.", { received, failed, ...Object.fromEntries(times) });
}

function startOf({ timeline: { points } }: Measurement, i: number): number {
  return points[i - 1]?.endS ?? 0;
}

/** The resources that the target, or one of its parts, used at this moment. */
function resourcesAt(used: ResourceUse, atS: number): CsvRecord {
  if (used.resources.length === 0) return {};
  const point = pointAt(used, atS);
  return {
    cpuCores: point?.cpu ?? null,
    cpuUserCores: point?.user ?? null,
    cpuSystemCores: point?.system ?? null,
    memoryBytes: point?.memory ?? null,
    threads: point?.threads ?? null,
    openFiles: point?.files ?? null,
    voluntarySwitchesPerSec: point?.switches?.voluntary ?? null,
    involuntarySwitchesPerSec: point?.switches?.involuntary ?? null,
  };
}
