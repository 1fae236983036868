/**
 * The cells of a running experiment, ranked by what their runs show so far, each with an interval that narrows as
 * runs arrive. A pure function of the events; a terminal with few lines shows only the scenario of the run in
 * progress.
 */
import { TOLERATED_WRONG_RATIO } from "../../judge/shortfall.ts";
import * as column from "../../subjects/tables/column.ts";
import { measuredCell, NONE, type Table, tableOf } from "../../subjects/tables/table.ts";
import { formatShare, GLUE, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { TerminalOptions, TextLine } from "../../writing/terminal.ts";
import { lineOf } from "./line.ts";
import type { Board, BoardCell } from "./progress.ts";
import { tableLines } from "./table.ts";

/** With fewer rows than this left, a scenario is not shown. */
const LEAST_CUT_ROWS = 4;

/** Number of rows of the whole board. */
export function boardRows({ scenarios }: Board): number {
  return [...scenarios.values()].reduce((rows, { size }) => rows + size + 1, 0);
}

/**
 * The board as lines; none before the first result, or without room. If not all scenarios fit, the current one comes
 * first.
 */
export function boardLines(board: Board, rows: number, options: TerminalOptions): TextLine[] {
  const names = [...board.scenarios.keys()];
  const isCurrent = (name: string): number => Number(name === board.scenario);
  const order = boardRows(board) <= rows
    ? names
    : names.toSorted((a, b) => isCurrent(b) - isCurrent(a));
  const lines: TextLine[] = [];
  for (const name of order) {
    const cells = ranked([...board.scenarios.get(name)?.values() ?? []]);
    const left = rows - lines.length;
    if (left < Math.min(cells.length + 1, LEAST_CUT_ROWS)) break;
    const isCut = cells.length + 1 > left;
    const shown = isCut ? cells.slice(0, left - 2) : cells;
    lines.push(...tableLines(scenarioTable(name, shown, board), options));
    if (isCut) lines.push(lineOf(counted(cells.length - shown.length, "more cell"), "dim"));
  }
  return lines;
}

/** Cells by result; those that met the requirements come first. */
function ranked(cells: readonly BoardCell[]): BoardCell[] {
  const rank = ({ value, wrongRatio }: BoardCell): number =>
    value === null ? 2 : wrongRatio > TOLERATED_WRONG_RATIO ? 1 : 0;
  return [...cells].sort((a, b) => {
    const difference = (b.value ?? 0) - (a.value ?? 0);
    return rank(a) - rank(b) || (a.figure === "rate" ? difference : -difference);
  });
}

/** A bar extends to the low end of the interval, and a paler part to its high end; that part shrinks as runs arrive. */
function scenarioTable(
  scenario: string,
  cells: readonly BoardCell[],
  { until, repetitions }: Board,
): Table {
  const isRate = cells[0].figure === "rate";
  const unit = isRate ? undefined : timeUnit(cells.flatMap(({ value }) => value ?? []));
  return tableOf({ caption: scenario }, cells, [
    // Names are cut, not broken: each cell has a row.
    column.name(scenario, ({ label }) => label.replaceAll(" ", GLUE)),
    column.text("Runs", ({ measured }) => `${measured}/${Math.max(repetitions, measured)}`),
    {
      label: "",
      kind: "bar",
      cell: ({ value, interval }) => ({
        text: "",
        value: Math.min(interval?.high ?? value ?? 0, MOST_REACH * (value ?? 0)),
        certain: interval?.low ?? 0,
      }),
    },
    {
      label: isRate ? "Requests/s" : "p99",
      unit: unit?.name,
      cell: ({ value, isAtLeast, wrongRatio }) => ({
        ...value === null ? NONE : measuredCell({ value, isAtLeast }, unit),
        alarming: wrongRatio > TOLERATED_WRONG_RATIO,
      }),
    },
    column.text(
      until === null ? `±${GLUE}95${GLUE}%` : `Until ±${GLUE}${percentText(until)}`,
      (one) => widthText(one, until),
    ),
    column.text("", (one) => ({ text: remarkOf(one), alarming: true })),
  ]);
}

/**
 * The longest bar, as a multiple of its value: with two runs, an interval may be so long that no length would be left
 * for other bars.
 */
const MOST_REACH = 2;

/**
 * `± 1.2 %`, with a mark if that is narrow enough for repetition to end. On a logarithmic scale, like the interval: the
 * factor from the value to either end.
 */
function widthText({ interval, halfWidth }: BoardCell, until: number | null): string {
  const ofInterval = interval === null
    ? null
    : interval.low > 0
    ? Math.expm1(Math.log(interval.high / interval.low) / 2)
    : Infinity;
  const half = until === null ? ofInterval : halfWidth;
  if (half === null) return "";
  return `±${GLUE}${percentText(half)}${until !== null && half <= until ? `${GLUE}✓` : ""}`;
}

/** A remark about the cell's problems; "" if there are none. */
function remarkOf({ failed, wrongRatio, doubted }: BoardCell): string {
  return [
    failed > 0 ? `${failed} failed` : "",
    wrongRatio > TOLERATED_WRONG_RATIO ? `${formatShare(wrongRatio)} errors` : "",
    doubted > 0 ? `${doubted} not valid` : "",
  ].filter(Boolean).join(", ").replaceAll(" ", GLUE);
}

/** A share with two digits: `1.2 %`, `12 %`. */
function percentText(share: number): string {
  const percent = share * 100;
  if (percent >= 1_000) return `> 999${GLUE}%`;
  return `${percent.toFixed(percent < 0.1 ? 2 : percent < 10 ? 1 : 0)}${GLUE}%`;
}
