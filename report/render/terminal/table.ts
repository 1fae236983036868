/** A table of the model as lines of text: numbers on their decimal point, the last columns dropped (and named below) when it is too wide. */
import type { Column, Table, TableCell } from "../../subjects/tables/table.ts";
import { fitted, padEnd, padStart, widthOf } from "../../writing/columns.ts";
import {
  encoded,
  type Style,
  type TerminalOptions,
  type TextLine,
} from "../../writing/terminal.ts";
import { lineOf, paragraphLines, trimmed } from "./line.ts";

const GAP = "  ";
const NARROWEST_NAME = 12;
/** Rather than these, a narrow table loses the lines below its numbers. */
const KEPT_COLUMNS = 4;

/** One column as texts of equal width, with its style per row. */
interface TextColumn {
  readonly head: string;
  readonly texts: readonly string[];
  readonly width: number;
}

export function tableLines(table: Table, options: TerminalOptions): TextLine[] {
  const columns = fitting(
    table.columns.map((column, i) => textColumn(column, { index: i, table, options })),
    options,
  );
  const isCramped = columns.length < Math.min(KEPT_COLUMNS, table.columns.length) ||
    widthOfAll(columns) > options.width;
  if (isCramped && hasBelow(table)) {
    return tableLines(withoutBelow(table), options);
  }
  const head = columns.map(({ head }) => head).join(GAP).trimEnd();
  const rows = table.rows.flatMap((row, r) => [
    rowLine(row, columns.map(({ texts }) => texts[r])),
    ...belowLines(row, columns, options),
  ]);
  return [lineOf(head, "dim"), ...rows, ...droppedLines(table, columns.length, options)];
}

function rowLine(row: readonly TableCell[], texts: readonly string[]): TextLine {
  return trimmed(texts.flatMap((text, c) => [
    ...(c === 0 ? [] : [{ text: GAP }]),
    { text, style: styleOf(row[c]) },
  ]));
}

function droppedLines({ columns }: Table, kept: number, options: TerminalOptions): TextLine[] {
  const heads = columns.slice(kept).map((column) => headOf(column, options));
  if (heads.length === 0) return [];
  const text = `Not shown (too narrow): ${heads.join(", ")}`;
  return paragraphLines(text, options.width, { indent: "  ", style: "dim" });
}

function headOf({ label, unit }: Column, options: TerminalOptions): string {
  return encoded(unit ? `${label} ${unit}` : label, options);
}

function hasBelow({ rows }: Table): boolean {
  return rows.some((row) => row.some(({ below }) => below !== undefined));
}

export function withoutBelow(table: Table): Table {
  return {
    ...table,
    rows: table.rows.map((row) => row.map((cell) => ({ ...cell, below: undefined }))),
  };
}

/** A second line below the numbers of a row, such as intervals; none without them. */
function belowLines(
  row: readonly TableCell[],
  columns: readonly TextColumn[],
  options: TerminalOptions,
): TextLine[] {
  const texts = columns.map(({ width }, c) =>
    padStart(encoded(row[c].below ?? "", options), width)
  );
  const line = texts.join(GAP).trimEnd();
  return line === "" ? [] : [lineOf(line, "dim")];
}

function styleOf({ alarming, weak }: TableCell): Style | undefined {
  return alarming ? "red" : weak ? "dim" : undefined;
}

interface Position {
  readonly index: number;
  readonly table: Table;
  readonly options: TerminalOptions;
}

/** With the signs that the terminal has, as some take more columns than others. */
function textColumn(
  column: Column,
  { index, table: { rows }, options }: Position,
): TextColumn {
  const head = headOf(column, options);
  const cells = rows.map((row) => row[index]);
  if (column.kind !== "number") {
    const texts = cells.map(({ text }) => encoded(text, options));
    const width = Math.max(widthOf(head), ...texts.map(widthOf));
    return { head: padEnd(head, width), texts: texts.map((text) => padEnd(text, width)), width };
  }
  const texts = alignedOnPoint(cells.map((cell) => encoded(cellText(cell), options)));
  const belows = cells.map(({ below = "" }) => widthOf(encoded(below, options)));
  const width = Math.max(widthOf(head), ...texts.map(widthOf), ...belows);
  return { head: padStart(head, width), texts: texts.map((text) => padStart(text, width)), width };
}

