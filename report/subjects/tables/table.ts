/**
 * A table as the model decides it: every text, unit and order. Page, terminal and markdown lay the
 * same tables out, so they cannot disagree.
 */
import type { ConfidenceInterval } from "../../../runner/stats/confidence/confidence_interval.ts";
import type { Run } from "../../../runner/result/result.ts";
import {
  boundText,
  type DisplayUnit,
  formatCount,
  formatIn,
  formatInterval,
  formatNumber,
  formatPercent,
} from "../../writing/units.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { Range } from "../../figures/range.ts";

export interface TableCell {
  readonly text: string;
  /** How far the number may be off, or how far runs differ: `[1,200, 1,270]`, `1.5–2.25`. */
  readonly below?: string;
  /** The number behind the text in the base unit of the results (ms, bytes, per second, share). */
  readonly value?: number;
  /** True when too few requests support the number. */
  readonly weak?: boolean;
  /** True when the reader should look at it: failures, wrong responses. */
  readonly alarming?: boolean;
  /** Index of the series' colour, for the swatch before a name. */
  readonly color?: number;
}

export interface Column {
  readonly label: string;
  /** Written once, in the head of the column; empty when it has none. */
  readonly unit: string;
  /** "name" heads its row; "number" is aligned on its decimal point. */
  readonly kind: "name" | "text" | "number";
}

export interface Table {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Sentences below the table. */
  readonly notes: readonly string[];
}

/** A column and how it gets its cell from a row of type T. */
export interface ColumnOf<T> {
  readonly label: string;
  readonly unit?: string;
  readonly kind?: Column["kind"];
  readonly cell: (row: T) => TableCell;
}

export interface TableText {
  readonly caption: string;
  readonly notes?: readonly string[];
}

/** Without the columns that hold nothing in any row. */
export function tableOf<T>(
  { caption, notes = [] }: TableText,
  rows: readonly T[],
  columns: readonly ColumnOf<T>[],
): Table {
  const whole = columns.map(({ label, unit = "", kind = "number", cell }) => ({
    column: { label, unit, kind },
    cells: rows.map(cell),
  }));
  const informative = whole.filter(({ column: { kind }, cells }) =>
    kind === "name" || cells.length === 0 || !cells.every(isBlank)
  );
  return {
    caption,
    notes,
    columns: informative.map(({ column }) => column),
    rows: rows.map((_, i) => informative.map(({ cells }) => cells[i])),
  };
}

function isBlank({ text, below }: TableCell): boolean {
  return (text === NONE.text || text === "") && below === undefined;
}

// Cells and columns that several tables share.

export function textCell(text: string): TableCell {
  return { text };
}

/** A number of the base unit, written in `unit`. */
export function numberCell(value: number, unit?: DisplayUnit): TableCell {
  return { text: unit ? formatIn(value, unit) : formatNumber(value), value };
}

/** A number that lower bounds could turn out to make larger, where they could. */
export function boundCell(cell: TableCell, isAtLeast: boolean): TableCell {
  return { ...cell, text: boundText(cell.text, isAtLeast) };
}

/** A number with the 95 % interval around it, where it has one. */
export function withInterval(
  cell: TableCell,
  interval: Pick<ConfidenceInterval, "low" | "high"> | null,
  unit?: DisplayUnit,
): TableCell {
  const { value } = cell;
  if (interval === null || value === undefined) return cell;
  // A histogram's buckets have a width, so that a percentile may lie just beside an interval of almost none.
  const low = Math.min(interval.low, value);
  const high = Math.max(interval.high, value);
  const below = formatInterval({ low, high }, unit);
  return NO_WIDTH.test(below) ? cell : { ...cell, below };
}

/** `[180, 180]` says nothing. */
const NO_WIDTH = /^\[(.+),\s\1\]$/;

/** Nothing takes less than no time; an interval of no width says nothing. */
export function rangeCell({ value, interval }: Range, unit: DisplayUnit): TableCell {
  const cell = numberCell(value, unit);
  if (interval === null || interval.low === interval.high) return cell;
  return withInterval(cell, { ...interval, low: Math.max(0, interval.low) }, unit);
}

export function countCell(value: number): TableCell {
  return { text: formatCount(value), value };
}

/** A count or share of something that should not be: alarming unless it is 0. */
export function errorCell(cell: TableCell): TableCell {
  return cell.value ? { ...cell, alarming: true } : cell;
}

/** A share, 0–1; the column's unit is %. */
export function shareCell(value: number): TableCell {
  return { text: formatPercent(value), value };
}

/** What was not measured. */
export const NONE: TableCell = { text: "–" };

export const targetColumn: ColumnOf<CellRuns> = {
  label: "Target",
  kind: "name",
  cell: ({ label, color }) => ({ text: label, color }),
};

/** Heads the rows of which each is of a cell. */
export const cellColumn: ColumnOf<{ readonly cell: CellRuns }> = {
  ...targetColumn,
  cell: ({ cell }) => targetColumn.cell(cell),
};

/** One run of a cell, for tables with a row a run. */
export interface RunOfCell {
  readonly cell: CellRuns;
  readonly run: Run;
}

export function runsOf(cells: readonly CellRuns[]): RunOfCell[] {
  return cells.flatMap((cell) => cell.runs.map((run) => ({ cell, run })));
}

export const runColumns: readonly ColumnOf<RunOfCell>[] = [
  cellColumn,
  { label: "Run", cell: ({ run }) => countCell(run.repetition) },
];
