/** The charts of a sweep: requests/s, p50 and p99 against the factor, on axes that all facets share. */
import type { CellRuns } from "../../cells/cells.ts";
import { type NumericFactor, phraseOf, textAt } from "../../cells/factors.ts";
import {
  type Axis,
  axisOver,
  compact,
  type Reference,
  type Xy,
  type XyPoint,
} from "../../chart.ts";
import { hasTooManyErrors } from "../../judge/shortfall.ts";
import {
  boundText,
  type DisplayUnit,
  formatInterval,
  formatQuantity,
  timeUnit,
} from "../../writing/units.ts";
import * as column from "../tables/column.ts";
import type { Measured } from "../tables/table.ts";
import type { SweepFacet, SweepLine } from "./lines.ts";

type SweepFigure = "rate" | 50 | 99;

interface Shown {
  readonly figure: SweepFigure;
  readonly title: string;
  readonly unit: DisplayUnit;
}

const PER_SEC: DisplayUnit = { name: "requests/s", size: 1, decimals: 6 };

export function drawingsOf(
  facets: readonly SweepFacet[],
  factor: NumericFactor,
  scenario: string,
): { readonly title: string; readonly chart: Xy }[][] {
  const x = factorAxis(factor);
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
          points: points.map(({ at, cell }) => ({
            x: at,
            ...figurePoint(cell, shown, phraseOf(factor, textAt(factor, at))),
          })),
        })),
      },
    }))
  );
}

/**
 * Reference lines: the offered rate, which responses can't exceed, and for each line the point where it stops growing,
 * if that is on the axis.
 */
function referencesOf(
  lines: readonly SweepLine[],
  { isOffered }: NumericFactor,
  { min, max }: Axis,
): Reference[] {
  const knees = lines.flatMap(({ knee, label, color }): Reference[] => {
    if (knee.kind !== "knee" || knee.at < min || knee.at > max) return [];
    const { low, high } = knee.interval ?? { low: knee.at, high: knee.at };
    const ends = { low: compact(Math.max(min, low)), high: compact(Math.min(max, high)) };
    return [{ kind: "vertical", label, color, at: compact(knee.at), ...ends }];
  });
  return isOffered ? [{ kind: "equality" }, ...knees] : knees;
}

/** The figure in its base unit: per second or ms. */
function figureIn(cell: CellRuns, figure: SweepFigure): Measured {
  return figure === "rate"
    ? { value: cell.rate.mean, interval: cell.interval("rate") }
    : column.percentileOfCell(cell, figure) ?? { value: 0, isWeak: true };
}

export function shownFigures(cells: readonly CellRuns[]): Shown[] {
  const timeOf = (figure: 50 | 99): Shown => {
    const unit = timeUnit(cells.map((cell) => figureIn(cell, figure).value));
    return { figure, title: `p${figure}`, unit };
  };
  return [{ figure: "rate", title: "Requests/s", unit: PER_SEC }, timeOf(50), timeOf(99)];
}

/**
 * An axis is logarithmic if the largest value is at least this many times the smallest, because equal steps would crowd
 * most values at one end.
 */
const LOG_FROM = 20;
/** Room beside the outermost points, as a share of the axis. */
const PADDING = 0.05;

/** The axis of a figure, which includes the ends of all intervals. */
export function figureAxis(
  cells: readonly CellRuns[],
  { figure, unit: { name, size } }: Shown,
): Axis {
  const values = cells.flatMap((cell) => {
    const { value, interval = null } = figureIn(cell, figure);
    return [value, ...interval === null ? [] : [interval.low, interval.high]];
  }).map((value) => value / size);
  const ratio = Math.max(...values) / Math.min(...values);
  const isLog = ratio >= LOG_FROM && ratio < Infinity;
  const room = isLog ? ratio ** PADDING : 1.06;
  return axisOver(figure === "rate" ? "" : name, values, { logFrom: isLog ? 1 : Infinity, room });
}

/**
 * A point with a cell's figure and its interval, still without a position on the other axis. @param of What the point's
 * text begins with.
 */
export function figurePoint(
  cell: CellRuns,
  { figure, unit }: Shown,
  of: string,
): Omit<XyPoint, "x"> {
  const { value, interval = null, isAtLeast = false, isWeak = false } = figureIn(cell, figure);
  const held = interval === null || isAtLeast || isWeak
    ? null
    : { low: Math.min(value, interval.low), high: Math.max(value, interval.high) };
  const text = boundText(formatQuantity(value, unit), isAtLeast);
  return {
    y: compact(value / unit.size),
    low: held && compact(held.low / unit.size),
    high: held && compact(held.high / unit.size),
    lines: [`${of}: ${held === null ? text : `${text} ${formatInterval(held, unit)}`}`],
    ...(hasTooManyErrors(cell) || isWeak) && { fill: "hollow" },
  };
}

/** An axis with a tick at each of the factor's values. There are at least two values, in ascending order. */
function factorAxis({ name, values }: NumericFactor): Axis {
  const [low, high] = [values[0].at, values[values.length - 1].at];
  const isLog = low > 0 && high / low >= LOG_FROM;
  const step = isLog ? (high / low) ** PADDING : (high - low) * PADDING;
  return {
    ...{ unit: "", title: name, ticks: values.map(({ at, text }) => ({ at, text })) },
    scale: isLog ? "log" : "linear",
    min: isLog ? compact(low / step) : low - step,
    max: isLog ? compact(high * step) : high + step,
  };
}
