/** One row a cell: what a reader in a hurry wants to know. */
import type { CellRuns } from "../runs/cells.ts";
import { percentileOf } from "../runs/pool.ts";
import { meanCoresOf } from "../runs/resources.ts";
import { median } from "../numbers/spread.ts";
import {
  type ColumnOf,
  errorCell,
  NONE,
  numberCell,
  shareCell,
  type Table,
  tableOf,
  targetColumn,
  textCell,
  withInterval,
} from "./table.ts";
import { formatNumber, timeUnit } from "../numbers/units.ts";
import { maxCell, percentileCell } from "./percentiles.ts";

export function summaryTable(scenario: string, cells: readonly CellRuns[]): Table {
  const unit = timeUnit(cells.map(({ latency }) => percentileOf(latency, 50)));
  const several = cells.some(({ runs }) => runs.length > 1);
  // Beside intervals the range would say the same once more; the bars show it.
  const certain = cells.some(({ confidence }) => confidence.intervals.rate !== null);
  return tableOf({ caption: `Summary of ${scenario}` }, cells, [
    targetColumn,
    {
      label: "Requests/s",
      cell: ({ rate, confidence }) =>
        withInterval(numberCell(rate.mean), confidence.intervals.rate),
    },
    { label: "p50", unit: unit.name, cell: (cell) => percentileCell(cell, 50, unit) },
    { label: "p99", unit: unit.name, cell: (cell) => percentileCell(cell, 99, unit) },
    {
      label: "Max",
      unit: unit.name,
      cell: ({ latency }) => maxCell(latency, unit),
    },
    {
      label: "Errors",
      unit: "%",
      cell: ({ errorRatio: wrongRatio }) => errorCell(shareCell(wrongRatio)),
    },
    ...(cells.some(hasResources) ? [cpuColumn] : []),
    ...(several && !certain ? [rangeColumn] : []),
  ]);
}

const rangeColumn: ColumnOf<CellRuns> = {
  label: "Range of runs",
  kind: "text",
  cell: ({ rate, runs }) =>
    runs.length === 1
      ? textCell("one run")
      : textCell(`${formatNumber(rate.min)}–${formatNumber(rate.max)}`),
};

function hasResources({ runs }: CellRuns): boolean {
  return runs.some(({ resources }) => resources.length > 0);
}

const cpuColumn: ColumnOf<CellRuns> = {
  label: "CPU",
  unit: "cores",
  cell: (cell) => hasResources(cell) ? numberCell(median(cell.runs.map(meanCoresOf))) : NONE,
};
