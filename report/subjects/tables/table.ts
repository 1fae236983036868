/**
 * A table in which the model has already decided every text, unit and order. Page, terminal and markdown only lay out
 * the same tables, so they can't disagree. The page's script makes some tables, so this imports nothing large.
 */
import type { Run } from "../../../runner/result/result.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { Ends } from "../../figures/range.ts";
import {
  boundText,
  type DisplayUnit,
  formatCount,
  formatIn,
  formatNumber,
  formatPercent,
  intervalText,
  PERCENT,
} from "../../writing/units.ts";

export interface TableCell {
  readonly text: string;
  /** The interval of the number, such as `[1,200, 1,270]`, or its range over runs, such as `1.5–2.25`. */
  readonly below?: string;
  /**
   * The number that the text shows, in the base unit of the results (ms, bytes, per second, or a share from 0 to 1).
   */
  readonly value?: number;
  /** Whether too few requests support the number. */
  readonly weak?: boolean;
  /** Whether the number needs the reader's attention, as failures and wrong responses do. */
  readonly alarming?: boolean;
  /** The part of a bar's value that is certain. Default: all of it. */
  readonly certain?: number;
  /** Index of the colour of the series, for a swatch before the name. */
  readonly color?: number;
  /** The section of the document that the text links to. */
  readonly link?: string;
  /** Style classes that shade the cell on the page. */
  readonly shade?: string;
}

export interface Column {
  readonly label: string;
  /** Shown once, in the heading of the column; "" for none. */
  readonly unit: string;
  /**
   * "name" is the heading of its row. "number" is aligned on the decimal point. "bar" is drawn as long as its value,
   * but only in terminals.
   */
  readonly kind: "name" | "text" | "number" | "bar";
}

export interface Table {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Sentences below the table. */
  readonly notes: readonly string[];
}

/** A column with a function that makes the column's cell from a row of type T. */
export interface ColumnOf<T> {
  readonly label: string;
  readonly unit?: string;
  readonly kind?: Column["kind"];
  /** Whether the column is left out if all its numbers are 0. */
  readonly isRare?: true;
  /** Explains the column below the table; left out together with the column. */
  readonly note?: string;
  readonly cell: (row: T) => TableCell;
}

/** Explains brackets around a percentile. */
export const WEAK_NOTE =
  "In round brackets: percentiles that fewer than ten requests exceed, which makes them a matter of chance.";

/**
 * Makes a table. Leaves out columns that are empty in every row, adds the notes of the others, and one more if there are
 * weak numbers.
 */
export function tableOf<T>(
  { caption, notes = [] }: { readonly caption: string; readonly notes?: readonly string[] },
  rows: readonly T[],
  columns: readonly ColumnOf<T>[],
): Table {
  const filled = columns.map(({ label, unit = "", kind = "number", isRare, note, cell }) => ({
    column: { label, unit, kind },
    isRare,
    note,
    cells: rows.map(cell),
  })).filter(({ column: { kind }, isRare, cells }) =>
    kind === "name" || kind === "bar" || cells.length === 0 ||
    !cells.every((cell) => isBlank(cell) || isRare && cell.value === 0)
  );
  const isWeak = filled.some(({ cells }) => cells.some(({ weak }) => weak));
  return {
    caption,
    notes: [...notes, ...filled.flatMap(({ note }) => note ?? []), ...isWeak ? [WEAK_NOTE] : []],
    columns: filled.map(({ column }) => column),
    rows: rows.map((_, i) => filled.map(({ cells }) => cells[i])),
  };
}

function isBlank({ text, below }: TableCell): boolean {
  return (text === NONE.text || text === "") && below === undefined;
}

export const NONE: TableCell = { text: "–" };

/** How a column writes its numbers: in a unit, plainly, as counts, or as shares (0 to 1, written in per cent). */
export type Format = DisplayUnit | "number" | "count" | "share";

/** A number and how certain it is. */
export interface Measured {
  readonly value: number;
  readonly interval?: Pick<Ends, "low" | "high"> | null;
  /** Whether the true value may be larger, because it was computed from lower bounds. */
  readonly isAtLeast?: boolean;
  /** Whether too few requests support the number. */
  readonly isWeak?: boolean;
}

/** A cell with the number and its interval. A number that is a lower bound or weak gets no interval. */
export function measuredCell(
  { value, interval = null, isAtLeast = false, isWeak = false }: Measured,
  format: Format = "number",
): TableCell {
  const cell = { text: boundText(writtenAs(format, value), isAtLeast), value };
  if (isWeak) return { ...cell, weak: true };
  if (isAtLeast || interval === null) return cell;
  const isShare = format === "share";
  // The interval is widened to include the value, because buckets of a histogram have a width, so a
  // percentile may lie just outside a very narrow interval.
  const [low, high] = [Math.min(interval.low, value), Math.max(interval.high, value)];
  // No time is below 0, and no share above 100 %.
  const ends = { low: Math.max(0, low), high: Math.min(isShare ? 1 : Infinity, high) };
  const unit = isShare ? PERCENT : typeof format === "object" ? format : undefined;
  const below = intervalText(ends, unit);
  return below === "" ? cell : { ...cell, below };
}

function writtenAs(format: Format, value: number): string {
  if (format === "count") return formatCount(value);
  if (format === "share") return formatPercent(value);
  return format === "number" ? formatNumber(value) : formatIn(value, format);
}

export function unitNamed(name: string): DisplayUnit {
  return { name, size: 1, decimals: 6 };
}

export interface OfCell {
  readonly cell: CellRuns;
}

/** One run of a cell, for tables that have a row for each run. */
export interface RunOfCell extends OfCell {
  readonly run: Run;
}

export function runsOf(cells: readonly CellRuns[]): RunOfCell[] {
  return cells.flatMap((cell) => cell.runs.map((run) => ({ cell, run })));
}
