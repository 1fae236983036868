/**
 * Tidy CSV of the timelines: one row an interval of a run, with what its target used in it. As in the CSV of
 * the runs, names of columns end in their units.
 */
import type { Measurement } from "../../runner/result/result.ts";
import { isEmpty, lowerBoundsIn, type Point } from "../intervals.ts";
import type { ReportModel } from "../model.ts";
import { partsOf, pointAt, type Used } from "../resources.ts";
import { identityOf, parametersOf } from "./identity.ts";
import { csvOf, type Row } from "../writing/csv.ts";
import type { Written } from "../writing/written.ts";

/** Every interval of every run, those that an experiment discards too, in the order in which they were made. */
export function renderIntervalsCsv({ name, runs }: ReportModel): Written<"csv"> {
  return csvOf(runs.flatMap((run) => {
    const which = { experiment: name, ...identityOf(run), ...parametersOf(run) };
    return run.timeline.points.map((point, i) => ({
      ...which,
      ...figuresOf(point, startOf(run, i)),
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
    timeline.points.map((point, i) => ({ url, ...figuresOf(point, startOf(measurement, i)) })),
  );
}

/** Latencies of an interval in which nothing ended are none, not 0. */
function figuresOf(point: Point, startS: number): Row {
  const { endS, completed, failed, bytes } = point;
  const timeOf = (ms: number): number | null => isEmpty(point) ? null : ms;
  return {
    startS,
    endS: endS,
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
function resourcesAt(used: Used, atS: number, before = ""): Row {
  if (used.resources.length === 0) return {};
  const point = pointAt(used, atS);
  const figures: Row = {
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
