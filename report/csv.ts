/**
 * Tidy CSV (RFC 4180): one row a run, one column a variable, numbers in the base units of the results
 * as their names say, so that any tool can read it without cleaning.
 */
import { ERRORS } from "../runner/outcome.ts";
import { type Measurement, PERCENTILES, type Run } from "../runner/result.ts";
import type { ReportModel } from "./model.ts";

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;

/** One row a run, in the order in which they were made. */
export function renderCsv({ name, runs }: ReportModel): string {
  return csvOf(runs.map((run) => ({
    experiment: name,
    ...identityOf(run),
    ...parametersOf(run),
    ...figuresOf(run),
    startUpMs: run.startUp,
  })));
}

/** One row. */
export function renderMeasurementCsv(measurement: Measurement): string {
  return csvOf([{ url: measurement.url, ...figuresOf(measurement) }]);
}

function identityOf(run: Run): Row {
  const { target, scenario, repetition, order, startedAt, url } = run;
  return { target, scenario, repetition, order, startedAt, url };
}

function parametersOf({ parameters }: Run): Row {
  return Object.fromEntries(
    Object.entries(parameters).map(([path, value]) => [
      path,
      typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value),
    ]),
  );
}

function figuresOf(measurement: Measurement): Row {
  const { requests, errors, bytes, latency, load } = measurement;
  return {
    connections: load.connections,
    elapsedS: measurement.elapsed,
    ...requests,
    checksFailed: measurement.checks.failed,
    ...Object.fromEntries(ERRORS.map((kind) => [`errors.${kind}`, errors[kind] ?? 0])),
    ratePerSec: measurement.rate,
    bytesIn: bytes.in,
    bytesOut: bytes.out,
    latencyMinMs: latency.min,
    latencyFastestMs: latency.fastest,
    latencyMeanMs: latency.mean,
    latencyStdevMs: latency.stdev,
    ...Object.fromEntries(PERCENTILES.map((p) => [`latencyP${p}Ms`, latency.percentiles[`${p}`]])),
    latencyMaxMs: latency.max,
    latencyCensored: latency.censored,
    steadyLabel: measurement.warmup?.label ?? null,
    steadyFromS: measurement.warmup?.steadyFrom ?? null,
    generatorCpu: measurement.generator.cpu,
    trust: measurement.generator.trust,
  };
}

/** Columns are those of any row, in the order in which they first appear. */
function csvOf(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ""))];
  return lines.map((fields) => fields.map(escaped).join(",") + "\r\n").join("");
}

/** Quoted where it must be. */
function escaped(value: Value): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
