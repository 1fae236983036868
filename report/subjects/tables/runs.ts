/** Every run with the figures of its results, but without the part that the experiment discards. */
import { type Block, table } from "../../blocks.ts";
import { poolLatency } from "../../figures/pool.ts";
import { PERCENTILES } from "../../../runner/stats/quantile.ts";
import { timeUnit } from "../../writing/units.ts";
import type { ScenarioContext } from "../subject.ts";
import * as column from "./column.ts";
import { runsOf, type Table, tableOf, unitNamed } from "./table.ts";

export function everyRun(context: ScenarioContext): Block[] {
  return [table(runsTable(context), { fold: "Every run as a table" })];
}

function runsTable({ name, cells }: ScenarioContext): Table {
  const rows = runsOf(cells).map((row) => ({ ...row, latency: poolLatency([row.run]) }));
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  const caption = `Every run of ${name}`;
  const notes = [
    "Place is the run's position in the order of runs. Generator CPU is that of its busiest worker; " +
    "near 100 % of a core, the generator and not the target may be the limit.",
  ];
  return tableOf({ caption, notes }, rows, [
    ...column.runs,
    column.number("Place", ({ run }) => run.order, "count"),
    column.number("Requests/s", ({ run }) => run.rate),
    column.number("Mean", ({ latency }) => column.meanIn(latency), unit),
    ...PERCENTILES.map((p) =>
      column.number(`p${p}`, ({ latency }: typeof rows[0]) => column.percentileIn(latency, p), unit)
    ),
    column.number("Max", ({ latency }) => column.maxIn(latency), unit),
    column.number("Completed", ({ run }) => run.requests.completed, "count"),
    column.errors("Failed", ({ run }) => run.requests.failed),
    column.text("Steady state", ({ run }) => run.warmup?.label ?? "–"),
    column.number("Steady from", ({ run }) => run.warmup?.steadyFromS, unitNamed("s")),
    column.number("Generator CPU", ({ run }) => run.generator.cpu, "share"),
    column.text("Trust", ({ run: { generator: { trust } } }) => ({
      text: trust,
      alarming: trust !== "valid",
    })),
  ]);
}
