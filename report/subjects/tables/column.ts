/**
 * Columns of tables, such as `column.text("Reason", ({ reason }) => reason)`. The page's script makes some columns, so
 * this imports nothing large.
 */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { Percentile, PooledLatency } from "../../figures/pool.ts";
import type { Ends } from "../../figures/range.ts";
import type { DisplayUnit } from "../../writing/units.ts";
import {
  type ColumnOf,
  type Format,
  type Measured,
  measuredCell,
  NONE,
  type OfCell,
  type RunOfCell,
  type TableCell,
} from "./table.ts";

type ReadNumber<T> = (row: T) => Measured | number | null | undefined;

/** A column of numbers. Rows without a number stay empty. */
export function number<T>(
  label: string,
  of: ReadNumber<T>,
  format: Format = "number",
): ColumnOf<T> {
  const unit = typeof format === "object" ? format.name : format === "share" ? "%" : "";
  return {
    label,
    unit,
    cell: (row) => {
      const read = of(row) ?? null;
      if (read === null) return NONE;
      return measuredCell(typeof read === "number" ? { value: read } : read, format);
    },
  };
}

/** A column of numbers that are alarming unless they are 0. */
export function errors<T>(
  label: string,
  of: ReadNumber<T>,
  format: Format = "count",
): ColumnOf<T> {
  const { cell: read, ...head } = number(label, of, format);
  const alarming = (cell: TableCell): TableCell => cell.value ? { ...cell, alarming: true } : cell;
  return { ...head, cell: (row) => alarming(read(row)) };
}

/** The same column, but left out of tables in which all of its numbers are 0. */
export function rare<T>(column: ColumnOf<T>): ColumnOf<T> {
  return { ...column, isRare: true };
}

/** Returns the text of a cell, or a complete cell, which may also have a colour, a link or a bar. */
type ReadText<T> = (row: T) => string | TableCell;

export function text<T>(label: string, of: ReadText<T>): ColumnOf<T> {
  const cell = (row: T): TableCell => {
    const written = of(row);
    return typeof written === "string" ? { text: written } : written;
  };
  return { label, kind: "text", cell };
}

/** A column whose cells are the headings of their rows. */
export function name<T>(label: string, of: ReadText<T>): ColumnOf<T> {
  return { ...text(label, of), kind: "name" };
}

// Columns for tables with a row for each cell (a target in a scenario), or with a row for each run.

export const cell: ColumnOf<OfCell> = name(
  "Target",
  ({ cell: { label, color } }) => ({ text: label, color }),
);

export const rate: ColumnOf<OfCell> = number(
  "Requests/s",
  ({ cell: { rate, interval } }) => ({ value: rate.mean, interval: interval("rate") }),
);

export const runs: readonly ColumnOf<RunOfCell>[] = [
  cell,
  number("Run", ({ run }) => run.repetition, "count"),
];

// Latencies of several runs together.

export function meanIn(latency: PooledLatency, interval: Ends | null = null): Measured | null {
  if (latency.count === 0) return null;
  return { value: latency.mean, interval, isAtLeast: latency.isAtLeast("mean") };
}

export function maxIn(latency: PooledLatency): Measured | null {
  if (latency.count === 0) return null;
  return { value: latency.max, isAtLeast: latency.isAtLeast("max") };
}

/**
 * A percentile; weak if too few values support it. Null if there are no values or, for a percentile below the median,
 * if all values are lower bounds.
 */
export function percentileIn(latency: PooledLatency, p: number): Measured | null {
  const { count, endedCount } = latency;
  if (count === 0 || p < 50 && endedCount === 0) return null;
  return { ...latency.percentile(p), isWeak: !supportsPercentile(count, p) };
}

/** The percentile of a cell with its interval; null if there are no values. */
export function percentileOfCell({ latency, interval }: CellRuns, p: Percentile): Measured | null {
  const found = percentileIn(latency, p);
  return found && { ...found, interval: p === 99.99 ? null : interval(p) };
}

export function percentile(p: Percentile, unit: DisplayUnit): ColumnOf<OfCell> {
  return number(`p${p}`, ({ cell }) => percentileOfCell(cell, p), unit);
}

export function max(unit: DisplayUnit): ColumnOf<OfCell> {
  return number("Max", ({ cell }) => maxIn(cell.latency), unit);
}
