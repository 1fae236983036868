/**
 * The leaderboard of a running experiment: its cells, ranked by their runs so far, with intervals that narrow as runs
 * are added. Pure. If the terminal has too few lines, the scenario of the current run is shown first.
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

/** A scenario is left out if fewer rows than this remain for it. */
const LEAST_CUT_ROWS = 4;

/** Number of rows needed to show all scenarios. */
export function boardRows({ scenarios }: Board): number {
  return [...scenarios.values()].reduce((rows, { size }) => rows + size + 1, 0);
}

/**
 * The lines of the board; empty before the first result, or without room. If not all scenarios fit, the current one
 * comes first.
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

/**
 * Sorts cells by their result. Cells with too many errors come after the others, and cells without a value come last.
 */
function ranked(cells: readonly BoardCell[]): BoardCell[] {
  const rank = ({ value, wrongRatio }: BoardCell): number =>
    value === null ? 2 : wrongRatio > TOLERATED_WRONG_RATIO ? 1 : 0;
  return [...cells].sort((a, b) => {
    const difference = (b.value ?? 0) - (a.value ?? 0);
    return rank(a) - rank(b) || (a.figure === "rate" ? difference : -difference);
  });
}

/** The bar of a cell extends to the low end of its interval, and a paler part of the bar to the high end. */
function scenarioTable(
  scenario: string,
  cells: readonly BoardCell[],
  { until, repetitions }: Board,
): Table {
  const isRate = cells[0].figure === "rate";
  const unit = isRate ? undefined : timeUnit(cells.flatMap(({ value }) => value ?? []));
  return tableOf({ caption: scenario }, cells, [
    // Non-breaking spaces, so that a long name is cut instead of wrapped, because each cell has one
    // row.
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
 * The longest bar, as a multiple of its value. With two runs, an interval may be so wide that all other bars would
 * become too short to see.
 */
const MOST_REACH = 2;

/**
 * Example: `± 1.2 %`, with a check mark once this is narrow enough to stop repeating. The half width is measured on a
 * logarithmic scale, as a factor between the value and either end.
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

/** Example: `2 failed, 1 not valid`; "" if there are no problems. */
function remarkOf({ failed, wrongRatio, doubted }: BoardCell): string {
  return [
    failed > 0 ? `${failed} failed` : "",
    wrongRatio > TOLERATED_WRONG_RATIO ? `${formatShare(wrongRatio)} errors` : "",
    doubted > 0 ? `${doubted} not valid` : "",
  ].filter(Boolean).join(", ").replaceAll(" ", GLUE);
}

/** Examples: `1.2 %`, `12 %`. */
function percentText(share: number): string {
  const percent = share * 100;
  if (percent >= 999.5) return `> 999${GLUE}%`;
  return `${percent.toFixed(percent < 0.1 ? 2 : percent < 9.95 ? 1 : 0)}${GLUE}%`;
}
