/** The values that a sweep's drawings show: one row a cell. */
import type { Cell } from "../runs/cells.ts";
import { percentileOf } from "../runs/pool.ts";
import { type ColumnOf, type Table, tableOf } from "../tables/table.ts";
import { numberCell, shareCell, withInterval } from "../tables/columns.ts";
import { percentileCell } from "../tables/percentiles.ts";
import { timeUnit } from "../numbers/units.ts";
import { type NumericFactor, textAt } from "../runs/factors.ts";
import type { SweepFacet } from "./lines.ts";

interface Row {
  readonly subject: string;
  /** Undefined where colours are those of another drawing. */
  readonly color?: number;
  readonly at: number;
  readonly cell: Cell;
}

export function sweepTable(
  facets: readonly SweepFacet[],
  factor: NumericFactor,
  scenario: string,
): Table {
  const rows = facets.flatMap(({ lines }) =>
    lines.flatMap(({ subject, color, points }) =>
      points.map(({ at, cell }): Row => ({ subject, color, at, cell }))
    )
  );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 50)));
  const caption = `${scenario} by ${factor.name}`;
  return tableOf({ caption }, rows, [
    { label: "Target", kind: "name", cell: ({ subject, color }) => ({ text: subject, color }) },
    {
      label: factor.name,
      cell: ({ at }) => ({ text: textAt(factor, at), value: at }),
    },
    {
      label: "Requests/s",
      cell: ({ cell: { rate, confidence } }) =>
        withInterval(numberCell(rate.mean), confidence.intervals.rate),
    },
    ...(factor.isOffered ? [servedColumn] : []),
    { label: "p50", unit: unit.name, cell: ({ cell }) => percentileCell(cell, 50, unit) },
    { label: "p99", unit: unit.name, cell: ({ cell }) => percentileCell(cell, 99, unit) },
  ]);
}

const servedColumn: ColumnOf<Row> = {
  label: "Served",
  unit: "%",
  cell: ({ at, cell }) => shareCell(cell.rate.mean / at),
};
