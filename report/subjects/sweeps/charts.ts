/** The drawings of a sweep: requests/s, p50 and p99 against the factor, on axes that its facets share. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { type Axis, compact, type SweepChart } from "../charts/charts.ts";
import { hasTooManyErrors } from "../../judge/shortfall.ts";
import {
  boundText,
  type DisplayUnit,
  formatInterval,
  formatQuantity,
  timeUnit,
} from "../../writing/units.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { type FactorValue, type NumericFactor, phraseOf, textAt } from "../../cells/factors.ts";
import { percentileOf } from "../../figures/pool.ts";
import type { SweepFacet, SweepLine } from "./lines.ts";

export type SweepFigureName = "rate" | 50 | 99;

export interface Drawing {
  readonly title: string;
  readonly chart: SweepChart;
}

export interface Shown {
  readonly figure: SweepFigureName;
  readonly title: string;
  readonly unit: DisplayUnit;
}

const PER_SEC: DisplayUnit = { name: "requests/s", size: 1, decimals: 6 };

/** One list of drawings for each facet. */
export function drawingsOf(
  facets: readonly SweepFacet[],
  factor: NumericFactor,
  scenario: string,
): Drawing[][] {
  const positions = positionsOf(factor.values, factor.name);
  const lines = facets.flatMap((facet) => facet.lines);
  const cells = lines.flatMap(({ points }) => points.map(({ cell }) => cell));
  const figures = shownFigures(cells).map((shown) => ({
    ...shown,
    axis: figureAxis(cells, shown),
  }));
  return facets.map((facet) =>
    figures.map(({ axis, ...shown }) => ({
      title: shown.title,
      chart: {
        kind: "sweep",
        alt: altOf(facet, { shown, factor, scenario }),
        x: positions.axis,
        y: axis,
        isOffered: factor.isOffered && shown.figure === "rate",
        series: facet.lines.map((line) => seriesOf(line, { shown, factor, positions })),
      },
    }))
  );
}

/** The figure of a cell in the base unit: per second, or ms. */
export function figureOfCell(cell: CellRuns, figure: SweepFigureName): number {
  return figure === "rate" ? cell.rate.mean : percentileOf(cell.latency, figure);
}

export function shownFigures(cells: readonly CellRuns[]): Shown[] {
  const timeOf = (figure: 50 | 99): Shown => {
    const unit = timeUnit(cells.map((cell) => figureOfCell(cell, figure)));
    return { figure, title: `p${figure}`, unit };
  };
  return [{ figure: "rate", title: "Requests/s", unit: PER_SEC }, timeOf(50), timeOf(99)];
}

/** Of the figure of all these cells, with their intervals. */
export function figureAxis(cells: readonly CellRuns[], { figure, unit }: Shown): Axis {
  const values = cells.flatMap((cell) => {
    const interval = intervalFor(cell, figure);
    return [figureOfCell(cell, figure), ...(interval ? [interval.low, interval.high] : [])];
  });
  const axis = valueAxis(values.map((value) => value / unit.size), unit.name);
  return figure === "rate" ? { ...axis, unit: "" } : axis;
}

function intervalFor(
  cell: CellRuns,
  figure: SweepFigureName,
): { low: number; high: number } | null {
  return cell.interval(figure);
}

function altOf(
  { label, lines }: SweepFacet,
  { shown, factor, scenario }: { shown: Shown; factor: NumericFactor; scenario: string },
): string {
  const of = [scenario, label].filter(Boolean).join(", ");
  return `${shown.title} of ${of} against ${factor.name}: ${
    lines.map(({ label }) => label).join(", ")
  }. The table below has its values.`;
}

interface Drawn {
  readonly shown: Shown;
  readonly factor: NumericFactor;
  readonly positions: Positions;
}

function seriesOf(line: SweepLine, drawn: Drawn): SweepChart["series"][number] {
  const { points, knee, label, color } = line;
  const { positions, shown: { figure } } = drawn;
  return {
    label,
    color,
    points: points.map((point) => pointOf(point, drawn)),
    knee: figure === "rate" && knee.kind === "knee" ? kneeOn(positions, knee) : null,
  };
}

function kneeOn(
  { axis: { min, max } }: Positions,
  { at, interval }: { at: number; interval: { low: number; high: number } | null },
): SweepChart["series"][number]["knee"] {
  if (at < min || at > max) return null;
  const { low, high } = interval ?? { low: at, high: at };
  return {
    at: compact(at),
    low: compact(Math.max(min, low)),
    high: compact(Math.min(max, high)),
  };
}

type ChartPoint = SweepChart["series"][number]["points"][number];

function pointOf(
  { at, cell }: SweepLine["points"][number],
  { shown, factor, positions }: Drawn,
): ChartPoint {
  const { text, ...point } = figurePoint(cell, shown);
  return {
    x: positions.of(at),
    ...point,
    text: `${phraseOf(factor, textAt(factor, at))}: ${text}`,
  };
}

/** A cell's figure with its interval, wherever it stands on the other axis. */
export function figurePoint(cell: CellRuns, { figure, unit }: Shown): Omit<ChartPoint, "x"> {
  const value = figureOfCell(cell, figure);
  const isSupported = figure === "rate" || supportsPercentile(cell.latency.count, figure);
  const isBound = figure !== "rate" && cell.latency.isAtLeast(figure);
  const interval = isSupported && !isBound ? intervalFor(cell, figure) : null;
  const held = interval &&
    { low: Math.min(value, interval.low), high: Math.max(value, interval.high) };
  const text = boundText(formatQuantity(value, unit), isBound) +
    (held ? ` ${formatInterval(held, unit)}` : "");
  return {
    y: compact(value / unit.size),
    low: held && compact(held.low / unit.size),
    high: held && compact(held.high / unit.size),
    text,
    isHollow: hasTooManyErrors(cell) || !isSupported,
  };
}

// Axes of a sweep: logarithmic where values span more than a decade, with room for a 0 beside them.

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
