/** Cells → timelines that share their axes. */
import { latencyAxis } from "./time_range.ts";
import type { Run } from "../../../runner/result/result.ts";
import type { CellRuns } from "../runs/cells.ts";
import { type Axis, compact, type TimelineChart, type TimelineRun } from "./charts.ts";
import {
  type IntervalPoint,
  intervalsOf,
  isEmpty,
  lowerBoundsIn,
  POINT_PERCENTILES,
} from "../runs/intervals.ts";
import { peakMemoryBytesOf, pointAt } from "../runs/resources.ts";
import {
  type DisplayUnit,
  formatMs,
  formatNumber,
  formatShare,
  sizeUnit,
  timeUnit,
} from "../numbers/units.ts";
import { counted } from "../numbers/words.ts";
import { segmentsOf } from "../../../runner/stats/steady_state/steady_state.ts";
import { sum } from "../numbers/spread.ts";

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

// What stands out in the timelines of a scenario: the data, and the sentence of each code.

interface TimelineEvidence {
  readonly "no-request-ended": Readonly<Record<never, never>>;
  /** `p99`: milliseconds; `endS`: since the start of the run. */
  readonly "slowest-interval": {
    readonly run: string;
    readonly p99: number;
    readonly isAtLeast: boolean;
    readonly endS: number;
  };
  /** `swing`: standard deviation of the intervals' rates over their mean. */
  readonly "least-steady-run": { readonly run: string; readonly swing: number };
}

export type TimelineCode = keyof TimelineEvidence;
export type TimelineFindingOf<Code extends TimelineCode> = {
  readonly code: Code;
  readonly evidence: TimelineEvidence[Code];
};
type TimelineFinding = { [Code in TimelineCode]: TimelineFindingOf<Code> }[TimelineCode];

const SENTENCES: {
  readonly [Code in TimelineCode]: (evidence: TimelineEvidence[Code]) => string;
} = {
  "no-request-ended": () => "No request ended.",
  "slowest-interval": ({ run, p99, isAtLeast, endS }) =>
    `The slowest interval had a p99 of ${isAtLeast ? "at least " : ""}${formatMs(p99)}: ${run}, ` +
    `${formatNumber(endS)} s after its start.`,
  "least-steady-run": ({ run, swing }) =>
    `Requests/s were least steady in ${run}: ±${formatShare(swing)} around their mean.`,
};

/** The slowest moment and the least steady run, in sentences. */
export function timelineText(cells: readonly CellRuns[]): string {
  return timelineFindings(cells).map((finding) => timelineSentence(finding)).join(" ");
}

export function timelineSentence<Code extends TimelineCode>(
  { code, evidence }: TimelineFindingOf<Code>,
): string {
  return SENTENCES[code](evidence);
}

interface NamedRun {
  readonly name: string;
  readonly run: Run;
}

function timelineFindings(cells: readonly CellRuns[]): TimelineFinding[] {
  const runs = cells.flatMap(({ label, runs }) =>
    runs.map((run) => ({ name: `${label}, run ${run.repetition}`, run }))
  );
  return [slowestInterval(runs), ...leastSteadyRun(runs)];
}

function slowestInterval(runs: readonly NamedRun[]): TimelineFinding {
  const moments = runs.flatMap(({ name, run }) =>
    intervalsOf(run).filter(({ point }) => !isEmpty(point)).map(({ point }) => ({ name, point }))
  );
  const slowest = highest(moments, ({ point }: { point: IntervalPoint }) => point.p99);
  if (!slowest) return { code: "no-request-ended", evidence: {} };
  const { name: run, point } = slowest;
  const isAtLeast = lowerBoundsIn(point).includes("p99");
  return {
    code: "slowest-interval",
    evidence: { run, p99: point.p99, isAtLeast, endS: point.endS },
  };
}

/** None where no run swings. */
function leastSteadyRun(runs: readonly NamedRun[]): TimelineFinding[] {
  const swings = runs.map(({ name, run }) => ({ run: name, swing: swingOf(run) }));
  const worst = highest(swings, ({ swing }) => swing);
  return !worst || worst.swing === 0 ? [] : [{ code: "least-steady-run", evidence: worst }];
}

/** Standard deviation of the intervals' rates over their mean. */
function swingOf(run: Run): number {
  const rates = intervalsOf(run).map(({ ratePerSec }) => ratePerSec);
  const mean = sum(rates, (rate) => rate) / rates.length;
  const variance = sum(rates, (rate) => (rate - mean) ** 2) / rates.length;
  return mean > 0 ? Math.sqrt(variance) / mean : 0;
}

function highest<T>(items: readonly T[], of: (item: T) => number): T | null {
  return items.reduce<T | null>(
    (best, item) => best !== null && of(best) >= of(item) ? best : item,
    null,
  );
}
