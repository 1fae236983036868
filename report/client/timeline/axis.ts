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

/** A moment of a run. */
export interface RunMoment {
  /** Its position among those shown. */
  readonly run: number;
  /** From the start of its run, at most the span. */
  readonly seconds: number;
}

/**
 * The moment that a value of the axis stands for, in the run that it lies in, or in a given one.
 *
 * @param run Null: whichever the value lies in.
 */
export function momentAt(data: RunsAxis, value: number, run: number | null): RunMoment {
  const under = Math.floor(value / startOf(data, 1) + 1e-6);
  const of = run ?? Math.max(0, Math.min(under, data.runs.length - 1));
  return { run: of, seconds: Math.min(data.span, Math.max(0, value - startOf(data, of))) };
}

/** Index of the interval that a moment lies in; of the last one where it lies after all. −1 without any. */
export function intervalAt({ runs }: RunsAxis, { run, seconds }: RunMoment): number {
  const t = runs[run]?.t ?? [];
  const interval = t.findIndex((endS) => seconds <= endS);
  return interval < 0 ? t.length - 1 : interval;
}

/** The times of that interval, from the start of its run; null without any. */
export function intervalTimes(data: RunsAxis, moment: RunMoment): TimeRange | null {
  const interval = intervalAt(data, moment);
  if (interval < 0) return null;
  const { t } = data.runs[moment.run];
  return { fromS: t[interval - 1] ?? 0, toS: t[interval] };
}

/** The middle of that interval; null without any. */
export function middleOf(data: RunsAxis, moment: RunMoment): RunMoment | null {
  const times = intervalTimes(data, moment);
  return times && { run: moment.run, seconds: (times.fromS + times.toS) / 2 };
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

/** Of the points of every line, the first one of the interval that a moment lies in; null without any. */
export function indexOf(data: RunsAxis, moment: RunMoment): number | null {
  const interval = intervalAt(data, moment);
  if (interval < 0) return null;
  return 2 * data.runs.slice(0, moment.run).reduce((sum, { t }) => sum + t.length + 1, interval);
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
