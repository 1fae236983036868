/**
 * The cells of an experiment while it runs, by result: of each what its runs show so far, with an interval that
 * narrows as runs come. A pure function of the events; a low terminal shows the scenario of the run in progress.
 */
import { TOLERATED_WRONG_RATIO } from "../../judge/shortfall.ts";
import {
  boundText,
  formatNumber,
  formatQuantity,
  formatShare,
  GLUE,
  timeUnit,
} from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { padStart, widthOf } from "../../writing/columns.ts";
import {
  encoded,
  lineWidth,
  type Style,
  type TerminalOptions,
  type TextLine,
} from "../../writing/terminal.ts";
import { barOf } from "./latency.ts";
import { cell, fittedLine } from "./line.ts";
import type { Board, BoardCell } from "./progress.ts";
import { fittedNames } from "./table.ts";

interface BoardLayout extends Pick<TerminalOptions, "unicode"> {
  readonly width: number;
  readonly rows: number;
}

/** Of a heading and a row. */
const LEAST_ROWS = 2;
/** Of a column of scenarios, beside another. */
const LEAST_COLUMN = 56;
const COLUMN_GAP = 3;
/** With fewer than these a scenario is not begun. */
const LEAST_CUT_ROWS = 4;

/** As many as it takes to show all of it, side by side where there is room. */
export function boardRows({ scenarios }: Board, width: number): number {
  const sizes = [...scenarios.values()].map(({ size }) => size + 1);
  const inOne = sizes.reduce((sum, size) => sum + size, 0);
  return Math.min(inOne, Math.ceil(sizes.length / columnsIn(width)) * Math.max(0, ...sizes));
}

function columnsIn(width: number): number {
  return Math.max(1, Math.floor((width + COLUMN_GAP) / (LEAST_COLUMN + COLUMN_GAP)));
}

/** What was drawn last of a board, which is the same one while a run loads: it is drawn four times a second. */
const drawn = new WeakMap<Board, { readonly layout: string; readonly lines: TextLine[] }>();

/** None before the first result, or without room. */
export function boardLines(board: Board, { width, rows, unicode }: BoardLayout): TextLine[] {
  const layout = `${width} ${rows} ${unicode}`;
  const last = drawn.get(board);
  if (last?.layout === layout) return last.lines;
  const lines = linesOfBoard(board, { width, rows, unicode });
  drawn.set(board, { layout, lines });
  return lines;
}

function linesOfBoard(board: Board, { width, rows, unicode }: BoardLayout): TextLine[] {
  const names = [...board.scenarios.keys()];
  if (rows < LEAST_ROWS || names.length === 0) return [];
  const needed = names.length + [...board.scenarios.values()].reduce((n, { size }) => n + size, 0);
  const count = Math.min(columnsIn(width), names.length, Math.ceil(needed / rows));
  const column = Math.floor((width + COLUMN_GAP) / count) - COLUMN_GAP;
  const blocks = new Map(
    names.map((name) => [name, scenarioLines(board, name, { width: column, unicode })]),
  );
  const columns = placed(blocks, { count, rows, first: board.scenario });
  return sideBySide(columns, column, unicode);
}

interface Places {
  /** Of columns. */
  readonly count: number;
  readonly rows: number;
  /** Of the block that is shown in any case. */
  readonly first: string;
}

/** Whole blocks in their order, column after column; where not all have room, that of the run in progress first. */
function placed(
  blocks: ReadonlyMap<string, readonly TextLine[]>,
  { count, rows, first }: Places,
): TextLine[][] {
  const current = blocks.get(first) ?? [];
  const others = [...blocks].flatMap(([name, lines]) => name === first ? [] : [lines]);
  const whole = inColumns([...blocks.values()], { count, rows, least: Infinity });
  if (whole.left === 0) return whole.columns;
  const least = Math.min(LEAST_CUT_ROWS, rows);
  return inColumns([current, ...others], { count, rows, least }).columns;
}

