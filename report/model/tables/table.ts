/**
 * A table as the model decides it: every text, unit and order. Page, terminal and markdown lay the
 * same tables out, so they cannot disagree.
 */

export interface TableCell {
  readonly text: string;
  /** How far the number may be off, or how far runs differ: `[1,200, 1,270]`, `1.5–2.25`. */
  readonly below?: string;
  /** The number behind the text in the base unit of the results (ms, bytes, per second, share). */
  readonly value?: number;
  /** True when too few requests support the number. */
  readonly weak?: boolean;
  /** True when the reader should look at it: failures, wrong answers. */
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

export function tableOf<T>(
  { caption, notes = [] }: TableText,
  rows: readonly T[],
  columns: readonly ColumnOf<T>[],
): Table {
  return {
    caption,
    notes,
    columns: columns.map(({ label, unit = "", kind = "number" }) => ({ label, unit, kind })),
    rows: rows.map((row) => columns.map(({ cell }) => cell(row))),
  };
}
