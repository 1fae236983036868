/** Where moments of runs that stand side by side are on the axis, and back. */
import type { Scale } from "chart.js";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { formatTick } from "../../writing/units.ts";
import { type AxisOptions, roundStep } from "../charts/scales.ts";
import type { Theme } from "../charts/theme.ts";

/** Runs side by side: seconds that each takes on the axis, and the ends of its intervals. */
export interface RunsAxis {
  readonly span: number;
  readonly runs: readonly { readonly label: string; readonly t: readonly number[] }[];
}

/** Blank between two runs, as a share of a run's time. */
const GAP = 0.06;

/** Where run `index` begins on the axis. */
export function startOf({ span }: RunsAxis, index: number): number {
  return index * span * (1 + GAP);
}

/**
 * Seconds since the start of the run that a value of the axis lies in, or of a given run, from 0 to the span.
 *
 * @param run Null: whichever the value lies in.
 */
export function placeAt(
  data: RunsAxis,
  value: number,
  run: number | null,
): { readonly run: number; readonly seconds: number } {
  const under = Math.floor(value / startOf(data, 1) + 1e-6);
  const of = run ?? Math.max(0, Math.min(under, data.runs.length - 1));
  return { run: of, seconds: Math.min(data.span, Math.max(0, value - startOf(data, of))) };
}

/** One interval of one run, both by their position. */
export interface IntervalPosition {
  readonly run: number;
  readonly interval: number;
}

/** The interval that a value of the axis lies in; between runs the last one before it. Null without one. */
export function intervalAt(data: RunsAxis, value: number): IntervalPosition | null {
  const { run, seconds } = placeAt(data, value, null);
  const { t } = data.runs[run];
  if (t.length === 0) return null;
  const interval = t.findIndex((endS) => seconds <= endS);
  return { run, interval: interval < 0 ? t.length - 1 : interval };
}

/** Seconds from the start of its run; null where the run has no such interval. */
export function intervalTimes(
  { runs }: RunsAxis,
  { run, interval }: IntervalPosition,
): TimeRange | null {
  const t = runs.at(run)?.t ?? [];
  return interval >= t.length ? null : { fromS: t[interval - 1] ?? 0, toS: t[interval] };
}

/** A step of a line: its value holds from the start of an interval to its end. */
export interface StepPoint {
  readonly x: number;
  readonly y: number | null;
}

/** Two points an interval, by run, each followed by two that end its line: every line has as many. */
export function stepPoints(
  data: RunsAxis,
  valuesOf: (run: number) => readonly (number | null)[],
): StepPoint[] {
  return data.runs.flatMap(({ t }, run) => {
    const values = valuesOf(run);
    const start = startOf(data, run);
    const end = { x: start + (t.at(-1) ?? 0), y: null };
    return [
      ...t.flatMap((endS, i) => [
        { x: start + (t[i - 1] ?? 0), y: values[i] },
        { x: start + endS, y: values[i] },
      ]),
      end,
      end,
    ];
  });
}

/** Of the points of every line, the first one of an interval; null where the run has no such interval. */
export function indexOf(
  { runs }: RunsAxis,
  { run, interval }: IntervalPosition,
): number | null {
  if (interval >= (runs[run]?.t.length ?? 0)) return null;
  return 2 * runs.slice(0, run).reduce((sum, { t }) => sum + t.length + 1, interval);
}

/** The inverse; null between the runs. */
export function momentAt({ runs }: RunsAxis, index: number): IntervalPosition | null {
  let interval = index >> 1;
  for (const [run, { t }] of runs.entries()) {
    if (interval < t.length) return { run, interval };
    interval -= t.length + 1;
  }
  return null;
}

/** What the point at `index` of every line is called: `run 2, 4–4.25 s`. */
export function momentText(data: RunsAxis, index: number): string {
  const moment = momentAt(data, index);
  const times = moment && intervalTimes(data, moment);
  if (moment === null || times === null) return "";
  const { label } = data.runs[moment.run];
  return `${data.runs.length > 1 ? `${label}, ` : ""}${intervalText(times)}`;
}

export function intervalText({ fromS, toS }: TimeRange): string {
  return `${formatTick(fromS)}–${formatTick(toS)} s`;
}

const TICK_PX = 44;
/** A tick this near to the next run's start, in steps, would run into its label. */
const NEAR_NEXT_RUN = 0.45;

/** Seconds since the start of each run, at round steps. */
export function timeScale(data: RunsAxis, theme: Theme): AxisOptions {
  const { runs, span } = data;
  return {
    type: "linear",
    min: 0,
    max: startOf(data, runs.length - 1) + span,
    border: { color: theme.line },
    grid: { display: false },
    ticks: {
      color: theme.muted,
      font: { family: theme.font, size: 11 },
      maxRotation: 0,
      autoSkip: false,
      callback: (value) => secondsText(data, Number(value)),
    },
    afterBuildTicks: (scale: Scale) => {
      const ticks = Math.max(1, Math.floor(scale.chart.width / TICK_PX / runs.length));
      const step = roundStep(span / ticks);
      const last = Math.min(span, startOf(data, 1) - step * NEAR_NEXT_RUN);
      const most = Math.floor(last / step + 1e-6);
      const seconds = Array.from({ length: most + 1 }, (_, i) => i * step);
      scale.ticks = runs.flatMap((_, i) =>
        seconds.map((second) => ({ value: startOf(data, i) + second }))
      );
    },
  };
}

function secondsText(data: RunsAxis, value: number): string {
  const run = Math.floor(value / startOf(data, 1) + 1e-6);
  const seconds = value - startOf(data, run);
  return seconds < 1e-6 ? "0 s" : formatTick(seconds);
}

/** A moment of a run. */
export interface RunMoment {
  /** Its position among those shown. */
  readonly run: number;
  /** From the start of its run. */
  readonly seconds: number;
}

/** By the first of the charts that has the run. */
export function intervalOfMoment(
  axes: readonly RunsAxis[],
  { run, seconds }: RunMoment,
): IntervalPosition | null {
  const axis = axes.find(({ runs }) => runs.length > run);
  return axis ? intervalAt(axis, startOf(axis, run) + seconds) : null;
}

/** The middle of an interval, by the first of the charts that has it. */
export function momentOfInterval(
  axes: readonly RunsAxis[],
  position: IntervalPosition,
): RunMoment | null {
  for (const axis of axes) {
    const times = intervalTimes(axis, position);
    if (times) return { run: position.run, seconds: (times.fromS + times.toS) / 2 };
  }
  return null;
}