interface ColumnLayout extends Omit<Places, "first"> {
  /** Rows that are enough for a block that has more of them; those that don't even have these are left out. */
  readonly least: number;
}

/** With the number of blocks that are left out. */
function inColumns(
  blocks: readonly (readonly TextLine[])[],
  { count, rows, least }: ColumnLayout,
): { readonly columns: TextLine[][]; readonly left: number } {
  const columns = Array.from({ length: count }, (): TextLine[] => []);
  let left = 0;
  for (const lines of blocks) {
    const column = columns.find(({ length }) => length + lines.length <= rows) ??
      columns.find(({ length }) => length + least <= rows);
    if (column === undefined) left++;
    else column.push(...cut(lines, rows - column.length));
  }
  return { columns, left };
}

/** The best of them, and how many are left out. */
function cut(lines: readonly TextLine[], rows: number): TextLine[] {
  if (lines.length <= rows) return [...lines];
  const kept = Math.max(1, rows - 1);
  const left = counted(lines.length - kept, "more cell");
  return [...lines.slice(0, kept), ...(rows > 1 ? [[{ text: left, style: "dim" as const }]] : [])];
}

function sideBySide(columns: readonly TextLine[][], width: number, unicode: boolean): TextLine[] {
  const rows = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: rows }, (_, row) =>
    columns.flatMap((lines, c): TextLine => {
      const line = fittedLine(lines[row] ?? [], width, { unicode });
      if (columns.slice(c + 1).every(({ length }) => length <= row)) return line;
      return [...line, { text: " ".repeat(width - lineWidth(line) + COLUMN_GAP) }];
    }));
}

function scenarioLines(
  board: Board,
  scenario: string,
  room: Omit<BoardLayout, "rows">,
): TextLine[] {
  const cells = ranked([...board.scenarios.get(scenario)?.values() ?? []]);
  const figure = cells[0].figure === "rate" ? "requests/s" : "p99";
  const width = board.until === null
    ? ", ± 95 % interval"
    : `, ends at ± ${percentText(board.until)}`;
  const rows = cells.map((one) => rowText(one, board, room));
  return [
    [
      { text: scenario, style: "cyan" },
      { text: `  ${figure} so far${width}`, style: "dim" },
    ],
    ...rowLines(rows, cells, room),
  ];
}

/** By result; first those that do what was required of them. */
function ranked(cells: readonly BoardCell[]): BoardCell[] {
  const rank = ({ value, wrongRatio }: BoardCell): number =>
    value === null ? 2 : wrongRatio > TOLERATED_WRONG_RATIO ? 1 : 0;
  return [...cells].sort((a, b) => {
    const difference = (b.value ?? 0) - (a.value ?? 0);
    return rank(a) - rank(b) || (a.figure === "rate" ? difference : -difference);
  });
}

interface RowText {
  /** `3/5` */
  readonly runs: string;
  readonly value: string;
  /** `± 1.2 %`, with a mark where the rule is met. */
  readonly width: string;
  /** What is wrong with it; "" for nothing. */
  readonly remark: string;
  readonly style: Style | undefined;
}

/** With the signs that the terminal has, as some take more columns than others. */
function rowText(
  one: BoardCell,
  { repetitions, until }: Board,
  signs: Pick<TerminalOptions, "unicode">,
): RowText {
  const { value, measured, failed, wrongRatio, doubted, interval, halfWidth } = one;
  const isWrong = wrongRatio > TOLERATED_WRONG_RATIO;
  const half = until === null ? interval && halfOf(interval) : halfWidth;
  const mark = until !== null && half !== null && half <= until ? ` ✓` : "";
  return {
    runs: `${measured}/${Math.max(repetitions, measured)}`,
    value: encoded(
      value === null ? "–" : boundText(valueText(value, one), one.isAtLeast),
      signs,
    ),
    width: half === null ? "" : encoded(`± ${percentText(half)}${mark}`, signs),
    remark: [
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(isWrong ? [`${formatShare(wrongRatio)} errors`] : []),
      ...(doubted > 0 ? [`${doubted} not valid`] : []),
    ].join(", "),
    style: isWrong || value === null ? "red" : doubted > 0 ? "yellow" : undefined,
  };
}

