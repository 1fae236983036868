/**
 * A table as lines of text, with numbers aligned on the decimal point. If the table is too wide, bars become shorter
 * and then disappear, texts are broken at their spaces, names are cut, and finally columns are left out from the right
 * and named below the table.
 */
import type { Column, Table, TableCell } from "../../subjects/tables/table.ts";
import { fitted, padEnd, padStart, widthOf, wrapped } from "../../writing/columns.ts";
import {
  encoded,
  type TerminalOptions,
  type TextLine,
  type TextSpan,
} from "../../writing/terminal.ts";
import { GLUE } from "../../writing/units.ts";
import { barOf } from "./bars.ts";
import { paragraphLines, trimmed } from "./line.ts";

const GAP = "  ";
/** Indent of the continuation of a wrapped line. */
const INDENT = "  ";
const NARROWEST_NAME = 12;
const LEAST_BAR = 8;
const MOST_BAR = 50;
/** The number of columns that a narrow table keeps, even if it has to drop the lines below its numbers to do so. */
const KEPT_COLUMNS = 4;

interface TextColumn {
  /**
   * Widths from the preferred one to the least possible one. The narrower the column, the more of its content is
   * dropped.
   */
  readonly widths: readonly [most: number, number, number, number, least: number];
  /** Makes the lines of the head and of each cell, all `width` columns wide. */
  readonly cellsIn: (width: number) => TextSpan[][];
}

export function tableLines(table: Table, options: TerminalOptions): TextLine[] {
  const all = table.columns.map((column, c) =>
    textColumn(column, table.rows.map((row) => row[c]), options)
  );
  const widths = widthsIn(options.width, all);
  const isCramped = widths.length < Math.min(KEPT_COLUMNS, all.length) ||
    totalOf(widths) > options.width;
  const hasBelow = table.rows.some((row) => row.some(({ below }) => below !== undefined));
  if (isCramped && hasBelow) {
    const rows = table.rows.map((row) => row.map((cell) => ({ ...cell, below: undefined })));
    return tableLines({ ...table, rows }, options);
  }
  const shown = widths.flatMap((width, c) =>
    width === 0 ? [] : [{ width, cells: all[c].cellsIn(width) }]
  );
  const lines = [null, ...table.rows].flatMap((_, row) => {
    const height = Math.max(1, ...shown.map(({ cells }) => cells[row].length));
    return Array.from(
      { length: height },
      (_, line) =>
        trimmed(shown.flatMap(({ width, cells }, c): TextSpan[] => [
          ...c === 0 ? [] : [{ text: GAP }],
          cells[row][line] ?? { text: " ".repeat(width) },
        ])),
    );
  });
  const left = table.columns.slice(widths.length).map((column) => headOf(column, options));
  const note = `The terminal is too narrow for these columns: ${left.join(", ")}`;
  return left.length === 0 ? lines : [...lines, ...paragraphLines(note, options.width, "dim")];
}

/** Widths of the columns that fit into `room`, from the left; 0 for a bar that is left out. */
function widthsIn(room: number, columns: readonly TextColumn[]): number[] {
  const found = columns.map(({ widths }) => widths[0]);
  for (const step of [1, 2, 3, 4] as const) {
    while (totalOf(found) > room) {
      const isLong = (width: number, c: number): boolean => width > columns[c].widths[step];
      const widest = Math.max(...found.filter(isLong));
      if (widest === -Infinity) break;
      const at = found.findIndex((width, c) => width === widest && isLong(width, c));
      found[at] = step === 2 ? columns[at].widths[step] : widest - 1;
    }
  }
  const isEnough = totalOf(found) <= room || columns.length <= 2;
  return isEnough ? found : widthsIn(room, columns.slice(0, -1));
}

function totalOf(widths: readonly number[]): number {
  const shown = widths.filter((width) => width > 0);
  return shown.reduce((sum, width) => sum + width, GAP.length * (shown.length - 1));
}

function headOf({ label, unit }: Column, options: TerminalOptions): string {
  return encoded(unit ? `${label} ${unit}` : label, options);
}

/**
 * A column with its possible widths. They are measured after characters that the terminal lacks have been replaced,
 * because a replacement may be wider.
 */
function textColumn(
  column: Column,
  cells: readonly TableCell[],
  options: TerminalOptions,
): TextColumn {
  const head = headOf(column, options);
  switch (column.kind) {
    case "number":
      return numberColumn(head, cells, options);
    case "bar":
      return {
        widths: [MOST_BAR, LEAST_BAR, 0, 0, 0],
        cellsIn: (width) => [
          [{ text: padEnd("", width) }],
          ...barsIn(width, cells, options).map((text): TextSpan[] => [{ text, style: "cyan" }]),
        ],
      };
    default:
      return wordsColumn({ head, isName: column.kind === "name" }, cells, options);
  }
}

