/** A trend in numbers: one row a cell and result. */
import type { Cell } from "../runs/cells.ts";
import { percentileOf } from "../runs/pool.ts";
import { type Table, tableOf } from "../tables/table.ts";
import {
  countCell,
  faultCell,
  numberCell,
  shareCell,
  textCell,
  withInterval,
} from "../tables/columns.ts";
import { percentileCell } from "../tables/percentiles.ts";
import { formatMoment, timeUnit } from "../numbers/units.ts";
import type { TrendPoint, TrendSeries } from "./series.ts";

interface TrendRow {
  readonly series: TrendSeries;
  readonly point: TrendPoint;
  readonly cell: Cell;
}

/** @param series Those of one scenario. */
export function trendTable(
  scenario: string,
  points: readonly TrendPoint[],
  series: readonly TrendSeries[],
): Table {
  const rows = series.flatMap((one) =>
    one.cells.flatMap((cell, i): TrendRow[] =>
      cell === null ? [] : [{ series: one, point: points[i], cell }]
    )
  );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 99)));
  const notes = points.some(({ isDirty }) => isDirty)
    ? ["A + after a commit: files that git tracks differed from it."]
    : [];
  return tableOf({ caption: `Trend of ${scenario}`, notes }, rows, [
    {
      label: "Target",
      kind: "name",
      cell: ({ series: { label, color } }) => ({ text: label, color }),
    },
    { label: "Result", kind: "text", cell: ({ point }) => textCell(point.label) },
    {
      label: "At",
      kind: "text",
      cell: ({ point: { results } }) => textCell(formatMoment(results.startedAt)),
    },
    {
      label: "Requests/s",
      cell: ({ cell: { rate, confidence } }) =>
        withInterval(numberCell(rate.mean), confidence.intervals.rate),
    },
    { label: "p99", unit: unit.name, cell: ({ cell }) => percentileCell(cell, 99, unit) },
    {
      label: "Faults",
      unit: "%",
      cell: ({ cell: { wrongRatio } }) => faultCell(shareCell(wrongRatio)),
    },
    { label: "Runs", cell: ({ cell: { runs } }) => countCell(runs.length) },
  ]);
}
