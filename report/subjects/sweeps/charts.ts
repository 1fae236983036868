/** The drawings of a sweep: requests/s, p50 and p99 against the factor, on axes that its facets share. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { type FactorValue, type NumericFactor, phraseOf, textAt } from "../../cells/factors.ts";
import { type Axis, compact, type Reference, type Xy, type XyPoint } from "../../chart.ts";
import { percentileOf } from "../../figures/pool.ts";
import { hasTooManyErrors } from "../../judge/shortfall.ts";
import {
  boundText,
  type DisplayUnit,
  formatInterval,
  formatQuantity,
  timeUnit,
} from "../../writing/units.ts";
import type { SweepFacet, SweepLine } from "./lines.ts";

type SweepFigure = "rate" | 50 | 99;

export interface Drawing {
  readonly title: string;
  readonly chart: Xy;
}

export interface Shown {
  readonly figure: SweepFigure;
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
  const { axis: x, of } = positionsOf(factor.values, factor.name);
  const cells = facets.flatMap(({ lines }) =>
    lines.flatMap(({ points }) => points.map(({ cell }) => cell))
  );
  const figures = shownFigures(cells).map((shown) => ({ shown, y: figureAxis(cells, shown) }));
  return facets.map(({ label, lines }) =>
    figures.map(({ shown, y }) => ({
      title: shown.title,
      chart: {
        kind: "xy",
        alt: `${shown.title} of ${
          [scenario, label].filter(Boolean).join(", ")
        } against ${factor.name}: ${
          lines.map(({ label }) => label).join(", ")
        }. The table below has its values.`,
        size: "small",
        x,
        y,
        references: shown.figure === "rate" ? referencesOf(lines, factor, x) : [],
        series: lines.map(({ label, color, points }) => ({
          label,
          color,
          draw: "line",
          points: points.map(({ at, cell }) => {
            const { lines: [text], ...point } = figurePoint(cell, shown);
            return {
              x: of(at),
              ...point,
              lines: [`${phraseOf(factor, textAt(factor, at))}: ${text}`],
            };
          }),
        })),
      },
    }))
  );
}

/** As much as was offered can be served at most; and where each line stops growing, if that is on the axis. */
function referencesOf(
  lines: readonly SweepLine[],
  { isOffered }: NumericFactor,
  { min, max }: Axis,
): Reference[] {
  const knees = lines.flatMap(({ knee, label, color }): Reference[] => {
    if (knee.kind !== "knee" || knee.at < min || knee.at > max) return [];
    const { low, high } = knee.interval ?? { low: knee.at, high: knee.at };
    return [{
      kind: "vertical",
      label,
      color,
      at: compact(knee.at),
      low: compact(Math.max(min, low)),
      high: compact(Math.min(max, high)),
    }];
  });
  return isOffered ? [{ kind: "equality", ratio: null }, ...knees] : knees;
}

/** The figure of a cell in the base unit: per second, or ms. */
function figureOfCell(cell: CellRuns, figure: SweepFigure): number {
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
    const interval = cell.interval(figure);
    return [figureOfCell(cell, figure), ...(interval ? [interval.low, interval.high] : [])];
  });
  const axis = valueAxis(values.map((value) => value / unit.size), unit.name);
  return figure === "rate" ? { ...axis, unit: "" } : axis;
}

/** A cell's figure with its interval, wherever it stands on the other axis. */
export function figurePoint(cell: CellRuns, { figure, unit }: Shown): Omit<XyPoint, "x"> {
  const value = figureOfCell(cell, figure);
  const isSupported = figure === "rate" || supportsPercentile(cell.latency.count, figure);
  const isBound = figure !== "rate" && cell.latency.isAtLeast(figure);
  const interval = isSupported && !isBound ? cell.interval(figure) : null;
  const held = interval &&
    { low: Math.min(value, interval.low), high: Math.max(value, interval.high) };
  const text = boundText(formatQuantity(value, unit), isBound) +
    (held ? ` ${formatInterval(held, unit)}` : "");
  return {
    y: compact(value / unit.size),
    low: held && compact(held.low / unit.size),
    high: held && compact(held.high / unit.size),
    lines: [text],
    ...(hasTooManyErrors(cell) || !isSupported) && { fill: "hollow" },
  };
}

// Axes of a sweep: logarithmic where values span more than a decade, with room for a 0 beside them.

/** From this ratio of the largest to the smallest value on, equal steps would crowd most values at one end. */
const LOG_FROM = 20;

interface Positions {
  readonly axis: Axis;
  /** Where a value of the factor stands on the axis. */
  readonly of: (at: number) => number;
}

/** @param values Ascending, at least two. */
function positionsOf(values: readonly FactorValue[], title: string): Positions {
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
      unit: "",
      title,
      scale: isLog ? "log" : "linear",
      ...padded(ends, isLog),
      ticks: values.map(({ at, text }) => ({ at: of(at), text })),
      ...hasBreak && { breakAt: compact(Math.sqrt(zeroAt * least)) },
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
function valueAxis(values: readonly number[], unit: string): Axis {
  const positive = values.filter((value) => value > 0);
  const [least, most] = [Math.min(...positive), Math.max(...positive)];
  if (positive.length === 0) return { unit, scale: "linear", min: 0, max: 1 };
  const isLog = positive.length === values.length && most / least >= LOG_FROM;
  if (!isLog) return { unit, scale: "linear", min: 0, max: compact(most * 1.06) };
  const step = (most / least) ** PADDING;
  return { unit, scale: "log", min: compact(least / step), max: compact(most * step) };
}