/** A number that too few requests support stands in brackets, as grey is not seen everywhere. */
function cellText({ text, weak }: TableCell): string {
  return weak ? `(${text})` : text;
}

function alignedOnPoint(texts: readonly string[]): string[] {
  const decimals = texts.map((text) => /\.(\d+)/.exec(text)?.[0].length ?? 0);
  const most = Math.max(0, ...decimals);
  const suffixes = texts.map((text) => /(?<!\D)\D*$/.exec(text)?.[0] ?? "");
  const widest = Math.max(0, ...suffixes.map(widthOf));
  return texts.map((text, i) =>
    text + " ".repeat(most - decimals[i]) + " ".repeat(widest - widthOf(suffixes[i]))
  );
}

/** First shortens the names, then drops columns from the right, until the table fits. */
function fitting(columns: readonly TextColumn[], options: TerminalOptions): TextColumn[] {
  const { width, unicode } = options;
  const excess = widthOfAll(columns) - width;
  if (excess <= 0) return [...columns];
  const [names, ...rest] = columns;
  const narrow = Math.max(NARROWEST_NAME, names.width - excess);
  if (narrow < names.width) return fitting([narrowed(names, narrow, unicode), ...rest], options);
  return columns.length > 2 ? fitting(columns.slice(0, -1), options) : [...columns];
}

function narrowed({ head, texts }: TextColumn, most: number, unicode: boolean): TextColumn {
  const fit = (names: readonly string[]): string[] =>
    fittedNames(names.map((name) => name.trimEnd()), most, unicode);
  const [[short], names] = [fit([head]), fit(texts)];
  const width = Math.max(...[short, ...names].map(widthOf));
  return { head: padEnd(short, width), texts: names.map((name) => padEnd(name, width)), width };
}

function widthOfAll(columns: readonly TextColumn[]): number {
  return columns.reduce((total, { width }) => total + width, GAP.length * (columns.length - 1));
}

// Names shortened to less room than they need, still distinct. Pure.

/**
 * `names` in `width` columns: where they don't fit, first their common beginning goes, then their ends, or
 * their middles where only the ends differ.
 */
export function fittedNames(names: readonly string[], width: number, unicode: boolean): string[] {
  const isWide = (name: string): boolean => widthOf(name) > width;
  if (!names.some(isWide)) return [...names];
  const isEnough = (ends: readonly string[]): boolean => ends.every((end) => widthOf(end) < width);
  const ends = names.length > 1 ? withoutCommon(names, isEnough) : names;
  const short = ends[0] === names[0] ? ends : ends.map((end) => ellipsis(unicode) + end);
  const cut = short.map((name) => fitted(name, width, unicode));
  return new Set(cut).size === new Set(names).size
    ? cut
    : short.map((name) => isWide(name) ? withoutMiddle(name, width, unicode) : name);
}

/**
 * `load-7d9f-x2x4z`, `load-7d9f-k8w1q` → `x2x4z`, `k8w1q`: whole words of the beginning go.
 * @param isEnough Whether these ends need no further shortening.
 */
export function withoutCommon(
  names: readonly string[],
  isEnough: (ends: readonly string[]) => boolean = () => false,
): readonly string[] {
  const [first, ...others] = names;
  const words = first.split(/(?<=[-._\s])(?![·|]\s)/).slice(0, -1);
  let start = "";
  let ends = names;
  for (const word of words) {
    start += word;
    const isCommon = others.every((name) => name.startsWith(start) && name !== start);
    if (!isCommon || isEnough(ends)) break;
    ends = names.map((name) => name.slice(start.length));
  }
  return ends;
}

function ellipsis(unicode: boolean): string {
  return unicode ? "…" : ".";
}

function withoutMiddle(name: string, width: number, unicode: boolean): string {
  const head = fitted(name, Math.floor(width / 2), unicode);
  let tail = "";
  for (const character of [...name].reverse()) {
    if (widthOf(head + character + tail) > width) break;
    tail = character + tail;
  }
  return head + tail;
}
