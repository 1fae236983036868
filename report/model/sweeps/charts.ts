/** The drawings of a sweep: requests/s, p50 and p99 against the factor, on axes that its facets share. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { type Axis, compact, type SweepChart } from "../charts/charts.ts";
import { TOLERATED_WRONG_RATIO } from "../comparison/pairs.ts";
import {
  boundText,
  formatInterval,
  formatQuantity,
  timeUnit,
  type Unit,
} from "../numbers/units.ts";
import type { Cell } from "../runs/cells.ts";
import type { CellFigure } from "../runs/confidence.ts";
import { type NumericFactor, phraseOf, textAt } from "../runs/factors.ts";
import { percentileOf } from "../runs/pool.ts";
import { type Positions, positionsOf, valueAxis } from "./axes.ts";
import type { SweepFacet, SweepLine } from "./lines.ts";

export type SweepFigureName = Extract<CellFigure, "rate"> | 50 | 99;

export interface Drawing {
  readonly title: string;
  readonly chart: SweepChart;
}

export interface Shown {
  readonly figure: SweepFigureName;
  readonly title: string;
  readonly unit: Unit;
}

const PER_SEC: Unit = { name: "requests/s", size: 1, decimals: 6 };

/** One list of drawings for each facet. */
export function drawingsOf(
  facets: readonly SweepFacet[],
  factor: NumericFactor,
  scenario: string,
): Drawing[][] {
  const positions = positionsOf(factor.values, factor.name);
  const lines = facets.flatMap((facet) => facet.lines);
  const cells = lines.flatMap(({ points }) => points.map(({ cell }) => cell));
  const figures = shownFigures(cells).map((shown) => ({ ...shown, axis: axisOf(cells, shown) }));
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
export function figureOfCell(cell: Cell, figure: SweepFigureName): number {
  return figure === "rate" ? cell.rate.mean : percentileOf(cell.latency, figure);
}

export function shownFigures(cells: readonly Cell[]): Shown[] {
  const timeOf = (figure: 50 | 99): Shown => {
    const unit = timeUnit(cells.map((cell) => figureOfCell(cell, figure)));
    return { figure, title: `p${figure}`, unit };
  };
  return [{ figure: "rate", title: "Requests/s", unit: PER_SEC }, timeOf(50), timeOf(99)];
}

/** Of the figure of all these cells, with their intervals. */
export function axisOf(cells: readonly Cell[], { figure, unit }: Shown): Axis {
  const values = cells.flatMap((cell) => {
    const interval = intervalFor(cell, figure);
    return [figureOfCell(cell, figure), ...(interval ? [interval.low, interval.high] : [])];
  });
  const axis = valueAxis(values.map((value) => value / unit.size), unit.name);
  return figure === "rate" ? { ...axis, unit: "" } : axis;
}

function intervalFor(cell: Cell, figure: SweepFigureName): { low: number; high: number } | null {
  return cell.confidence.intervals[figure];
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
export function figurePoint(cell: Cell, { figure, unit }: Shown): Omit<ChartPoint, "x"> {
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
    isHollow: cell.wrongRatio > TOLERATED_WRONG_RATIO || !isSupported,
  };
}
