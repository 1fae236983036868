/**
 * Tidy CSV (RFC 4180): one row a run, one column a variable, numbers in the base units of the results
 * as their names say, so that any tool can read it without cleaning.
 */
import { ERRORS } from "../../runner/result/outcome.ts";
import type { Distribution, Measurement, Run } from "../../runner/result/result.ts";
import type { ReportModel } from "../model.ts";
import { FLATTENING, type IntervalPoint, isEmpty, lowerBoundsIn } from "../cells/intervals.ts";
import { type PooledLatency, poolLatency, valueAt } from "../cells/pool.ts";
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
} from "../cells/resources.ts";
import { stepColumns } from "../subjects/steps/table.ts";
import { csvOf, type CsvRecord } from "../writing/csv.ts";
import type { Written } from "../writing/written.ts";
import { FIGURES } from "../figures/figures.ts";
import type { FigureName } from "../../base/figures/figure.ts";

/** One row a run, in the order in which they were made. */
export function renderCsv({ name, runs }: ReportModel): Written<"csv"> {
  return csvOf(runs.map((run) => ({
    experiment: name,
    ...identityOf(run),
    startedAt: run.startedAt,
    url: run.url,
    ...parametersOf(run),
    ...figuresOf(run),
    startUpMs: run.startUp,
    ...resourcesOf(run, run),
    ...Object.assign({}, ...partsOf(run).map((part) => resourcesOf(part, run, `${part.name}.`))),
  })));
}

/** Of a run that searched one. */
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

/** One row. */
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
    bytesIn: bytes.in,
    bytesOut: bytes.out,
    ...latenciesOf(measurement),
    drainS: measurement.drain?.durationS ?? null,
    drainCompleted: measurement.drain?.completed ?? null,
    drainFailed: measurement.drain?.failed ?? null,
    ...flattenedOf(measurement),
    ...connectOf(measurement),
    ...servedOf(measurement),
    responseBytes: valueOf("size", measurement),
    bytesInPerSec: bytes.inPerSecond,
    steadyLabel: measurement.warmup?.label ?? null,
    steadyFromS: measurement.warmup?.steadyFromS ?? null,
    generatorCpu: measurement.generator.cpu,
    trust: measurement.generator.trust,
  };
}

/** Nothing where nothing has a latency; the fastest is of requests with a response. */
function latenciesOf(measurement: Measurement): CsvRecord {
  const { count, min, mean, stdev, max } = measurement.latency;
  const pooled = poolLatency([measurement]);
  const timeOf = (ms: number): number | null => count === 0 ? null : ms;
  return {
    latencyMinMs: timeOf(min),
    latencyFastestMs: pooled.fastest || null,
    latencyMeanMs: timeOf(mean),
    latencyStdevMs: timeOf(stdev),
    ...Object.fromEntries(LATENCIES.map((p) => [`latencyP${p}Ms`, valueAt(pooled, p)])),
    latencyMaxMs: timeOf(max),
    latencyCensored: pooled.censored,
    latencyLowerBounds: lowerBoundsOf(pooled),
  };
}

const LATENCIES = [2.5, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.9, 99.99] as const;

/** `p99 p99.9 mean max`: the figures that lower bounds could turn out to make larger. */
function lowerBoundsOf({ isAtLeast }: PooledLatency): string {
  return [
    ...LATENCIES.filter(isAtLeast).map((p) => `p${p}`),
    ...(["mean", "max"] as const).filter(isAtLeast),
  ].join(" ");
}

function valueOf(figure: FigureName, measurement: Measurement): number | null {
  const found = FIGURES[figure].of(measurement);
  return "none" in found ? null : found.value;
}

/** Nothing where the load itself changes. */
function flattenedOf(measurement: Measurement): CsvRecord {
  if (measurement.warmup === null) return {};
  return Object.fromEntries(FLATTENING.flatMap((percentile) => {
    const behind = percentile === "p50" ? "" : `.${percentile}` as const;
    const name = percentile.toUpperCase();
    return [
      [`stable${name}Ms`, valueOf(`stable${behind}`, measurement)],
      [`final${name}Ms`, valueOf(`final${behind}`, measurement)],
    ];
  }));
}

function connectOf({ connect }: Measurement): CsvRecord {
  if (connect.count === 0) return { connects: 0 };
  return {
    connects: connect.count,
    connectMinMs: connect.min,
    connectMeanMs: connect.mean,
    connectP50Ms: connect.percentiles["50"],
    connectP99Ms: connect.percentiles["99"],
    connectMaxMs: connect.max,
  };
}

