/** Throughput as bars; and against the tail: what a target gives up in p99 for its requests/s, and what none beats in both. */
import { boundText, formatMs, formatNumber, timeUnit } from "../../writing/units.ts";
import { COLORS } from "../../cells/colors.ts";
import { counted, listed } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { numericFactors } from "../../cells/factors.ts";
import { meanCoresOf } from "../../figures/resources.ts";
import { type Axis, type BarsChart, compact, type TradeoffChart } from "./charts.ts";

export interface TradeoffModel {
  readonly chart: TradeoffChart;
  readonly finding: string;
}

type TradeoffPoint = TradeoffChart["series"][number]["points"][number];

/** Requests/s that differ by less are one: of an open loop with one rate nothing is traded. */
const ONE_RATE = 1.01;

/** Null for fewer than two cells, and where all serve as much. @param right Cells whose responses were right. */
export function tradeoffOf(scenario: string, right: readonly CellRuns[]): TradeoffModel | null {
  const cells = right.filter((cell) => p99Of(cell) > 0 && cell.rate.mean > 0);
  const rates = cells.map(({ rate }) => rate.mean);
  if (cells.length < 2 || Math.max(...rates) < ONE_RATE * Math.min(...rates)) return null;
  const unit = timeUnit(cells.map(p99Of));
  const mostCores = Math.max(...cells.map(coresOf));
  const front = frontOf(cells);
  const pointOf = (cell: CellRuns): TradeoffPoint => {
    const { rate, p99 } = intervalsOf(cell);
    return {
      label: cell.label,
      x: compact(cell.rate.mean),
      xEnds: rate && [compact(rate.low), compact(rate.high)],
      y: compact(p99Of(cell) / unit.size),
      yEnds: p99 && [compact(p99.low / unit.size), compact(p99.high / unit.size)],
      size: mostCores > 0 ? compact(coresOf(cell) / mostCores) : null,
      isOnFront: front.includes(cell),
      lines: linesOf(cell),
    };
  };
  const points = cells.map((cell) => ({ cell, point: pointOf(cell) }));
  const isLine = numericFactors(cells).length > 0;
  const series = [...Map.groupBy(points, ({ cell }) => isLine ? cell.target : cell.label)]
    .map(([label, those]) => ({
      label,
      color: isLine ? those[0].cell.color % COLORS : those[0].cell.color,
      points: those.map(({ point }) => point),
    }));
  return {
    chart: {
      kind: "tradeoff",
      alt: `Requests per second against p99 of ${scenario}: ${counted(cells.length, "dot")}`,
      x: axisOf(points.map(({ point }) => [point.x, ...point.xEnds ?? []]), ""),
      y: axisOf(points.map(({ point }) => [point.y, ...point.yEnds ?? []]), unit.name),
      front: front.map((cell) => ({
        x: compact(cell.rate.mean),
        y: compact(p99Of(cell) / unit.size),
      })),
      isLine,
      series,
    },
    finding: findingOf(cells, front),
  };
}

/** Those that no other cell beats in both, by requests/s. */
function frontOf(cells: readonly CellRuns[]): CellRuns[] {
  const isBeaten = (cell: CellRuns): boolean =>
    cells.some((other) =>
      other.rate.mean >= cell.rate.mean && p99Of(other) <= p99Of(cell) &&
      (other.rate.mean > cell.rate.mean || p99Of(other) < p99Of(cell))
    );
  return cells.filter((cell) => !isBeaten(cell)).sort((a, b) => a.rate.mean - b.rate.mean);
}

const MOST_NAMES = 4;

function findingOf(cells: readonly CellRuns[], front: readonly CellRuns[]): string {
  const names = front.length > MOST_NAMES
    ? counted(front.length, "cell")
    : listed(front.map(({ label }) => label), "and");
  if (front.length === 1) {
    return `${names} has the most requests/s and the lowest p99 of ${
      counted(cells.length, "cell")
    }.`;
  }
  return `No other cell has both more requests/s and a lower p99 than ${names}.`;
}

function linesOf(cell: CellRuns): string[] {
  const { value, isAtLeast } = cell.latency.percentile(99);
  const cores = coresOf(cell);
  return [
    `${formatNumber(cell.rate.mean)} requests/s`,
    `p99 ${boundText(formatMs(value), isAtLeast)}`,
    ...(cores > 0 ? [`${formatNumber(cores)} cores`] : []),
  ];
}

function intervalsOf({ interval }: CellRuns): {
  rate: { low: number; high: number } | null;
  p99: { low: number; high: number } | null;
} {
  const drawn = (ends: { low: number; high: number } | null): typeof ends =>
    ends !== null && ends.low > 0 && ends.high < Infinity ? ends : null;
  return { rate: drawn(interval("rate")), p99: drawn(interval(99)) };
}

function p99Of({ latency }: CellRuns): number {
  return latency.percentile(99).value;
}

/** 0 where no run was watched. */
function coresOf({ runs }: CellRuns): number {
  const watched = runs.filter(({ resources }) => resources.length > 0);
  return watched.reduce((sum, run) => sum + meanCoresOf(run), 0) / Math.max(1, watched.length);
}

/** A decade apart and more is read on a logarithmic axis. */
const LOG_FROM_RATIO = 8;
/** Room about the outermost, so that no dot lies on the edge. */
const MARGIN_RATIO = 1.15;

function axisOf(values: readonly (readonly number[])[], unit: string): Axis {
  const all = values.flat();
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const max = compact(most * MARGIN_RATIO);
  return most / least > LOG_FROM_RATIO
    ? { unit, scale: "log", min: compact(least / MARGIN_RATIO), max }
    : { unit, scale: "linear", min: 0, max };
}

// Cells → the bars of requests per second.

export function barsOf(cells: readonly CellRuns[]): BarsChart {
  return {
    kind: "bars",
    alt: `Bars of requests per second: ${cells.map(barText).join("; ")}`,
    unit: "requests/s",
    bars: cells.map(({ label, color, rate, runs }) => ({
      label,
      color,
      value: compact(rate.mean),
      runs: runs.map(({ repetition, rate }) => ({ repetition, value: compact(rate) })),
      text: formatNumber(rate.mean),
    })),
  };
}

function barText({ label, rate }: CellRuns): string {
  return `${label} ${formatNumber(rate.mean)}`;
}
