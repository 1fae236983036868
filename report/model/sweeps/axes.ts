/** Axes of a sweep: logarithmic where values span more than a decade, with room for a 0 beside them. */
import { type Axis, compact, type SweepChart } from "../charts/charts.ts";
import type { FactorValue } from "../runs/factors.ts";

/** From this ratio of the largest to the smallest value on, equal steps would crowd most values at one end. */
const LOG_FROM = 20;

export interface Positions {
  readonly axis: SweepChart["x"];
  /** Where a value of the factor stands on the axis. */
  readonly of: (at: number) => number;
}

/** @param values Ascending, at least two. */
export function positionsOf(values: readonly FactorValue[], unit: string): Positions {
  const positive = values.map(({ at }) => at).filter((at) => at > 0);
  const [least, next] = positive;
  const most = positive[positive.length - 1];
  const isLog = positive.length >= 2 && most / least >= LOG_FROM && values[0].at >= 0;
  // One step as wide as the first, but neither lost nor wider than a decade.
  const zeroAt = isLog ? least / Math.max(2, Math.min(10, next / least)) : 0;
  const of = (at: number): number => isLog && at === 0 ? zeroAt : at;
  const ends = { low: of(values[0].at), high: of(values[values.length - 1].at) };
  const hasBreak = isLog && values[0].at === 0;
  return {
    of,
    axis: {
      unit,
      scale: isLog ? "log" : "linear",
      ...padded(ends, isLog),
      ticks: roomyTicks(values.map(({ at, text }) => ({ at: of(at), text })), isLog),
      breakAt: hasBreak ? compact(Math.sqrt(zeroAt * least)) : null,
    },
  };
}

/** Beside the outermost points, as a share of the axis. */
const PADDING = 0.05;

function padded(
  { low, high }: { low: number; high: number },
  isLog: boolean,
): Pick<Axis, "min" | "max"> {
  if (isLog) {
    const step = (high / low) ** PADDING;
    return { min: compact(low / step), max: compact(high * step) };
  }
  const step = (high - low) * PADDING;
  return { min: low - step, max: high + step };
}

/** Of figures, ascending or not; the largest of them above 0. */
export function valueAxis(values: readonly number[], unit: string): Axis {
  const positive = values.filter((value) => value > 0);
  const [least, most] = [Math.min(...positive), Math.max(...positive)];
  if (positive.length === 0) return { unit, scale: "linear", min: 0, max: 1 };
  const isLog = positive.length === values.length && most / least >= LOG_FROM;
  if (!isLog) return { unit, scale: "linear", min: 0, max: compact(most * 1.06) };
  const step = (most / least) ** PADDING;
  return { unit, scale: "log", min: compact(least / step), max: compact(most * step) };
}

/** Width of a small drawing's axis and of a character, in px. */
const AXIS_PX = 280;
const CHARACTER_PX = 7;
const GAP_PX = 10;

/** The first and the last, and of those between as many as don't run into each other. */
export function roomyTicks(ticks: readonly FactorValue[], isLog: boolean): FactorValue[] {
  const scaled = (at: number): number => isLog ? Math.log(at) : at;
  const [first, last] = [ticks[0], ticks[ticks.length - 1]];
  const span = scaled(last.at) - scaled(first.at);
  const centerOf = ({ at }: FactorValue): number =>
    (scaled(at) - scaled(first.at)) / span * AXIS_PX;
  const halfOf = ({ text }: FactorValue): number => text.length * CHARACTER_PX / 2;
  const fit = (a: FactorValue, b: FactorValue): boolean =>
    centerOf(b) - centerOf(a) >= halfOf(a) + halfOf(b) + GAP_PX;
  const kept = [first];
  for (const tick of ticks.slice(1, -1)) {
    if (fit(kept[kept.length - 1], tick) && fit(tick, last)) kept.push(tick);
  }
  return [...kept, last];
}