/** By class of status, by instance, by use of a cache, and the sessions of virtual users. */
function servedOf(measurement: Measurement): CsvRecord {
  const { statusLatency = {}, instances = [], cache = {}, sessions } = measurement;
  const named: [name: string, times: Distribution][] = [
    ...Object.entries(statusLatency).map(([name, { latency }]): [string, Distribution] => [
      name,
      latency,
    ]),
    ...instances.map(({ instance, latency }): [string, Distribution] => [
      `instance${instance}`,
      latency,
    ]),
    ...Object.entries(cache).map(([name, { latency }]): [string, Distribution] => [
      `cache.${name}`,
      latency,
    ]),
    ...sessions === null ? [] : [["session", sessions.length] as [string, Distribution]],
  ];
  const figures = named.flatMap(([name, { count, mean, percentiles }]) => {
    const timeOf = (ms: number): number | null => count === 0 ? null : ms;
    return [
      [`${name}.count`, count],
      [`${name}.meanMs`, timeOf(mean)],
      ...(["50", "95", "99"] as const).map((p) => [`${name}.p${p}Ms`, timeOf(percentiles[p])]),
    ];
  });
  return {
    ...Object.fromEntries(figures),
    ...instances.length > 1 && { imbalance: valueOf("imbalance", measurement) },
    ...Object.keys(cache).length > 0 && { hitRatio: valueOf("hitRatio", measurement) },
  };
}

/** Of the target, or of a part whose name stands before each column. */
function resourcesOf(used: ResourceUse, run: Run, before = ""): CsvRecord {
  if (used.resources.length === 0) return {};
  const seconds = cpuSecondsOf(used);
  const systemShare = systemShareOf(used);
  const figures: CsvRecord = {
    cpuCores: meanCoresOf(used),
    cpuSeconds: seconds,
    cpuUserSeconds: systemShare === null ? null : seconds * (1 - systemShare),
    cpuSystemSeconds: systemShare === null ? null : seconds * systemShare,
    ...before === "" && { requestsPerCpuSecond: perCpuSecondOf(run) },
    memoryPeakBytes: peakMemoryBytesOf(used),
    threadsPeak: peakOf(used, ({ threads }) => threads),
    openFilesPeak: peakOf(used, ({ files }) => files),
    voluntarySwitchesPerRequest: switchesPerRequestOf("voluntary", used, run),
    involuntarySwitchesPerRequest: switchesPerRequestOf("involuntary", used, run),
  };
  return Object.fromEntries(
    Object.entries(figures).map(([column, value]) => [before + column, value]),
  );
}

// What identifies a run: the first columns of either CSV.

export function identityOf(run: Run): CsvRecord {
  const { target, scenario, repetition, order } = run;
  return { target, scenario, repetition, order };
}

/** One column a factor. */
export function parametersOf({ parameters }: Run): CsvRecord {
  return Object.fromEntries(
    Object.entries(parameters).map(([path, value]) => [
      path,
      typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value),
    ]),
  );
}

// Tidy CSV of the timelines: one row an interval of a run, with what its target used in it. As in the CSV of
// the runs, names of columns end in their units.

/** Every interval of every run, those that an experiment discards too, in the order in which they were made. */
export function renderIntervalsCsv({ name, runs }: ReportModel): Written<"csv"> {
  return csvOf(runs.flatMap((run) => {
    const which = { experiment: name, ...identityOf(run), ...parametersOf(run) };
    return run.timeline.points.map((point, i) => ({
      ...which,
      ...intervalFigures(point, startOf(run, i)),
      ...resourcesAt(run, middleOf(run, i)),
      ...Object.assign(
        {},
        ...partsOf(run).map((part) => resourcesAt(part, middleOf(run, i), `${part.name}.`)),
      ),
    }));
  }));
}

export function renderMeasurementIntervalsCsv(measurement: Measurement): Written<"csv"> {
  const { url, timeline } = measurement;
  return csvOf(
    timeline.points.map((point, i) => ({
      url,
      ...intervalFigures(point, startOf(measurement, i)),
    })),
  );
}

/** Latencies of an interval in which nothing ended are none, not 0. */
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
  };
}

type Timed = Pick<Measurement, "timeline">;

function startOf({ timeline: { points } }: Timed, i: number): number {
  return points[i - 1]?.endS ?? 0;
}

function middleOf(run: Timed, i: number): number {
  return (startOf(run, i) + run.timeline.points[i].endS) / 2;
}

/** What was in use at a moment, by the target or by a part whose name stands before each column. */
function resourcesAt(used: ResourceUse, atS: number, before = ""): CsvRecord {
  if (used.resources.length === 0) return {};
  const point = pointAt(used, atS);
  const figures: CsvRecord = {
    cpuCores: point?.cpu ?? null,
    cpuUserCores: point?.user ?? null,
    cpuSystemCores: point?.system ?? null,
    memoryBytes: point?.memory ?? null,
    threads: point?.threads ?? null,
    openFiles: point?.files ?? null,
    voluntarySwitchesPerSec: point?.switches?.voluntary ?? null,
    involuntarySwitchesPerSec: point?.switches?.involuntary ?? null,
  };
  return Object.fromEntries(
    Object.entries(figures).map(([column, value]) => [before + column, value]),
  );
}
