/**
 * A table as the model decides it: every text, unit and order. Page, terminal and markdown lay the
 * same tables out, so they cannot disagree. The page's client makes some, so this imports nothing that is large.
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
  /** How far the number may be off, or how far runs differ: `[1,200, 1,270]`, `1.5–2.25`. */
  readonly below?: string;
  /** The number behind the text in the base unit of the results (ms, bytes, per second, share). */
  readonly value?: number;
  /** Whether too few requests support the number. */
  readonly weak?: boolean;
  /** True when the reader should look at it: failures, wrong responses. */
  readonly alarming?: boolean;
  /** The part of a bar's value that is certain; absent: all of it. */
  readonly certain?: number;
  /** Index of the series' colour, for the swatch before a name. */
  readonly color?: number;
  /** The section of the document that a press on the text leads to. */
  readonly link?: string;
  /** How the page shades it. */
  readonly shade?: string;
}

export interface Column {
  readonly label: string;
  /** Written once, in the head of the column; empty when it has none. */
  readonly unit: string;
  /** "name" heads its row; "number" is aligned on its decimal point; "bar" is as long as its value, in a terminal alone. */
  readonly kind: "name" | "text" | "number" | "bar";
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
  /** Whether it is left out where all of its numbers are 0. */
  readonly isRare?: true;
  readonly cell: (row: T) => TableCell;
}

/** Explains brackets around a percentile. */
export const WEAK_NOTE =
  "In round brackets: percentiles that fewer than ten requests exceed, which makes them a matter of chance.";

/** Without the columns that hold nothing in any row; with a note on weak numbers where there are any. */
export function tableOf<T>(
  { caption, notes = [] }: { readonly caption: string; readonly notes?: readonly string[] },
  rows: readonly T[],
  columns: readonly ColumnOf<T>[],
): Table {
  const filled = columns.map(({ label, unit = "", kind = "number", isRare, cell }) => ({
    column: { label, unit, kind },
    isRare,
    cells: rows.map(cell),
  })).filter(({ column: { kind }, isRare, cells }) =>
    kind === "name" || kind === "bar" || cells.length === 0 ||
    !cells.every((cell) => isBlank(cell) || isRare && cell.value === 0)
  );
  const isWeak = filled.some(({ cells }) => cells.some(({ weak }) => weak));
  return {
    caption,
    notes: isWeak ? [...notes, WEAK_NOTE] : notes,
    columns: filled.map(({ column }) => column),
    rows: rows.map((_, i) => filled.map(({ cells }) => cells[i])),
  };
}

function isBlank({ text, below }: TableCell): boolean {
  return (text === NONE.text || text === "") && below === undefined;
}

// What cells hold.

export const NONE: TableCell = { text: "–" };

/** How a column writes its numbers: in a unit, as counts, or as shares, 0–1, in per cent. */
export type Format = DisplayUnit | "number" | "count" | "share";

/** A number, and how certain it is. */
export interface Measured {
  readonly value: number;
  readonly interval?: Pick<Ends, "low" | "high"> | null;
  /** Whether lower bounds could turn out to make it larger. */
  readonly isAtLeast?: boolean;
  /** Whether too few requests support it. */
  readonly isWeak?: boolean;
}

/** An interval is around what is known alone: not around a lower bound, nor a weak number. */
export function measuredCell(
  { value, interval = null, isAtLeast = false, isWeak = false }: Measured,
  format: Format = "number",
): TableCell {
  const cell = { text: boundText(writtenAs(format, value), isAtLeast), value };
  if (isWeak) return { ...cell, weak: true };
  if (isAtLeast || interval === null) return cell;
  const isShare = format === "share";
  // A histogram's buckets have a width, so that a percentile may lie just beside an interval of almost none.
  const [low, high] = [Math.min(interval.low, value), Math.max(interval.high, value)];
  // Nothing takes less than no time, and no share is more than all.
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

/** One run of a cell, for tables with a row a run. */
export interface RunOfCell extends OfCell {
  readonly run: Run;
}

export function runsOf(cells: readonly CellRuns[]): RunOfCell[] {
  return cells.flatMap((cell) => cell.runs.map((run) => ({ cell, run })));
}
