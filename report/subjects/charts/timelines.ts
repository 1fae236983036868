/** Cells → timelines that share their axes. */
import { latencyAxis, linearAxis } from "./time_range.ts";
import { type Track, tracksOf } from "./tracks.ts";
import type { Run } from "../../../runner/result/result.ts";
import { countedFrom, type CountedPart } from "../../../runner/stats/confidence/pool.ts";
import { type CellRuns, type Grouped, repeatedOf } from "../../cells/cells.ts";
import * as z from "zod";
import {
  type Axis,
  compact,
  type OfferedPart,
  type Timeline,
  type TimelineMark,
  type TimelineRun,
} from "../../chart.ts";
import {
  type IntervalPoint,
  intervalsOf,
  isEmpty,
  lowerBoundsIn,
  POINT_PERCENTILES,
} from "../../figures/intervals.ts";
import {
  type DisplayUnit,
  formatCount,
  formatExactly,
  formatTick,
  timeUnit,
} from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";
import { segmentsOf } from "../../../runner/stats/steady_state/steady_state.ts";

/** One chart a cell, on the axes of all of them. */
export function timelinesOf(cells: readonly CellRuns[], planned: PlannedFor): Timeline[] {
  const part = repeatedOf(planned);
  const offered = cells.map(({ runs }) => offeredTo(runs));
  const runs = cells.flatMap((cell) => cell.runs);
  const intervals = runs.flatMap(intervalsOf);
  const points = intervals.map(({ point }) => point).filter((point) => !isEmpty(point));
  const unit = timeUnit(points.map(({ p50 }) => p50));
  const tracks = tracksOf(runs);
  const shared = {
    kind: "timeline" as const,
    percentiles: POINT_PERCENTILES,
    span: Math.max(...runs.map(({ elapsedS }) => elapsedS)),
    latency: axisOf(points, unit),
    rate: linearAxis("requests/s", [
      ...intervals.flatMap(({ ratePerSec, failedPerSec }) => [ratePerSec, failedPerSec]),
      ...offered.flat().flatMap(({ from, to }) => [from, to]),
    ]),
    tracks: tracks.map(({ title, axis }) => ({ title, axis })),
  };
  const charts = cells.map(({ target, label, color, runs }, i) => ({
    ...shared,
    alt: `Latency and requests per second of ${label} over time, ${counted(runs.length, "run")}`,
    color,
    offered: offered[i],
    marks: marksOf(target, runs, planned),
    runs: runs.map((run) => ({
      ...timelineRun(run, unit, tracks),
      ...discardedIn(run, part),
    })),
  }));
  const isLabelled = charts.some(({ marks, runs }) => marks.length > 0 || runs.some(isMarked));
  return charts.map((chart) => ({ ...chart, isLabelled }));
}

function isMarked({ steadyFrom, changes, discardedS }: TimelineRun): boolean {
  return steadyFrom !== null || changes.length > 0 || discardedS !== undefined;
}

/** Of seconds: intervals are whole milliseconds. */
const MOST_DECIMALS = 3;

