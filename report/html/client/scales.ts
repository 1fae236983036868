/** Axes of values: the unit at the highest tick (of a lane, in its title), logarithmic steps of 1, 2, 5, lanes above each other. */
import type { Scale, ScaleOptions } from "chart.js";
import type { Axis } from "../../charts.ts";
import { formatTick } from "../../units.ts";
import type { Theme } from "./theme.ts";

export type AxisOptions = ScaleOptions<"linear" | "logarithmic">;

/** Room above the highest value for the lane's title, as a share of the axis. */
const HEADROOM = 0.18;

interface LaneOptions {
  readonly theme: Theme;
  /** Height among the lanes; a higher one has room for more ticks. */
  readonly weight: number;
}

export function laneScale(axis: Axis, { theme, weight }: LaneOptions): AxisOptions {
  const ratio = axis.max / axis.min;
  const max = axis.scale === "log" ? axis.max * ratio ** HEADROOM : axis.max * (1 + HEADROOM);
  const place = { axis: "y", position: "left", stack: "lanes", stackWeight: weight } as const;
  return { ...valueScale({ ...axis, unit: "", max }, theme, weight), ...place };
}

export function valueScale(axis: Axis, theme: Theme, ticks = 5): AxisOptions {
  const { unit, scale, min, max } = axis;
  return {
    type: scale === "log" ? "logarithmic" : "linear",
    min,
    max,
    border: { color: theme.line },
    grid: { color: theme.line, drawTicks: false },
    ticks: {
      color: theme.muted,
      font: { family: theme.font, size: 11 },
      maxRotation: 0,
      autoSkip: false,
      padding: 5,
      callback: (value, index, all) =>
        formatTick(Number(value)) + (index === all.length - 1 && unit ? ` ${unit}` : ""),
    },
    afterBuildTicks: (drawn: Scale) => {
      const values = scale === "log" ? logTicks(axis, ticks) : linearTicks(axis, ticks);
      drawn.ticks = values.map((value) => ({ value }));
    },
  };
}

/** Steps within a decade, finest first; the first with few enough ticks is taken. */
const LOG_STEPS = [[1, 2, 5], [1, 3], [1]];

function logTicks({ min, max }: Axis, ticks: number): number[] {
  const first = Math.floor(Math.log10(min));
  const last = Math.floor(Math.log10(max));
  const decades = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  const choices = LOG_STEPS.map((steps) =>
    decades
      .flatMap((decade) => steps.map((step) => step * decade))
      .filter((value) => value >= min && value <= max)
  );
  return choices.find(({ length }) => length <= ticks) ?? choices[choices.length - 1];
}

/** Round values from `min` to at most `max`, about as many as `ticks`. */
function linearTicks({ min, max }: Axis, ticks: number): number[] {
  const step = roundStep((max - min) / ticks);
  return Array.from({ length: Math.floor((max - min) / step) + 1 }, (_, i) => min + i * step);
}

/** The smallest of 1, 2, 2.5, 5, 10, … that is at least `step`. */
export function roundStep(step: number): number {
  const decade = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 2.5, 5].find((factor) => factor * decade >= step) ?? 10) * decade;
}
