/** When each percentile of latency is stable, and at what: one row a cell of any scenario. */
import type { Cell } from "../runs/cells.ts";
import { FLATTENING } from "../runs/settling.ts";
import type { Range } from "../runs/figure_range.ts";
import { READING } from "../numbers/how_to_read.ts";
import { type ColumnOf, type Table, tableOf } from "./table.ts";
import { timeUnit, type Unit } from "../numbers/units.ts";
import { rangeCell, targetColumn, textCell } from "./columns.ts";

/** How a percentile of a cell flattens, in ms. */
export interface Flattens {
  readonly percentile: typeof FLATTENING[number];
  readonly from: Range;
  readonly final: Range;
}

export interface StableRow {
  readonly scenario: string;
  readonly cell: Cell;
  /** Unique among the rows. */
  readonly name: string;
  /** One for each of FLATTENING. */
  readonly flattens: readonly Flattens[];
}

/** @param several Whether the rows are of several scenarios. */
export function stableTable(rows: readonly StableRow[], several: boolean): Table {
  const finals = rows.flatMap(({ flattens }) => flattens.map(({ final }) => final.value));
  const unit = timeUnit(finals);
  const caption = "Time to stable latency against final latency";
  return tableOf({ caption, notes: [NOTE, READING.flattening] }, rows, [
    { ...targetColumn, cell: ({ cell }) => targetColumn.cell(cell) },
    ...several ? [scenarioColumn] : [],
    ...FLATTENING.flatMap((percentile, i) => [
      column(`Final ${percentile}`, unit, ({ flattens }) => flattens[i].final),
      column(`${percentile} stable after`, SECONDS, ({ flattens }) => flattens[i].from),
    ]),
  ]);
}

const NOTE =
  "Final is the median of a percentile over the last quarter of a run; means over the runs.";

const SECONDS: Unit = { name: "s", size: 1_000, decimals: 3 };

const scenarioColumn: ColumnOf<StableRow> = {
  label: "Scenario",
  kind: "text",
  cell: ({ scenario }) => textCell(scenario),
};

function column(
  label: string,
  unit: Unit,
  of: (row: StableRow) => Range,
): ColumnOf<StableRow> {
  return { label, unit: unit.name, cell: (row) => rangeCell(of(row), unit) };
}
