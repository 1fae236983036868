/** Runs side by side on one axis: converts moments of runs to positions on the axis, and back. */
import type { Scale } from "chart.js";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { formatTick } from "../../writing/units.ts";
import { roundStep } from "../../render/html/ticks.ts";
import { type AxisOptions, valueScale } from "../charts/scales.ts";

/**
 * Runs side by side. `span` is how many seconds of the axis each run takes up, and `t` holds the ends of a run's
 * intervals.
 */
export interface RunsAxis {
  readonly span: number;
  readonly runs: readonly { readonly label: string; readonly t: readonly number[] }[];
}

/** Gap between runs, as a share of a run's width. */
const GAP = 0.06;

/** Where a run begins on the axis. @param index Position of the run among those shown. */
export function startOf({ span }: RunsAxis, index: number): number {
  return index * span * (1 + GAP);
}

/**
 * A moment of a run. `run` is the run's position among those shown; `seconds` counts from its start, and is at most the
 * span.
 */
export interface RunMoment {
  readonly run: number;
  readonly seconds: number;
}

/**
 * The moment at a position on the axis.
 * @param run The run to which the moment must belong; null for the run at this position.
 */
export function momentAt(data: RunsAxis, value: number, run: number | null): RunMoment {
  const under = Math.floor(value / startOf(data, 1) + 1e-6);
  const of = run ?? Math.max(0, Math.min(under, data.runs.length - 1));
  return { run: of, seconds: Math.min(data.span, Math.max(0, value - startOf(data, of))) };
}

/**
 * Index of the interval that contains a moment, or of the last interval if the moment is later. −1 if the run has no
 * intervals.
 */
export function intervalAt({ runs }: RunsAxis, { run, seconds }: RunMoment): number {
  const t = runs[run]?.t ?? [];
  const interval = t.findIndex((endS) => seconds <= endS);
  return interval < 0 ? t.length - 1 : interval;
}

/**
 * Start and end of the interval that contains a moment, in seconds from the start of its run; null if the run has no
 * intervals.
 */
export function intervalTimes(data: RunsAxis, moment: RunMoment): TimeRange | null {
  const interval = intervalAt(data, moment);
  if (interval < 0) return null;
  const { t } = data.runs[moment.run];
  return { fromS: t[interval - 1] ?? 0, toS: t[interval] };
}

/** A point of a stepped line: each value holds from the start of its interval to the end. */
export interface StepPoint {
  readonly x: number;
  readonly y: number | null;
}

/**
 * The points of a stepped line: two for each interval, and two that end the line of each run.
 * @param values The values of each run.
 */
export function stepPoints(
  data: RunsAxis,
  values: readonly (readonly (number | null)[])[],
): StepPoint[] {
  return data.runs.flatMap(({ t }, run) => {
    const start = startOf(data, run);
    const end = { x: start + (t.at(-1) ?? 0), y: null };
    return [
      ...t.flatMap((endS, i) => [
        { x: start + (t[i - 1] ?? 0), y: values[run][i] },
        { x: start + endS, y: values[run][i] },
      ]),
      end,
      end,
    ];
  });
}

/**
 * Index of the first point of the interval that contains a moment, which is the same in every line of `stepPoints`;
 * null if there is no interval.
 */
export function indexOf(data: RunsAxis, moment: RunMoment): number | null {
  const interval = intervalAt(data, moment);
  if (interval < 0) return null;
  return 2 * data.runs.slice(0, moment.run).reduce((sum, { t }) => sum + t.length + 1, interval);
}

/** An interval in words, such as `run 2, 4–4.25 s`; if there is only one run, the name of the run is left out. */
export function intervalText({ runs }: RunsAxis, run: number, { fromS, toS }: TimeRange): string {
  const times = `${formatTick(fromS)}–${formatTick(toS)} s`;
  return runs.length > 1 ? `${runs[run].label}, ${times}` : times;
}

const TICK_PX = 44;
/**
 * Ticks that are nearer to the start of the next run than this share of the distance between ticks are left out,
 * because their labels would collide.
 */
const NEAR_NEXT_RUN = 0.45;

/** A time axis with ticks at round numbers of seconds since the start of each run. */
export function timeScale(data: RunsAxis): AxisOptions {
  const { runs, span } = data;
  const max = startOf(data, runs.length - 1) + span;
  const plain = valueScale({ unit: "", scale: "linear", min: 0, max });
  return {
    ...plain,
    grid: { display: false },
    ticks: {
      ...plain.ticks,
      callback: (value) => {
        const { seconds } = momentAt(data, Number(value), null);
        return seconds < 1e-6 ? "0 s" : formatTick(seconds);
      },
    },
    afterBuildTicks: (scale: Scale) => {
      const most = Math.max(1, Math.floor(scale.chart.width / TICK_PX / runs.length));
      const step = roundStep(span / most);
      const last = Math.min(span, startOf(data, 1) - step * NEAR_NEXT_RUN);
      const count = Math.floor(last / step + 1e-6) + 1;
      scale.ticks = runs.flatMap((_, run) =>
        Array.from({ length: count }, (_, i) => ({ value: startOf(data, run) + i * step }))
      );
    },
  };
}
