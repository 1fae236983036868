/** Axes of values: the unit at the highest tick (of a track, in its title), logarithmic steps of 1, 2, 5, tracks above each other. */
import type { Scale, ScaleOptions } from "chart.js";
import type { Axis } from "../../subjects/charts/charts.ts";
import { formatTick } from "../../writing/units.ts";
import type { Theme } from "./theme.ts";

export type AxisOptions = ScaleOptions<"linear" | "logarithmic">;

/** Room above the highest value for the track's title: no line goes through it. */
const TITLE_PX = 16;

/** Tracks have one width, which the stack takes from any of them: that of "200,000" with its padding. */
export const TICKS_PX = 54;

interface TrackOptions {
  readonly theme: Theme;
  /** Height among the tracks; a higher one has room for more ticks. */
  readonly weight: number;
}

export function trackScale(axis: Axis, { theme, weight }: TrackOptions): AxisOptions {
  const headroom = TITLE_PX / (WEIGHT_PX * weight - TITLE_PX);
  const ratio = axis.max / axis.min;
  const max = axis.scale === "log"
    ? axis.max * ratio ** headroom
    : axis.max + (axis.max - axis.min) * headroom;
  // Chart.js adds up the values of lines that name one stack, unless their axis forbids it.
  const stacking = { stack: "tracks", stackWeight: weight, stacked: false } as const;
  const place = { axis: "y", position: "left", ...stacking } as const;
  const afterFit = (scale: Scale): void => void (scale.width = Math.max(scale.width, TICKS_PX));
  const whole = { ...axis, unit: "", max };
  const afterBuildTicks = (drawn: Scale): void => setTicks(drawn, trackTicks(whole, weight));
  return { ...valueScale(whole, theme), ...place, afterFit, afterBuildTicks };
}

/** Height of a track of weight 1, about. */
const WEIGHT_PX = 29;
/** From the middle of a label to that of the next, which may be the lowest of the track above. */
const LABEL_PX = 13;

/** None so near to the top that it would run into the track above. */
export function trackTicks(axis: Axis, weight: number): number[] {
  const share = 1 - LABEL_PX / (WEIGHT_PX * weight);
  const { scale, min, max } = axis;
  const top = scale === "log" ? min * (max / min) ** share : min + (max - min) * share;
  return ticksOf({ ...axis, max: top }, weight);
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
    afterBuildTicks: (drawn: Scale) => setTicks(drawn, ticksOf(axis, ticks)),
  };
}

function setTicks(drawn: Scale, values: readonly number[]): void {
  drawn.ticks = values.map((value) => ({ value }));
}

function ticksOf(axis: Axis, ticks: number): number[] {
  return axis.scale === "log" ? logTicks(axis, ticks) : linearTicks(axis, ticks);
}

/** Steps within a decade, finest first; the first with few enough ticks is taken. */
const LOG_STEPS = [[1, 2, 5], [1, 3], [1]];

export function logTicks({ min, max }: Axis, ticks: number): number[] {
  const first = Math.floor(Math.log10(min));
  const last = Math.floor(Math.log10(max));
  const decades = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  const choices = LOG_STEPS.map((steps) =>
    decades
      .flatMap((decade) => steps.map((step) => step * decade))
      .filter((value) => value >= min && value <= max)
  );
  return choices.find(({ length }) => length <= ticks) ??
    someOf(choices[choices.length - 1], ticks);
}

/** Every second decade, or third, and so on: 1 is among them. */
function someOf(decades: readonly number[], ticks: number): number[] {
  const step = Math.ceil(decades.length / ticks);
  return decades.filter((decade) => Math.round(Math.log10(decade)) % step === 0);
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
