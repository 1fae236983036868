/**
 * Tidy CSV (RFC 4180): one row a run, one column a variable, numbers in the base units of the results
 * as their names say, so that any tool can read it without cleaning.
 */
import { ERRORS } from "../runner/result/outcome.ts";
import type { Measurement, Run } from "../runner/result/result.ts";
import { identityOf, parametersOf } from "./csv/identity.ts";
import { type FigureName, figureOfRun } from "./figures.ts";
import { FLATTENING } from "./flattening.ts";
import type { ReportModel } from "./model.ts";
import { type PooledLatency, poolLatency, valueAt } from "./pool.ts";
import {
  cpuSecondsOf,
  meanCoresOf,
  partsOf,
  peakMemoryBytesOf,
  peakOf,
  perCpuSecondOf,
  switchesPerRequestOf,
  systemShareOf,
  type Used,
} from "./resources.ts";
import { csvOf, type Row } from "./writing/csv.ts";
import type { Written } from "./writing/written.ts";

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

/** One row. */
export function renderMeasurementCsv(measurement: Measurement): Written<"csv"> {
  return csvOf([{ url: measurement.url, ...figuresOf(measurement) }]);
}

function figuresOf(measurement: Measurement): Row {
  const { requests, errors, bytes, load } = measurement;
  return {
    connections: load.connections,
    elapsedS: measurement.elapsedS,
    ...requests,
    checksFailed: measurement.checks.failed,
    ...Object.fromEntries(ERRORS.map((kind) => [`errors.${kind}`, errors[kind] ?? 0])),
    ratePerSec: measurement.rate,
    bytesIn: bytes.in,
    bytesOut: bytes.out,
    ...latenciesOf(measurement),
    drainS: measurement.drain?.durationS ?? null,
    drainCompleted: measurement.drain?.completed ?? null,
    drainFailed: measurement.drain?.failed ?? null,
    ...flattenedOf(measurement),
    ...connectOf(measurement),
    answerBytes: valueOf("size", measurement),
    bytesInPerSec: bytes.inPerSecond,
    steadyLabel: measurement.warmup?.label ?? null,
    steadyFromS: measurement.warmup?.steadyFromS ?? null,
    generatorCpu: measurement.generator.cpu,
    trust: measurement.generator.trust,
  };
}

/** Nothing where nothing has a latency; the fastest is of requests with an answer. */
function latenciesOf(measurement: Measurement): Row {
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
  const found = figureOfRun(figure, measurement);
  return "none" in found ? null : found.value;
}

/** Nothing where the load itself changes. */
function flattenedOf(measurement: Measurement): Row {
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

function connectOf({ connect }: Measurement): Row {
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

/** Of the target, or of a part whose name stands before each column. */
function resourcesOf(used: Used, run: Run, before = ""): Row {
  if (used.resources.length === 0) return {};
  const seconds = cpuSecondsOf(used);
  const systemShare = systemShareOf(used);
  const figures: Row = {
    cpuCores: meanCoresOf(used),
    cpuSeconds: seconds,
    cpuUserSeconds: systemShare === null ? null : seconds * (1 - systemShare),
    cpuSystemSeconds: systemShare === null ? null : seconds * systemShare,
    requestsPerCpuSecond: perCpuSecondOf(used, run),
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
