/** Every run, as it is in the results but for what the experiment discards. */
import type { Run } from "../../runner/result.ts";
import { PERCENTILES } from "../../runner/stats/percentiles.ts";
import type { Cell } from "../cells.ts";
import { type ColumnOf, type Table, tableOf } from "../table.ts";
import { timeUnit, type Unit } from "../units.ts";
import {
  countCell,
  faultCell,
  NONE,
  numberCell,
  runColumns,
  type RunOfCell,
  runsOf,
  shareCell,
  textCell,
} from "./columns.ts";
import { boundCell } from "./percentiles.ts";

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
    timeColumn("Mean", unit, ({ mean }) => mean),
    ...PERCENTILES.map((p): ColumnOf<RunOfCell> => ({
      label: `p${p}`,
      unit: unit.name,
      cell: ({ run: { latency } }) =>
        boundCell(numberCell(latency.percentiles[`${p}`], unit), latency, p),
    })),
    timeColumn("Max", unit, ({ max }) => max),
    { label: "Completed", cell: ({ run }) => countCell(run.requests.completed) },
    { label: "Failed", cell: ({ run }) => faultCell(countCell(run.requests.failed)) },
    { label: "Steady state", kind: "text", cell: ({ run }) => textCell(run.warmup?.label ?? "–") },
    {
      label: "Steady from",
      unit: "s",
      cell: ({ run }) =>
        typeof run.warmup?.steadyFrom === "number" ? numberCell(run.warmup.steadyFrom) : NONE,
    },
    { label: "Generator CPU", unit: "%", cell: ({ run }) => shareCell(run.generator.cpu) },
    {
      label: "Trust",
      kind: "text",
      cell: ({ run: { generator: { trust } } }) => ({ text: trust, alarming: trust !== "valid" }),
    },
  ]);
}

function timeColumn(
  label: string,
  unit: Unit,
  of: (latency: Run["latency"]) => number,
): ColumnOf<RunOfCell> {
  return {
    label,
    unit: unit.name,
    cell: ({ run: { latency } }) => latency.count === 0 ? NONE : numberCell(of(latency), unit),
  };
}
