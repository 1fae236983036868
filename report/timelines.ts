/** Cells → timelines that share their axes. */
import type { Run } from "../runner/result.ts";
import type { Cell } from "./cells.ts";
import { type Axis, compact, type TimelineChart, type TimelineRun } from "./charts.ts";
import { intervalsOf, isEmpty, type Point } from "./intervals.ts";
import { timeUnit, type Unit } from "./units.ts";
import { counted } from "./words.ts";

const PERCENTILES = ["p50", "p75", "p90", "p99"] as const;

/** Beyond this ratio of highest to lowest, a linear axis would press the low lines together. */
const LOG_FROM_RATIO = 12;

/** One chart a cell, on the axes of all of them. */
export function timelinesOf(cells: readonly Cell[]): TimelineChart[] {
  const runs = cells.flatMap((cell) => cell.runs);
  const intervals = runs.flatMap(intervalsOf);
  const points = intervals.map(({ point }) => point).filter((point) => !isEmpty(point));
  const unit = timeUnit(points.map(({ p50 }) => p50));
  const shared = {
    kind: "timeline" as const,
    percentiles: PERCENTILES,
    span: Math.max(...runs.map(({ elapsed }) => elapsed)),
    latency: latencyAxis(points, unit),
    rate: linearAxis("requests/s", intervals.map(({ ratePerSec }) => ratePerSec)),
    cpu: cpuAxis(runs),
  };
  return cells.map(({ label, color, runs }) => ({
    ...shared,
    alt: `Latency and requests per second of ${label} over time, ${counted(runs.length, "run")}`,
    color,
    runs: runs.map((run) => timelineRun(run, unit)),
  }));
}

function timelineRun(run: Run, unit: Unit): TimelineRun {
  const intervals = intervalsOf(run);
  return {
    label: `run ${run.repetition}`,
    t: intervals.map(({ point }) => compact(point.t)),
    rate: intervals.map(({ ratePerSec }) => compact(ratePerSec)),
    latency: PERCENTILES.map((p) =>
      intervals.map(({ point }) => isEmpty(point) ? null : compact(point[p] / unit.size))
    ),
    cpu: intervals.map(({ point }) => coresAt(run, point.t - run.timeline.interval / 2)),
  };
}

/** Cores in use at a moment: each resource point tells of the time since the one before. */
function coresAt({ resources }: Run, seconds: number): number | null {
  const point = resources.find(({ t }) => t >= seconds);
  return point ? compact(point.cpu) : null;
}

function latencyAxis(points: readonly Point[], unit: Unit): Axis {
  const min = points.reduce((least, { p50 }) => Math.min(least, p50), Infinity) / unit.size;
  const max = points.reduce((most, { p99 }) => Math.max(most, p99), 0) / unit.size;
  if (max === 0) return { unit: unit.name, scale: "linear", min: 0, max: 1 };
  return min > 0 && max / min > LOG_FROM_RATIO
    ? { unit: unit.name, scale: "log", min: compact(min * 0.9), max: compact(max * 1.1) }
    : { unit: unit.name, scale: "linear", min: 0, max: compact(max * 1.05) };
}

function linearAxis(unit: string, values: readonly number[]): Axis {
  const max = values.reduce((most, value) => Math.max(most, value), 0);
  return { unit, scale: "linear", min: 0, max: compact(max * 1.05) || 1 };
}

/** At least one whole core high, so that an idle target looks idle. */
function cpuAxis(runs: readonly Run[]): Axis | null {
  const cores = runs.flatMap(({ resources }) => resources.map(({ cpu }) => cpu));
  return cores.length === 0 ? null : linearAxis("cores", [1, ...cores]);
}
