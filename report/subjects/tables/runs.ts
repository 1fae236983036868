/** Every run, as it is in the results but for what the experiment discards. */
import { table } from "../../blocks.ts";
import { type PooledLatency, poolLatency } from "../../figures/pool.ts";
import { PERCENTILES } from "../../../runner/stats/quantile.ts";
import { timeUnit } from "../../writing/units.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import { latencyCell, maxCell, meanCell } from "./latency_cells.ts";
import {
  type ColumnOf,
  countCell,
  errorCell,
  NONE,
  numberCell,
  runColumns,
  type RunOfCell,
  runsOf,
  shareCell,
  type Table,
  tableOf,
  textCell,
} from "./table.ts";

export const everyRun: Subject<ScenarioContext> = {
  id: "runs",
  title: "Every run",
  depth: "everything",
  build: (context) => [table(runsTable(context), { fold: "Every run as a table" })],
};

interface RunRow extends RunOfCell {
  readonly latency: PooledLatency;
}

function runsTable({ name, cells }: ScenarioContext): Table {
  const rows = runsOf(cells).map((row): RunRow => ({ ...row, latency: poolLatency([row.run]) }));
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  const caption = `Every run of ${name}`;
  const notes = [
    "Place is the position in which the run was made. Generator CPU is that of its busiest worker; " +
    "near 100 % of a core, the generator and not the target may be the limit.",
  ];
  return tableOf({ caption, notes }, rows, [
    ...runColumns,
    { label: "Place", cell: ({ run }) => countCell(run.order) },
    { label: "Requests/s", cell: ({ run }) => numberCell(run.rate) },
    { label: "Mean", unit: unit.name, cell: ({ latency }) => meanCell(latency, unit) },
    ...PERCENTILES.map((p): ColumnOf<RunRow> => ({
      label: `p${p}`,
      unit: unit.name,
      cell: ({ latency }) => latencyCell(latency, p, unit),
    })),
    { label: "Max", unit: unit.name, cell: ({ latency }) => maxCell(latency, unit) },
    { label: "Completed", cell: ({ run }) => countCell(run.requests.completed) },
    { label: "Failed", cell: ({ run }) => errorCell(countCell(run.requests.failed)) },
    { label: "Steady state", kind: "text", cell: ({ run }) => textCell(run.warmup?.label ?? "–") },
    {
      label: "Steady from",
      unit: "s",
      cell: ({ run }) =>
        typeof run.warmup?.steadyFromS === "number" ? numberCell(run.warmup.steadyFromS) : NONE,
    },
    { label: "Generator CPU", unit: "%", cell: ({ run }) => shareCell(run.generator.cpu) },
    {
      label: "Trust",
      kind: "text",
      cell: ({ run: { generator: { trust } } }) => ({ text: trust, alarming: trust !== "valid" }),
    },
  ]);
}
