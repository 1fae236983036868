/**
 * Chooses round ticks for an axis. Linear axes have steps of 1, 2, 2.5 or 5 times a power of ten; logarithmic axes have
 * several ticks a decade, or one for each decade or several decades. Labels never overlap.
 */
import type { Axis } from "../../chart.ts";
import { isTurned } from "../../writing/ratios.ts";
import { formatTick } from "../../writing/units.ts";

export type Range = Pick<Axis, "scale" | "min" | "max">;

/** Smallest distance between two labels of an axis, in pixels. */
const GAP_PX = 10;

/** The label of a tick. Only the highest tick has the unit, but every ratio has its ×. */
export function tickText({ unit, ticks }: Axis, value: number, isHighest: boolean): string {
  if (ticks) return ticks.find(({ at }) => at === value)?.text ?? "";
  if (unit === "×") {
    return isTurned(value) ? `1/${formatTick(1 / value)}×` : `${formatTick(value)}×`;
  }
  return formatTick(value) + (isHighest && unit !== "" ? ` ${unit}` : "");
}

/**
 * The ticks that fit without overlapping labels: as many round values as possible. Of ratios and of ticks given by the
 * chart, the most important are kept.
 */
export function ticksAcross(
  axis: Axis,
  width: number,
  widthOf: (text: string) => number,
): number[] {
  const apart = (values: readonly number[]): number[] => {
    const most = Math.max(...values);
    const kept: { value: number; at: number; width: number }[] = [];
    for (const value of values) {
      const label = {
        value,
        at: width * shareOf(axis, value),
        width: widthOf(tickText(axis, value, value === most)),
      };
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

/** Position of a value on its axis, from 0 to 1. */
export function shareOf({ scale, min, max }: Range, value: number): number {
  return scale === "log"
    ? Math.log(value / min) / Math.log(max / min)
    : (value - min) / (max - min);
}

/**
 * Ticks of an axis, no more than about `most` of them. A logarithmic axis that is too short for three logarithmic ticks
 * gets ticks in equal steps instead.
 */
export function ticksOf(axis: Range, most: number): number[] {
  const ticks = axis.scale === "log" ? logTicks(axis, most) : [];
  return ticks.length < 3 && axis.max / axis.min < 100 || axis.scale === "linear"
    ? linearTicks(axis, most)
    : ticks;
}

/**
 * Multiples of a power of ten at which ticks are placed, finest first. The first list with few enough ticks is used.
 */
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
  const coarsest = choices[choices.length - 1];
  // If even one tick per decade is too many, only every nth decade has one; 1 always has a tick if
  // it is on the axis.
  const step = Math.ceil(coarsest.length / most);
  return choices.find(({ length }) => length <= most) ??
    coarsest.filter((decade) => Math.round(Math.log10(decade)) % step === 0);
}

/** Ticks at multiples of a round step, from `min` to `max`; about `most` of them. */
function linearTicks({ min, max }: Range, most: number): number[] {
  const step = roundStep((max - min) / most);
  const first = Math.ceil(min / step - 1e-9);
  const last = Math.floor(max / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** The smallest number that is 1, 2, 2.5 or 5 times a power of ten and at least `step`. */
export function roundStep(step: number): number {
  const decade = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 2.5, 5].find((factor) => factor * decade >= step) ?? 10) * decade;
}
