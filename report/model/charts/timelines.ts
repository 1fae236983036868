/** Cells → timelines that share their axes. */
import type { Run } from "../../../runner/result/result.ts";
import type { CellRuns } from "../runs/cells.ts";
import { type Axis, compact, latencyAxis, type TimelineChart, type TimelineRun } from "./charts.ts";
import {
  type IntervalPoint,
  intervalsOf,
  isEmpty,
  lowerBoundsIn,
  POINT_PERCENTILES,
} from "../runs/intervals.ts";
import { peakMemoryBytesOf, pointAt } from "../runs/resources.ts";
import { type DisplayUnit, sizeUnit, timeUnit } from "../numbers/units.ts";
import { counted } from "../numbers/words.ts";
import { segmentsOf } from "../../../runner/stats/steady_state/steady_state.ts";

/** One chart a cell, on the axes of all of them. */
export function timelinesOf(cells: readonly CellRuns[]): TimelineChart[] {
  const runs = cells.flatMap((cell) => cell.runs);
  const intervals = runs.flatMap(intervalsOf);
  const points = intervals.map(({ point }) => point).filter((point) => !isEmpty(point));
  const unit = timeUnit(points.map(({ p50 }) => p50));
  const memoryUnit = sizeUnit(runs.map(peakMemoryBytesOf));
  const shared = {
    kind: "timeline" as const,
    percentiles: POINT_PERCENTILES,
    span: Math.max(...runs.map(({ elapsedS }) => elapsedS)),
    latency: axisOf(points, unit),
    rate: linearAxis("requests/s", intervals.map(({ ratePerSec }) => ratePerSec)),
    cpu: cpuAxis(runs),
    memory: memoryAxis(runs, memoryUnit),
  };
  return cells.map(({ label, color, runs }) => ({
    ...shared,
    alt: `Latency and requests per second of ${label} over time, ${counted(runs.length, "run")}`,
    color,
    runs: runs.map((run) => timelineRun(run, unit, memoryUnit)),
  }));
}

function timelineRun(run: Run, unit: DisplayUnit, memoryUnit: DisplayUnit): TimelineRun {
  const intervals = intervalsOf(run);
  const resources = intervals.map(({ point }) =>
    pointAt(run, point.endS - run.timeline.intervalS / 2)
  );
  return {
    label: `run ${run.repetition}`,
    repetition: run.repetition,
    t: intervals.map(({ point }) => compact(point.endS)),
    rate: intervals.map(({ ratePerSec }) => compact(ratePerSec)),
    latency: POINT_PERCENTILES.map((p) =>
      intervals.map(({ point }) => isEmpty(point) ? null : compact(point[p] / unit.size))
    ),
    ...boundsOf(intervals.map(({ point }) => point)),
    cpu: resources.map((point) => point && compact(point.cpu)),
    memory: resources.map((point) => point && compact(point.memory / memoryUnit.size)),
    steadyFrom: run.warmup?.steadyFromS ?? null,
    changes: levelChangesS(run),
  };
}

/** Nothing without lower bounds, as most runs have none. */
function boundsOf(points: readonly IntervalPoint[]): Pick<TimelineRun, "lowerBounds"> {
  const named = points.map(lowerBoundsIn);
  if (named.every(({ length }) => length === 0)) return {};
  const at = (p: string): number[] => named.flatMap((names, i) => names.includes(p) ? [i] : []);
  return { lowerBounds: Object.fromEntries(POINT_PERCENTILES.map((p) => [p, at(p)])) };
}

function axisOf(points: readonly IntervalPoint[], unit: DisplayUnit): Axis {
  const min = points.reduce((least, { p50 }) => Math.min(least, p50), Infinity) / unit.size;
  const max = points.reduce((most, { p99 }) => Math.max(most, p99), 0) / unit.size;
  return latencyAxis(unit.name, min, max);
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

/** From 0, so that little growth looks little. */
function memoryAxis(runs: readonly Run[], { name, size }: DisplayUnit): Axis | null {
  const peaks = runs.map((run) => peakMemoryBytesOf(run) / size);
  return peaks.some((peak) => peak > 0) ? linearAxis(name, peaks) : null;
}

// Where a run changes its level: the change points by which its steady state was judged.

/** Changes of latency and rate that are this many intervals apart, or fewer, are one. */
const SAME = 3;

/** Seconds at which latency or rate changes, in order; none for a load that itself changes. */
export function levelChangesS(run: Run): number[] {
  const intervals = intervalsOf(run);
  if (run.warmup === null || intervals.length === 0) return [];
  const { latency, rate } = segmentsOf(intervals.map(({ point, ratePerSec }, i) => {
    const seconds = point.endS - (intervals[i - 1]?.point.endS ?? 0);
    return {
      seconds,
      completed: ratePerSec * seconds,
      medianMs: isEmpty(point) ? null : point.p50,
    };
  }));
  const starts = [...latency, ...rate].map(({ from }) => from);
  return starts.filter((from) => from > 0)
    .sort((a, b) => a - b)
    .filter((from, i, all) => !(all[i + 1] - from <= SAME))
    .map((from) => intervals[from - 1].point.endS);
}
