/// <reference lib="dom" />
/**
 * Axes of values: round ticks, linear in steps of 1, 2, 2.5, 5, logarithmic in steps of 1, 2, 5; the unit at the highest
 * one (of a track, in its title); of labels that would run into each other the more important ones.
 */
import type { Scale, ScaleOptions } from "chart.js";
import type { Axis } from "../../chart.ts";
import { formatTick } from "../../writing/units.ts";

export type AxisOptions = ScaleOptions<"linear" | "logarithmic">;

type Range = Pick<Axis, "scale" | "min" | "max">;

/** Between two labels of an axis. */
const GAP_PX = 10;
/** From a line of a grid to the next, at least. */
const GRID_PX = 36;

export function valueScale(axis: Axis): AxisOptions {
  const { unit, scale, min, max, title = "" } = axis;
  return {
    ...{ type: scale === "log" ? "logarithmic" : "linear", min, max },
    // Bars would have room beside the first and the last.
    offset: false,
    grid: { drawTicks: false, offset: false },
    title: { display: title !== "", text: title, font: { size: 12 }, padding: 2 },
    ticks: {
      font: ({ tick }) => ({ weight: unit === "×" && tick?.value === 1 ? 600 : "normal" }),
      maxRotation: 0,
      autoSkip: false,
      padding: 5,
      callback: (value, index, all) => textOf(axis, Number(value), index === all.length - 1),
    },
    afterBuildTicks: (drawn: Scale) =>
      setTicks(
        drawn,
        drawn.isHorizontal() ? ticksAcross(axis, drawn) : axis.ticks?.map(({ at }) => at) ??
          ticksOf(axis, Math.max(3, Math.floor(drawn.height / GRID_PX))),
      ),
  };
}

/** The sign of ratios stands at each. */
function textOf({ unit, ticks }: Axis, value: number, isHighest: boolean): string {
  if (ticks) return ticks.find(({ at }) => at === value)?.text ?? "";
  if (unit === "×") return `${formatTick(value)}×`;
  return formatTick(value) + (isHighest && unit !== "" ? ` ${unit}` : "");
}

function setTicks(drawn: Scale, values: readonly number[]): void {
  drawn.ticks = values.map((value) => ({ value }));
}

/** The most round values whose labels stand apart; of given ones and of ratios those that do. */
function ticksAcross(axis: Axis, { ctx, width, chart }: Scale): number[] {
  ctx.font = `11px ${chart.options.font?.family}`;
  const apart = (values: readonly number[]): number[] => {
    const labels = values.map((value) => ({
      value,
      at: width * shareOf(axis, value),
      width: ctx.measureText(textOf(axis, value, value === Math.max(...values))).width,
    }));
    const kept: typeof labels = [];
    for (const label of labels) {
      const isFree = kept.every((other) =>
        Math.abs(other.at - label.at) >= (other.width + label.width) / 2 + GAP_PX
      );
      if (isFree) kept.push(label);
    }
    return kept.map(({ value }) => value).sort((a, b) => a - b);
  };
  if (axis.ticks) {
    const [first, ...others] = axis.ticks.map(({ at }) => at);
    return apart([first, ...others.slice(-1), ...others.slice(0, -1)]);
  }
  if (axis.unit === "×" && axis.min < 1 && axis.max > 1) {
    const awayFrom1 = (ratio: number): number => Math.abs(Math.log(ratio));
    const others = ticksOf(axis, 7).filter((ratio) => ratio > 0 && ratio !== 1);
    return apart([1, ...others.sort((a, b) => awayFrom1(a) - awayFrom1(b))]);
  }
  for (let most = Math.max(3, Math.min(9, Math.floor(width / 40))); most > 2; most--) {
    const ticks = ticksOf(axis, most);
    if (apart(ticks).length === ticks.length) return ticks;
  }
  return apart(ticksOf(axis, 2));
}

function shareOf({ scale, min, max }: Range, value: number): number {
  return scale === "log"
    ? Math.log(value / min) / Math.log(max / min)
    : (value - min) / (max - min);
}

/** Of a logarithmic axis that has room for too few such steps, in equal ones. */
function ticksOf(axis: Range, most: number): number[] {
  const ticks = axis.scale === "log" ? logTicks(axis, most) : [];
  return ticks.length < 3 && axis.max / axis.min < 100 || axis.scale === "linear"
    ? linearTicks(axis, most)
    : ticks;
}

/** Steps within a decade, finest first; the first with few enough ticks is taken. */
const LOG_STEPS = [[1, 2, 5], [1, 3], [1]];

export function logTicks({ min, max }: Omit<Range, "scale">, most: number): number[] {
  const first = Math.floor(Math.log10(min));
  const last = Math.floor(Math.log10(max));
  const decades = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  const choices = LOG_STEPS.map((steps) =>
    decades
      .flatMap((decade) => steps.map((step) => step * decade))
      .filter((value) => value >= min && value <= max)
  );
  return choices.find(({ length }) => length <= most) ??
    someOf(choices[choices.length - 1], most);
}

/** Every second decade, or third, and so on: 1 is among them. */
function someOf(decades: readonly number[], most: number): number[] {
  const step = Math.ceil(decades.length / most);
  return decades.filter((decade) => Math.round(Math.log10(decade)) % step === 0);
}

/** From `min` on to at most `max`, about as many as `most`. */
function linearTicks({ min, max }: Range, most: number): number[] {
  const step = roundStep((max - min) / most);
  const first = Math.ceil(min / step - 1e-9);
  const last = Math.floor(max / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** The smallest of 1, 2, 2.5, 5, 10, … that is at least `step`. */
export function roundStep(step: number): number {
  const decade = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 2.5, 5].find((factor) => factor * decade >= step) ?? 10) * decade;
}

/** Tracks have one width, which the stack takes from any of them: that of "200,000" with its padding. */
export const TICKS_PX = 54;
/** Room above the highest value of a track for its title: no line goes through it. */
const TITLE_PX = 16;
/** Height of a track of weight 1, about. */
const WEIGHT_PX = 29;
/** From the middle of a label to that of the next, which may be the lowest of the track above. */
const LABEL_PX = 13;

/** @param weight Height among the tracks; a higher one has room for more ticks. */
export function trackScale(axis: Axis, weight: number): AxisOptions {
  const headroom = TITLE_PX / (WEIGHT_PX * weight - TITLE_PX);
  const max = axis.scale === "log"
    ? axis.max * (axis.max / axis.min) ** headroom
    : axis.max + (axis.max - axis.min) * headroom;
  const whole = { ...axis, unit: "", max };
  return {
    ...valueScale(whole),
    // Chart.js adds up the values of lines that name one stack, unless their axis forbids it.
    ...{ axis: "y", position: "left", stack: "tracks", stackWeight: weight, stacked: false },
    afterFit: (scale: Scale) => void (scale.width = Math.max(scale.width, TICKS_PX)),
    afterBuildTicks: (scale: Scale) => setTicks(scale, trackTicks(whole, weight)),
  };
}

/** None so near to the top that it would run into the track above. */
export function trackTicks(axis: Range, weight: number): number[] {
  const share = 1 - LABEL_PX / (WEIGHT_PX * weight);
  const { scale, min, max } = axis;
  const top = scale === "log" ? min * (max / min) ** share : min + (max - min) * share;
  return ticksOf({ ...axis, max: top }, weight);
}
