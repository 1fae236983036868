/**
 * Columns of tables: `column.text("Reason", ({ reason }) => reason)`. The page's client makes some, so this imports nothing
 * that is large.
 */
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

/** Rows without a number stay empty. */
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

/** Numbers that are alarming unless they are 0. */
export function errors<T>(
  label: string,
  of: ReadNumber<T>,
  format: Format = "count",
): ColumnOf<T> {
  const { cell: read, ...head } = number(label, of, format);
  return {
    ...head,
    cell: (row) => {
      const cell = read(row);
      return cell.value ? { ...cell, alarming: true } : cell;
    },
  };
}

/** The column, left out where all of its numbers are 0. */
export function rare<T>(column: ColumnOf<T>): ColumnOf<T> {
  return { ...column, isRare: true };
}

/** Returns the text of a cell, or a whole cell, which may also have a colour, a link or a bar. */
type ReadText<T> = (row: T) => string | TableCell;

export function text<T>(label: string, of: ReadText<T>): ColumnOf<T> {
  return { label, kind: "text", cell: (row) => cellOf(of(row)) };
}

/** A column whose cells are the heads of their rows. */
export function name<T>(label: string, of: ReadText<T>): ColumnOf<T> {
  return { label, kind: "name", cell: (row) => cellOf(of(row)) };
}

function cellOf(written: string | TableCell): TableCell {
  return typeof written === "string" ? { text: written } : written;
}

// Columns for rows of cells, and for rows of runs.

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
