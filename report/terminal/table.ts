/** A table of the model as lines of text: numbers on their decimal point, the last columns dropped when it is too wide. */
import type { Column, Table, TableCell } from "../table.ts";
import {
  fitted,
  harmless,
  padEnd,
  padStart,
  styled,
  type TerminalOptions,
  widthOf,
} from "./text.ts";

const GAP = "  ";
const NARROWEST_NAME = 12;

/** One column as texts of equal width, with its style per row. */
interface TextColumn {
  readonly head: string;
  readonly texts: readonly string[];
  readonly width: number;
}

export function tableLines(table: Table, options: TerminalOptions): string[] {
  const columns = fitting(
    table.columns.map((column, i) => textColumn(column, i, table)),
    options.width,
  );
  if (widthOfAll(columns) > options.width && hasBelow(table)) {
    return tableLines(withoutBelow(table), options);
  }
  const head = columns.map(({ head }) => head).join(GAP).trimEnd();
  const rows = table.rows.flatMap((row, r) => [
    columns.map(({ texts }, c) => styledCell(texts[r], row[c], options)).join(GAP).trimEnd(),
    ...belowLines(row, columns, options),
  ]);
  return [styled(head, "dim", options), ...rows];
}

function hasBelow({ rows }: Table): boolean {
  return rows.some((row) => row.some(({ below }) => below !== undefined));
}

function withoutBelow(table: Table): Table {
  return {
    ...table,
    rows: table.rows.map((row) => row.map((cell) => ({ ...cell, below: undefined }))),
  };
}

/** A second line for what stands below the numbers of a row, where anything does. */
function belowLines(
  row: readonly TableCell[],
  columns: readonly TextColumn[],
  options: TerminalOptions,
): string[] {
  const texts = columns.map(({ width }, c) => padStart(row[c].below ?? "", width));
  const line = texts.join(GAP).trimEnd();
  return line === "" ? [] : [styled(line, "dim", options)];
}

function styledCell(text: string, { alarming, weak }: TableCell, options: TerminalOptions): string {
  if (alarming) return styled(text, "red", options);
  return weak ? styled(text, "dim", options) : text;
}

function textColumn({ label, unit, kind }: Column, index: number, { rows }: Table): TextColumn {
  const head = unit ? `${label} ${unit}` : label;
  const cells = rows.map((row) => row[index]);
  if (kind !== "number") {
    const texts = cells.map(({ text }) => harmless(text));
    const width = Math.max(widthOf(head), ...texts.map(widthOf));
    return { head: padEnd(head, width), texts: texts.map((text) => padEnd(text, width)), width };
  }
  const texts = alignedOnPoint(cells.map(cellText));
  const belows = cells.map(({ below = "" }) => widthOf(below));
  const width = Math.max(widthOf(head), ...texts.map(widthOf), ...belows);
  return { head: padStart(head, width), texts: texts.map((text) => padStart(text, width)), width };
}

/** A number that too few requests support stands in brackets, for those who see no grey. */
function cellText({ text, weak }: TableCell): string {
  return weak ? `(${text})` : text;
}

function alignedOnPoint(texts: readonly string[]): string[] {
  const decimals = texts.map((text) => /\.(\d+)/.exec(text)?.[0].length ?? 0);
  const most = Math.max(0, ...decimals);
  const suffixes = texts.map((text) => /\D*$/.exec(text)?.[0] ?? "");
  const widest = Math.max(0, ...suffixes.map(widthOf));
  return texts.map((text, i) =>
    text + " ".repeat(most - decimals[i]) + " ".repeat(widest - widthOf(suffixes[i]))
  );
}

/** First shortens the names, then drops columns from the right, until the table fits. */
function fitting(columns: readonly TextColumn[], width: number): TextColumn[] {
  const excess = widthOfAll(columns) - width;
  if (excess <= 0) return [...columns];
  const [names, ...rest] = columns;
  const narrow = Math.max(NARROWEST_NAME, names.width - excess);
  if (narrow < names.width) return fitting([narrowed(names, narrow), ...rest], width);
  return columns.length > 2 ? fitting(columns.slice(0, -1), width) : [...columns];
}

function narrowed({ head, texts }: TextColumn, width: number): TextColumn {
  const fit = (text: string) => padEnd(fitted(text.trimEnd(), width), width);
  return { head: fit(head), texts: texts.map(fit), width };
}

function widthOfAll(columns: readonly TextColumn[]): number {
  return columns.reduce((total, { width }) => total + width, GAP.length * (columns.length - 1));
}
