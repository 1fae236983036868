/** Converts moments of runs that are shown side by side to positions on the axis, and back. */
import type { Scale } from "chart.js";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { formatTick } from "../../writing/units.ts";
import { roundStep } from "../../render/html/ticks.ts";
import { type AxisOptions, valueScale } from "../charts/scales.ts";

/** Runs side by side: the seconds that each takes on the axis, and the ends of its intervals. */
export interface RunsAxis {
  readonly span: number;
  readonly runs: readonly { readonly label: string; readonly t: readonly number[] }[];
}

/** Gap between runs, as a share of a run's width. */
const GAP = 0.06;

/** Where run `index` begins on the axis. */
export function startOf({ span }: RunsAxis, index: number): number {
  return index * span * (1 + GAP);
}

/** A moment of a run: the run's position among those shown, and seconds from its start, at most the span. */
export interface RunMoment {
  readonly run: number;
  readonly seconds: number;
}

/** The moment at a position on the axis. @param run Null: whichever run contains the position. */
export function momentAt(data: RunsAxis, value: number, run: number | null): RunMoment {
  const under = Math.floor(value / startOf(data, 1) + 1e-6);
  const of = run ?? Math.max(0, Math.min(under, data.runs.length - 1));
  return { run: of, seconds: Math.min(data.span, Math.max(0, value - startOf(data, of))) };
}

/** Index of the interval that contains a moment, or of the last one if the moment is later. −1 without intervals. */
export function intervalAt({ runs }: RunsAxis, { run, seconds }: RunMoment): number {
  const t = runs[run]?.t ?? [];
  const interval = t.findIndex((endS) => seconds <= endS);
  return interval < 0 ? t.length - 1 : interval;
}

/** Start and end of the interval that contains a moment, from the start of its run; null without intervals. */
export function intervalTimes(data: RunsAxis, moment: RunMoment): TimeRange | null {
  const interval = intervalAt(data, moment);
  if (interval < 0) return null;
  const { t } = data.runs[moment.run];
  return { fromS: t[interval - 1] ?? 0, toS: t[interval] };
}

/** A point of a stepped line, whose value holds from the start of an interval to its end. */
export interface StepPoint {
  readonly x: number;
  readonly y: number | null;
}

/** Two points for each interval, run by run, with two more to end each run's line. @param values Values of each run. */
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

/** Index, the same in every line, of the first point of the interval that contains a moment; null if there is none. */
export function indexOf(data: RunsAxis, moment: RunMoment): number | null {
  const interval = intervalAt(data, moment);
  if (interval < 0) return null;
  return 2 * data.runs.slice(0, moment.run).reduce((sum, { t }) => sum + t.length + 1, interval);
}

/** `run 2, 4–4.25 s`; for a single run, only the times. */
export function intervalText({ runs }: RunsAxis, run: number, { fromS, toS }: TimeRange): string {
  const times = `${formatTick(fromS)}–${formatTick(toS)} s`;
  return runs.length > 1 ? `${runs[run].label}, ${times}` : times;
}

const TICK_PX = 44;
/** A tick that is nearer to the next run's start than this many steps would collide with its label. */
const NEAR_NEXT_RUN = 0.45;

/** Ticks in seconds since the start of each run, at round steps. */
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
