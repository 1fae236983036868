/** Makes a timeline for each cell, with the same axes for all. */
import * as z from "zod";
import type { Run } from "../../../runner/result/result.ts";
import type { CountersPoint } from "../../../runner/result/runtime/counters.ts";
import { countedFrom } from "../../../runner/stats/confidence/pool.ts";
import { segmentsOf } from "../../../runner/stats/steady_state/steady_state.ts";
import { type CellRuns, type Grouped, repeatedOf } from "../../cells/cells.ts";
import {
  type Axis,
  axisOver,
  compact,
  LATENCY_LOG_FROM,
  type OfferedPart,
  type Timeline,
  type TimelineMark,
  type TimelineRun,
} from "../../chart.ts";
import {
  intervalsOf,
  isEmpty,
  lowerBoundsIn,
  POINT_PERCENTILES,
  type TimelineInterval,
} from "../../figures/intervals.ts";
import { peakMemoryBytesOf, pointAt } from "../../figures/resources.ts";
import {
  type DisplayUnit,
  formatCount,
  formatExactly,
  formatTick,
  sizeUnit,
  timeUnit,
} from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";

/** The experiment, which holds what was planned; absent for a single measurement. */
type PlannedFor = Partial<Pick<Grouped, "experiment">>;

/** One chart for each cell, all with the same axes. */
export function timelinesOf(cells: readonly CellRuns[], planned: PlannedFor): Timeline[] {
  const part = repeatedOf(planned);
  const offered = cells.map(({ runs }) => offeredTo(runs));
  const runs = cells.flatMap((cell) => cell.runs);
  const intervals = runs.flatMap(intervalsOf);
  const points = intervals.map(({ point }) => point).filter((point) => !isEmpty(point));
  const unit = timeUnit(points.map(({ p50 }) => p50));
  const latencies = points.flatMap(({ p50, p99 }) => [p50 / unit.size, p99 / unit.size]);
  const tracks = tracksOf(runs);
  const shared = {
    kind: "timeline" as const,
    percentiles: POINT_PERCENTILES,
    span: Math.max(...runs.map(({ elapsedS }) => elapsedS)),
    latency: axisOver(unit.name, latencies, { logFrom: LATENCY_LOG_FROM }),
    rate: axisOver("requests/s", [
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
    runs: runs.map((run): TimelineRun => {
      const first = countedFrom(run, part);
      return {
        ...timelineRun(run, unit, tracks),
        ...first > 0 && { discardedS: run.timeline.points[first - 1].endS },
      };
    }),
  }));
  const isLabelled = charts.some(({ marks, runs }) =>
    marks.length > 0 ||
    runs.some(({ steadyFrom, changes, discardedS }) =>
      steadyFrom !== null || changes.length > 0 || discardedS !== undefined
    )
  );
  return charts.map((chart) => ({ ...chart, isLabelled }));
}

/** Decimals of seconds. Ends of intervals are whole milliseconds. */
const MOST_DECIMALS = 3;

function timelineRun(run: Run, unit: DisplayUnit, tracks: readonly Track[]): TimelineRun {
  const intervals = intervalsOf(run);
  const bounds = intervals.map(({ point }) => lowerBoundsIn(point));
  return {
    label: `run ${run.repetition}`,
    t: intervals.map(({ point }) => Number(point.endS.toFixed(MOST_DECIMALS))),
    rate: intervals.map(({ ratePerSec }) => compact(ratePerSec)),
    ...intervals.some(({ failedPerSec }) => failedPerSec > 0) && {
      failed: intervals.map(({ failedPerSec }) => compact(failedPerSec)),
    },
    latency: POINT_PERCENTILES.map((p) =>
      intervals.map(({ point }) => isEmpty(point) ? null : compact(point[p] / unit.size))
    ),
    // Omitted if there are no lower bounds, as in most runs.
    ...bounds.some(({ length }) => length > 0) && {
      lowerBounds: Object.fromEntries(
        POINT_PERCENTILES.map((p) => [p, bounds.flatMap((names, i) => names.includes(p) ? i : [])]),
      ),
    },
    tracks: tracks.map(({ values }) =>
      (values.get(run) ?? []).map((value) => value === null ? null : compact(value))
    ),
    steadyFrom: run.warmup?.steadyFromS ?? null,
    changes: levelChangesS(run),
  };
}

