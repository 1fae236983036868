/** Every run, word for word as it is in the results. */
import { PERCENTILES } from "../../runner/result.ts";
import type { Cell } from "../cells.ts";
import { supports } from "../pool.ts";
import { type ColumnOf, type Table, tableOf } from "../table.ts";
import { timeUnit } from "../units.ts";
import {
  countCell,
  faultCell,
  numberCell,
  runColumns,
  type RunOfCell,
  runsOf,
  shareCell,
} from "./columns.ts";

export function runsTable(scenario: string, cells: readonly Cell[]): Table {
  const runs = runsOf(cells);
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  const caption = `Every run of ${scenario}`;
  const notes = [
    "Place is the position in which the run was made. Generator CPU is that of its busiest worker; " +
    "near 100 % of a core, the generator and not the target may be the limit.",
  ];
  return tableOf({ caption, notes }, runs, [
    ...runColumns,
    { label: "Place", cell: ({ run }) => countCell(run.order) },
    { label: "Requests/s", cell: ({ run }) => numberCell(run.rate) },
    { label: "Mean", unit: unit.name, cell: ({ run }) => numberCell(run.latency.mean, unit) },
    ...PERCENTILES.map((p): ColumnOf<RunOfCell> => ({
      label: `p${p}`,
      unit: unit.name,
      cell: ({ run: { latency } }) => ({
        ...numberCell(latency.percentiles[`${p}`], unit),
        weak: !supports(latency.count, p),
      }),
    })),
    { label: "Max", unit: unit.name, cell: ({ run }) => numberCell(run.latency.max, unit) },
    { label: "Completed", cell: ({ run }) => countCell(run.requests.completed) },
    { label: "Failed", cell: ({ run }) => faultCell(countCell(run.requests.failed)) },
    { label: "Generator CPU", unit: "%", cell: ({ run }) => shareCell(run.generator.cpu) },
  ]);
}