function valueText(value: number, { figure }: BoardCell): string {
  return figure === "rate" ? formatNumber(value) : formatQuantity(value, timeUnit([value]));
}

/** On the logarithmic scale, as the interval is made: the factor to either end. */
function halfOf({ low, high }: NonNullable<BoardCell["interval"]>): number {
  return low > 0 ? Math.expm1(Math.log(high / low) / 2) : Infinity;
}

/** `1.2 %`, `12 %`; nobody needs a third digit of it. */
function percentText(share: number): string {
  const percent = share * 100;
  if (percent >= 1_000) return `> 999${GLUE}%`;
  return `${percent.toFixed(percent < 0.1 ? 2 : percent < 10 ? 1 : 0)}${GLUE}%`;
}

const LEAST_LABEL = 10;
const LEAST_BOARD_BAR = 8;
/** Before names are cut for it. */
const FAIR_BOARD_BAR = 12;
const MOST_BOARD_BAR = 60;
const SPACE = 2;

/** Name, runs, bar, value, interval, and what is wrong; the bar has what is left, and goes first. */
function rowLines(
  rows: readonly RowText[],
  cells: readonly BoardCell[],
  { width, unicode }: Omit<BoardLayout, "rows">,
): TextLine[] {
  const widest = (of: (row: RowText) => string): number =>
    Math.max(...rows.map((row) => widthOf(of(row))));
  const [runs, value, half, remark] = [
    widest((row) => row.runs),
    widest((row) => row.value),
    widest((row) => row.width),
    widest((row) => row.remark),
  ];
  const taken = [runs, value, half, remark].reduce((sum, one) => sum + (one && one + SPACE), 0);
  const longest = Math.max(...cells.map(({ label }) => widthOf(label)));
  const left = width - taken;
  const label = Math.max(LEAST_LABEL, Math.min(longest, left - FAIR_BOARD_BAR - SPACE));
  const bar = Math.min(MOST_BOARD_BAR, left - label - SPACE);
  const names = fittedNames(cells.map((one) => one.label), label, unicode);
  const most = Math.max(0, ...cells.map(endOf));
  const gap = { text: " ".repeat(SPACE) };
  return rows.map((row, i): TextLine => [
    cell(names[i], label, row.style ?? "bold"),
    gap,
    { text: padStart(row.runs, runs), style: "dim" },
    ...(bar < LEAST_BOARD_BAR ? [] : [gap, ...barSpans(cells[i], { columns: bar, most, unicode })]),
    gap,
    { text: padStart(row.value, value), style: row.style ?? "bold" },
    ...(half === 0 ? [] : [gap, cell(row.width, half)]),
    ...(row.remark === "" ? [] : [gap, { text: row.remark, style: row.style }]),
  ]);
}

/** Of two runs an interval may reach anywhere: then the bars of the others would have no length. */
function endOf({ value, interval }: BoardCell): number {
  return Math.min(interval?.high ?? value ?? 0, MOST_REACH * (value ?? 0));
}

const MOST_REACH = 2;

interface BarLayout extends Pick<TerminalOptions, "unicode"> {
  readonly columns: number;
  readonly most: number;
}

/** From 0 to the low end of the interval, then to its high end: the second part narrows. One run has that part alone. */
function barSpans(
  one: BoardCell,
  { columns, most, unicode }: BarLayout,
): TextLine {
  const scale = most > 0 ? columns / most : 0;
  const low = Math.round((one.interval?.low ?? 0) * scale);
  const high = Math.max(low, Math.round(endOf(one) * scale));
  return [
    { text: barOf(low, { unicode }), style: "cyan" },
    { text: (unicode ? "░" : ".").repeat(high - low), style: "cyan" },
    { text: " ".repeat(columns - high) },
  ];
}
