/// <reference lib="dom" />
/**
 * Axes for values, with ticks at round numbers. The axis of a track (one of the plots that are stacked above a time
 * axis) shows no unit, because the title of the track contains it.
 */
import type { Scale, ScaleOptions } from "chart.js";
import type { Axis } from "../../chart.ts";
import { type Range, ticksAcross, ticksOf, tickText } from "../../render/html/ticks.ts";

export type AxisOptions = ScaleOptions<"linear" | "logarithmic">;

/** The least distance between grid lines. */
const GRID_PX = 36;

export function valueScale(axis: Axis): AxisOptions {
  const { unit, scale, min, max, title = "" } = axis;
  return {
    ...{ type: scale === "log" ? "logarithmic" : "linear", min, max },
    // With bars, Chart.js would otherwise leave room at both ends of the axis.
    offset: false,
    grid: { drawTicks: false, offset: false },
    title: { display: title !== "", text: title, font: { size: 12 }, padding: 2 },
    ticks: {
      font: ({ tick }) => ({ weight: unit === "×" && tick?.value === 1 ? 600 : "normal" }),
      maxRotation: 0,
      autoSkip: false,
      padding: 5,
      callback: (value, index, all) => tickText(axis, Number(value), index === all.length - 1),
    },
    afterBuildTicks: (drawn: Scale) => {
      drawn.ctx.font = `11px ${drawn.chart.options.font?.family}`;
      setTicks(
        drawn,
        drawn.isHorizontal()
          ? ticksAcross(axis, drawn.width, (text) => drawn.ctx.measureText(text).width)
          : axis.ticks?.map(({ at }) => at) ??
            ticksOf(axis, Math.max(3, Math.floor(drawn.height / GRID_PX))),
      );
    },
  };
}

function setTicks(drawn: Scale, values: readonly number[]): void {
  drawn.ticks = values.map((value) => ({ value }));
}

/**
 * Width of the tick labels of each track, which fits "200,000" with its padding. It is the same for all tracks, because
 * Chart.js lays out all axes of a stack with a single width.
 */
export const TICKS_PX = 54;
/** Room above a track's highest value for its title, which no line crosses. */
const TITLE_PX = 16;
/** Approximate height of a track of weight 1. */
const WEIGHT_PX = 29;
/** The least distance between the middles of two labels. They may belong to adjacent tracks. */
const LABEL_PX = 13;

/** The axis of a track. @param weight Height relative to other tracks; a taller track has room for more ticks. */
export function trackScale(axis: Axis, weight: number): AxisOptions {
  const headroom = TITLE_PX / (WEIGHT_PX * weight - TITLE_PX);
  const max = axis.scale === "log"
    ? axis.max * (axis.max / axis.min) ** headroom
    : axis.max + (axis.max - axis.min) * headroom;
  const whole = { ...axis, unit: "", max };
  return {
    ...valueScale(whole),
    // Chart.js would otherwise add up the values of lines in the same stack.
    ...{ axis: "y", position: "left", stack: "tracks", stackWeight: weight, stacked: false },
    afterFit: (scale: Scale) => void (scale.width = Math.max(scale.width, TICKS_PX)),
    afterBuildTicks: (scale: Scale) => setTicks(scale, trackTicks(whole, weight)),
  };
}

/**
 * Ticks of a track, without those so near to its top that their labels would collide with labels of the track above.
 */
export function trackTicks(axis: Range, weight: number): number[] {
  const share = 1 - LABEL_PX / (WEIGHT_PX * weight);
  const { scale, min, max } = axis;
  const top = scale === "log" ? min * (max / min) ** share : min + (max - min) * share;
  return ticksOf({ ...axis, max: top }, weight);
}