function numberColumn(
  head: string,
  cells: readonly TableCell[],
  options: TerminalOptions,
): TextColumn {
  // A number supported by too few requests is in brackets, because grey is not visible everywhere.
  const texts = alignedOnPoint(
    cells.map(({ text, weak }) => encoded(weak ? `(${text})` : text, options)),
  );
  const belows = cells.map(({ below = "" }) => encoded(below, options));
  const most = Math.max(...[head, ...texts, ...belows].map(widthOf));
  return {
    widths: [most, most, most, most, most],
    cellsIn: (width) => [
      [{ text: padStart(head, width), style: "dim" }],
      ...cells.map((cell, i): TextSpan[] => [
        { text: padStart(texts[i], width), style: styleOf(cell) },
        ...belows[i] === "" ? [] : [{ text: padStart(belows[i], width), style: "dim" as const }],
      ]),
    ],
  };
}

function wordsColumn(
  { head, isName }: { readonly head: string; readonly isName: boolean },
  cells: readonly TableCell[],
  options: TerminalOptions,
): TextColumn {
  const texts = [head, ...cells.map(({ text }) => text)];
  const held = isName ? texts.map(settingsHeld) : texts;
  const widest = (all: readonly string[]): number =>
    Math.max(...all.map((text) => widthOf(encoded(text, options))));
  const most = widest(texts);
  const cutTo = (width: number): string[] => [
    fitted(head, width, options.unicode),
    ...fittedNames(texts.slice(1), width, options),
  ];
  const brokenOf = (all: readonly string[]): number =>
    Math.min(most, widest(all.flatMap((text) => text.split(" "))) + INDENT.length);
  const broken = brokenOf(texts);
  return {
    widths: [most, most, most, broken, isName ? widest(cutTo(NARROWEST_NAME)) : broken],
    cellsIn: (width) => {
      const lines = width < broken
        ? cutTo(width).map((name) => [name])
        : (width < brokenOf(held) ? texts : held).map((text) =>
          widthOf(text) > width ? wrapped(text, width, INDENT) : [text]
        );
      return lines.map((lines, i) =>
        lines.map((line) => ({
          text: padEnd(encoded(line, options), width),
          style: i === 0 ? "dim" : styleOf(cells[i - 1]),
        }))
      );
    },
  };
}

/** Makes `hono · connections 50` wrap before a setting rather than within one. */
function settingsHeld(name: string): string {
  return name.replaceAll(" · ", ` ·${GLUE}`).replaceAll(/ (?=\d)/g, GLUE);
}

function barsIn(
  width: number,
  cells: readonly TableCell[],
  { unicode }: TerminalOptions,
): string[] {
  const most = Math.max(...cells.map(({ value = 0 }) => value));
  return cells.map(({ value = 0, certain = value }) => {
    const [whole, sure] = [value, certain].map((part) => most > 0 ? part / most * width : 0);
    if (certain === value) return padEnd(barOf(whole, { unicode }), width);
    const open = Math.max(0, Math.round(whole) - Math.round(sure));
    return padEnd(barOf(Math.round(sure), { unicode }) + (unicode ? "░" : ".").repeat(open), width);
  });
}

function styleOf({ alarming, weak }: TableCell): TextSpan["style"] {
  return alarming ? "red" : weak ? "dim" : undefined;
}

function alignedOnPoint(texts: readonly string[]): string[] {
  const decimals = texts.map((text) => /\.(\d+)/.exec(text)?.[0].length ?? 0);
  const most = Math.max(0, ...decimals);
  const suffixes = texts.map((text) => /(?<!\D)\D*$/.exec(text)?.[0] ?? "");
  const widest = Math.max(0, ...suffixes.map(widthOf));
  return texts.map((text, i) =>
    text + " ".repeat(most - decimals[i] + widest - widthOf(suffixes[i]))
  );
}

/**
 * Shortens `names` to `width` columns, but keeps them distinct. First drops the words with which all of them begin,
 * then cuts their ends. If that makes names equal, cuts their middles instead.
 */
export function fittedNames(
  names: readonly string[],
  width: number,
  { unicode }: Pick<TerminalOptions, "unicode">,
): string[] {
  const isWide = (name: string): boolean => widthOf(name) > width;
  if (!names.some(isWide)) return [...names];
  const isEnough = (ends: readonly string[]): boolean => ends.every((end) => widthOf(end) < width);
  const ends = names.length > 1 ? withoutCommon(names, isEnough) : names;
  const ellipsis = unicode ? "…" : ".";
  const short = ends[0] === names[0] ? ends : ends.map((end) => ellipsis + end);
  const cut = short.map((name) => fitted(name, width, unicode));
  return new Set(cut).size === new Set(names).size
    ? cut
    : short.map((name) => isWide(name) ? withoutMiddle(name, width, unicode) : name);
}

/**
 * Drops the whole words with which all names begin: `load-7d9f-x2x4z`, `load-7d9f-k8w1q` → `x2x4z`, `k8w1q`.
 * @param isEnough Whether what is left of the names is short enough, so that no further word has to be dropped.
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

function withoutMiddle(name: string, width: number, unicode: boolean): string {
  const head = fitted(name, Math.floor(width / 2), unicode);
  let tail = "";
  for (const character of [...name].reverse()) {
    if (widthOf(head + character + tail) > width) break;
    tail = character + tail;
  }
  return head + tail;
}