function timelineRun(run: Run, unit: DisplayUnit, tracks: readonly Track[]): TimelineRun {
  const intervals = intervalsOf(run);
  return {
    label: `run ${run.repetition}`,
    repetition: run.repetition,
    t: intervals.map(({ point }) => Number(point.endS.toFixed(MOST_DECIMALS))),
    rate: intervals.map(({ ratePerSec }) => compact(ratePerSec)),
    ...(intervals.some(({ failedPerSec }) => failedPerSec > 0) && {
      failed: intervals.map(({ failedPerSec }) => compact(failedPerSec)),
    }),
    latency: POINT_PERCENTILES.map((p) =>
      intervals.map(({ point }) => isEmpty(point) ? null : compact(point[p] / unit.size))
    ),
    ...boundsOf(intervals.map(({ point }) => point)),
    tracks: tracks.map(({ values }) =>
      (values.get(run) ?? []).map((value) => value === null ? null : compact(value))
    ),
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

// What was planned: how much was offered when, what happened at which moment, and what does not count.

/** What of the results holds the plan; a measurement alone has no experiment. */
type PlannedFor = Partial<Pick<Grouped, "experiment">>;

/** Of a load whose arrivals send one request each; otherwise nobody knows how many were due when. */
function offeredTo(runs: readonly Run[]): OfferedPart[] {
  const isOneEach = runs.every(({ sessions, requests }) =>
    sessions === null || sessions.created === requests.due
  );
  if (!isOneEach) return [];
  const [{ load }] = runs;
  switch (load.kind) {
    case "closed":
      return [];
    case "capacity":
      return load.rate === null
        ? []
        : [{ fromS: 0, toS: load.durationS, from: load.rate, to: load.rate }];
    case "rate":
      return [{ fromS: 0, toS: load.durationS, from: load.rate, to: load.rate }];
    case "phases":
      return startsOf(load.phases).map(({ atS, durationS, from, to }) => ({
        fromS: atS,
        toS: atS + durationS,
        from,
        to,
      }));
  }
}

type LoadPhase = Extract<Run["load"], { kind: "phases" }>["phases"][number];

/** Phases of arrivals, or stages of connections. */
function startsOf(phases: readonly LoadPhase[]): (LoadPhase & { readonly atS: number })[] {
  let atS = 0;
  return phases.map((phase) => {
    const started = { ...phase, atS };
    atS += phase.durationS;
    return started;
  });
}

/** Where phases and stages begin, and where instances are added. */
function marksOf(target: string, [{ load }]: readonly Run[], planned: PlannedFor): TimelineMark[] {
  const phases = load.kind === "phases" ? startsOf(load.phases) : [];
  const stages = load.kind === "closed" ? startsOf(load.stages ?? []) : [];
  const marks = [
    ...stages.map(({ atS, from, to }) => ({ atS, label: stageText(from, to) })),
    ...phases.map(({ atS, from, to }) => ({ atS, label: phaseText(from, to) })),
    ...addedTo(target, planned.experiment?.targets).map(({ at, instances }) => ({
      atS: at / 1_000,
      label: `+${counted(instances, "instance")}`,
    })),
  ];
  return marks.sort((a, b) => a.atS - b.atS);
}

function phaseText(from: number, to: number): string {
  return from === to ? `${formatTick(from)}/s` : `${formatTick(from)} → ${formatTick(to)}/s`;
}

function stageText(from: number, to: number): string {
  return from === to
    ? counted(to, "connection")
    : `${formatCount(from)} → ${counted(to, "connection")}`;
}

const added = z.object({ at: z.number(), instances: z.number() });
const gateway = z.object({
  cluster: z.object({ of: z.string().optional(), add: added.optional() }).optional(),
  proxy: z.object({ origin: z.string().optional() }).optional(),
});

/** To a cluster, or to one behind the target. @param targets Of the experiment. */
function addedTo(target: string | undefined, targets: unknown): z.output<typeof added>[] {
  if (target === undefined) return [];
  const spec = gateway.safeParse(Object(targets)[target]).data;
  if (spec === undefined) return [];
  const { cluster, proxy } = spec;
  return [
    ...(cluster?.add ? [cluster.add] : []),
    ...addedTo(cluster?.of ?? proxy?.origin, targets),
  ];
}

function discardedIn(run: Run, part: CountedPart): Pick<TimelineRun, "discardedS"> {
  const first = countedFrom(run, part);
  return first === 0 ? {} : { discardedS: run.timeline.points[first - 1].endS };
}

/** `Marked: +1 instance at 2 s; discarded: until 1 s.`; "" where nothing is. */
export function marksText(charts: readonly Timeline[]): string {
  const marks = unique(
    charts.flatMap(({ marks }) =>
      marks.map(({ atS, label }) => `${label} at ${formatExactly(atS)}`)
    ),
  );
  const discarded = charts.flatMap(({ runs }) =>
    runs.flatMap(({ discardedS }) => discardedS ?? [])
  );
  const longest = Math.max(...discarded);
  return [
    ...(marks.length > 0 ? [`Marked: ${marks.join(", ")}.`] : []),
    ...(discarded.length > 0
      ? [
        `Hatched: the start that no figure counts, ${
          longest === Math.min(...discarded) ? "" : "up to "
        }${formatExactly(longest)}.`,
      ]
      : []),
  ].join(" ");
}