/** Changes of latency and rate within this many intervals of each other count as one. */
const SAME = 3;

/**
 * Seconds at which latency or rate changes its level, by the same method that judges the steady state. Empty if the
 * load itself changes.
 */
function levelChangesS(run: Run): number[] {
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

// The tracks drawn below the one for requests per second: messages, the target's resources, and
// what its runtime reported.

interface Track {
  readonly title: string;
  /** The axis that all runs share. */
  readonly axis: Axis;
  /** For each run, one value for each interval; null if unknown. */
  readonly values: ReadonlyMap<Run, readonly (number | null)[]>;
}

const COMPILER_TRACKS = [
  ["Optimised by Maglev", "maglev"],
  ["Optimised by TurboFan", "turbofan"],
  ["Deoptimised", "deoptimized"],
] as const;

const MESSAGE_TIMES = [
  ["First message, p99", "ttfe"],
  ["Between messages, p99", "gap"],
  ["Message latency, p99", "message"],
] as const;

/** The tracks from top to bottom, without those that have no values. */
function tracksOf(runs: readonly Run[]): Track[] {
  const memory = sizeUnit(runs.map(peakMemoryBytesOf));
  return [
    trackOf(
      runs,
      "Messages",
      "/s",
      0,
      (_run, _atS, { point: { messages }, seconds }) => messages && messages.received / seconds,
    ),
    trackOf(
      runs,
      "Messages failed",
      "/s",
      0,
      (_run, _atS, { point: { messages }, seconds }) =>
        messages && (messages.failed ?? 0) / seconds,
    ),
    ...MESSAGE_TIMES.map(([title, of]) => messageTrack(runs, title, of)),
    trackOf(runs, "CPU", "cores", 1, (run, atS) => pointAt(run, atS)?.cpu),
    trackOf(runs, "Memory", memory.name, 0, (run, atS) => {
      const point = pointAt(run, atS);
      return point && point.memory / memory.size;
    }),
    trackOf(runs, "Stopped by collections", "ms/s", 10, (run, atS) => {
      const point = countersAt(run, atS);
      return point && point.stoppedMs / run.timeline.intervalS;
    }),
    trackOf(runs, "Event loop late", "ms", 10, (run, atS) => countersAt(run, atS)?.delay),
    ...COMPILER_TRACKS.map(([title, work]) =>
      trackOf(runs, title, "functions/s", 0, (run, atS) => {
        const done = countersAt(run, atS)?.compiler?.[work];
        return done && done / run.timeline.intervalS;
      })
    ),
  ].flat();
}

function messageTrack(
  runs: readonly Run[],
  title: string,
  of: typeof MESSAGE_TIMES[number][1],
): Track[] {
  const known = runs.flatMap(({ timeline: { points } }) =>
    points.flatMap(({ messages }) => messages?.[of]?.p99 ?? [])
  );
  const unit = timeUnit(known);
  return trackOf(runs, title, unit.name, 0, (_run, _atS, { point: { messages } }) => {
    const p99 = messages?.[of]?.p99;
    return p99 && p99 / unit.size;
  });
}

/** Reads the value of a track for a run at a moment; null or undefined if it is unknown. */
type ValueAt = (run: Run, atS: number, interval: TimelineInterval) => number | null | undefined;

/**
 * A track with a value for each interval of each run.
 *
 * @param least The axis covers at least this much, so that tiny values look tiny.
 */
function trackOf(
  runs: readonly Run[],
  title: string,
  unit: string,
  least: number,
  valueAt: ValueAt,
): Track[] {
  const values = new Map(runs.map((run) => [
    run,
    intervalsOf(run).map((interval) =>
      valueAt(run, interval.point.endS - run.timeline.intervalS / 2, interval) ?? null
    ),
  ]));
  const known = [...values.values()].flat().filter((value) => value !== null);
  const isEmpty = known.length === 0 || least === 0 && known.every((value) => value === 0);
  return isEmpty ? [] : [{ title, axis: axisOver(unit, [least, ...known]), values }];
}

/** The runtime's report for the interval around a moment; null if there is none. */
function countersAt({ counters, timeline }: Run, atS: number): CountersPoint | null {
  const point = counters?.points.find(({ endS }) => endS >= atS);
  return point !== undefined && point.endS - timeline.intervalS < atS ? point : null;
}

// Planned events: offered rates over time, marked moments, and the discarded part.

type LoadPhase = Extract<Run["load"], { kind: "phases" }>["phases"][number];

/** Phases of arrivals, or stages of connections, with the second at which each begins. */
function startsOf(phases: readonly LoadPhase[]): (LoadPhase & { readonly atS: number })[] {
  let endS = 0;
  return phases.map((phase) => ({ ...phase, atS: (endS += phase.durationS) - phase.durationS }));
}

/**
 * The offered rate over time. Empty unless each arrival sends exactly one request, because it is otherwise unknown how
 * many requests were due at which moment.
 */
function offeredTo(runs: readonly Run[]): OfferedPart[] {
  const isOneEach = runs.every(({ sessions, requests }) =>
    sessions === null || sessions.created === requests.due
  );
  const [{ load }] = runs;
  if (!isOneEach || load.kind === "closed") return [];
  if (load.kind === "phases") {
    return startsOf(load.phases)
      .map(({ atS, durationS, from, to }) => ({ fromS: atS, toS: atS + durationS, from, to }));
  }
  const { rate, durationS } = load;
  return rate === null ? [] : [{ fromS: 0, toS: durationS, from: rate, to: rate }];
}

/** The moments at which phases and stages begin, and at which instances are added. */
function marksOf(target: string, [{ load }]: readonly Run[], planned: PlannedFor): TimelineMark[] {
  const phases = load.kind === "phases" ? startsOf(load.phases) : [];
  const stages = load.kind === "closed" ? startsOf(load.stages ?? []) : [];
  const rising = (from: number, to: number, format: (value: number) => string): string =>
    from === to ? "" : `${format(from)} → `;
  return [
    ...stages.map(({ atS, from, to }) => ({
      atS,
      label: `${rising(from, to, formatCount)}${counted(to, "connection")}`,
    })),
    ...phases.map(({ atS, from, to }) => ({
      atS,
      label: `${rising(from, to, formatTick)}${formatTick(to)}/s`,
    })),
    ...addedTo(target, planned.experiment?.targets).map(({ at, instances }) => ({
      atS: at / 1_000,
      label: `+${counted(instances, "instance")}`,
    })),
  ].sort((a, b) => a.atS - b.atS);
}

const added = z.object({ at: z.number(), instances: z.number() });
const gateway = z.object({
  cluster: z.object({ of: z.string().optional(), add: added.optional() }).optional(),
  proxy: z.object({ origin: z.string().optional() }).optional(),
});

/**
 * Instances added to the target's cluster, and to clusters behind it.
 * @param targets Targets of the experiment.
 */
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

/**
 * For example `Marked: +1 instance at 2 s.` and `Hatched: the start of each run, which no figure counts (up to 1 s).`;
 * "" without marks.
 */
export function marksText(charts: readonly Timeline[]): string {
  const marks = unique(
    charts.flatMap(({ marks }) =>
      marks.map(({ atS, label }) => `${label} at ${formatExactly(atS)}`)
    ),
  );
  const discarded = charts.flatMap(({ runs }) => runs.flatMap(({ discardedS = [] }) => discardedS));
  const [least, most] = [Math.min(...discarded), Math.max(...discarded)];
  const start = `${least === most ? "" : "up to "}${formatExactly(most)}`;
  return [
    ...marks.length > 0 ? [`Marked: ${marks.join(", ")}.`] : [],
    ...discarded.length > 0
      ? [`Hatched: the start of each run, which no figure counts (${start}).`]
      : [],
  ].join(" ");
}
