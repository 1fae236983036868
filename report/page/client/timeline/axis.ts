/** Where moments of runs that stand side by side are on the axis, and back. */
import type { Scale } from "chart.js";
import type { TimelineChart } from "../../../model/charts/charts.ts";
import { formatNumber, formatTick } from "../../../model/numbers/units.ts";
import { type AxisOptions, roundStep } from "../charts/scales.ts";
import type { Theme } from "../charts/theme.ts";

/** Blank between two runs, as a share of a run's time. */
const GAP = 0.06;

/** One interval of one run, both by their position. */
interface IntervalPosition {
  readonly run: number;
  readonly interval: number;
}

/** Where run `index` begins on the axis. */
export function startOf({ span }: TimelineChart, index: number): number {
  return index * span * (1 + GAP);
}

/**
 * Seconds since the start of the run that a value of the axis lies in, or of a given run, from 0 to the span.
 *
 * @param run Null: whichever the value lies in.
 */
export function placeAt(
  data: TimelineChart,
  value: number,
  run: number | null,
): { readonly run: number; readonly seconds: number } {
  const under = Math.floor(value / startOf(data, 1) + 1e-6);
  const of = run ?? Math.max(0, Math.min(under, data.runs.length - 1));
  return { run: of, seconds: Math.min(data.span, Math.max(0, value - startOf(data, of))) };
}

/** Of the points of every dataset: those of each run, then a null. */
export function momentAt({ runs }: TimelineChart, index: number): IntervalPosition | null {
  let interval = index;
  for (const [run, { t }] of runs.entries()) {
    if (interval < t.length) return { run, interval };
    interval -= t.length + 1;
  }
  return null;
}

/** The inverse; null where the run has no such interval. */
export function indexOf(
  { runs }: TimelineChart,
  { run, interval }: IntervalPosition,
): number | null {
  if (interval >= (runs[run]?.t.length ?? 0)) return null;
  return runs.slice(0, run).reduce((sum, { t }) => sum + t.length + 1, interval);
}

/** What the point at `index` of every dataset is called. */
export function momentText(data: TimelineChart, index: number): string {
  const moment = momentAt(data, index);
  if (moment === null) return "";
  const { label, t } = data.runs[moment.run];
  return `${data.runs.length > 1 ? `${label}, ` : ""}${formatNumber(t[moment.interval])} s`;
}

const TICK_PX = 44;
/** A tick this near to the next run's start, in steps, would run into its label. */
const NEAR_NEXT_RUN = 0.45;

/** Seconds since the start of each run, at round steps. */
export function timeScale(data: TimelineChart, theme: Theme): AxisOptions {
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
      const most = Math.floor((startOf(data, 1) - step * NEAR_NEXT_RUN) / step);
      const seconds = Array.from({ length: most + 1 }, (_, i) => i * step);
      scale.ticks = runs.flatMap((_, i) =>
        seconds.map((second) => ({ value: startOf(data, i) + second }))
      );
    },
  };
}

function secondsText(data: TimelineChart, value: number): string {
  const run = Math.floor(value / startOf(data, 1) + 1e-6);
  const seconds = value - startOf(data, run);
  return seconds < 1e-6 ? "0 s" : formatTick(seconds);
}
