/** Every run as in the results, without the part that the experiment discards. */
import { table } from "../../blocks.ts";
import { type PooledLatency, poolLatency } from "../../figures/pool.ts";
import { PERCENTILES } from "../../../runner/stats/quantile.ts";
import { timeUnit } from "../../writing/units.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import { maxIn, meanIn, percentileIn } from "./latency_cells.ts";
import {
  column,
  errorColumn,
  runColumns,
  type RunOfCell,
  runsOf,
  type Table,
  tableOf,
  textColumn,
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
    column("Place", ({ run }) => run.order, "count"),
    column("Requests/s", ({ run }) => run.rate),
    column("Mean", ({ latency }) => meanIn(latency), unit),
    ...PERCENTILES.map((p) =>
      column<RunRow>(`p${p}`, ({ latency }) => percentileIn(latency, p), unit)
    ),
    column("Max", ({ latency }) => maxIn(latency), unit),
    column("Completed", ({ run }) => run.requests.completed, "count"),
    errorColumn("Failed", ({ run }) => run.requests.failed),
    textColumn("Steady state", ({ run }) => run.warmup?.label ?? "–"),
    { ...column("Steady from", ({ run }) => run.warmup?.steadyFromS), unit: "s" },
    column("Generator CPU", ({ run }) => run.generator.cpu, "share"),
    {
      label: "Trust",
      kind: "text",
      cell: ({ run: { generator: { trust } } }) => ({ text: trust, alarming: trust !== "valid" }),
    },
  ]);
}
