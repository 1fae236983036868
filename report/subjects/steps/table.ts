/** A table with a row for each cell and each request of a mix, flow or page. */
import { isRedirectedName } from "../../../base/figures/steps.ts";
import type { StepFigures } from "../../../runner/result/step.ts";
import { type Block, table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { percentileOf } from "../../figures/pool.ts";
import type { CsvRecord } from "../../writing/csv.ts";
import { sum } from "../../writing/spread.ts";
import { timeUnit } from "../../writing/units.ts";
import type { ScenarioContext } from "../subject.ts";
import { messageColumns } from "../streams.ts";
import * as column from "../tables/column.ts";
import { type Table, tableOf } from "../tables/table.ts";
import { stepScenarios } from "./step_cells.ts";

/** The figures of each request of a mix, flow or page; empty for a scenario that has a single request. */
export function steps(scenario: ScenarioContext): Block[] {
  return [
    table(stepsTable(scenario), { forms: ["page", "markdown", ...scenario.roomy] }),
  ];
}

const NOTE =
  "Requests with the same name share a row. The figures are of whole runs; nothing is discarded here. In an open loop a " +
  "request that was never sent counts in the row of the request that was due.";

function stepsTable(scenario: ScenarioContext): Table {
  const places = scenario.cells.map(({ label }) => label);
  // With `follow`, there is a row for the redirected part of every request. It is left out if the
  // request was never redirected.
  const rows = stepScenarios([scenario], scenario.results)
    .filter(({ name, cells }) => !isRedirectedName(name) || cells.some((cell) => dueOf(cell) > 0))
    .flatMap(({ name, cells }) =>
      cells.toSorted((a, b) => places.indexOf(a.label) - places.indexOf(b.label))
        .map((cell) => ({ step: name.slice(scenario.name.length + 1), cell }))
    );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 50)));
  return tableOf({ caption: `Requests of ${scenario.name}`, notes: [NOTE] }, rows, [
    column.cell,
    column.text("Request", ({ step }) => step),
    column.rate,
    column.percentile(50, unit),
    column.percentile(99, unit),
    column.max(unit),
    column.number("Count", ({ cell }) => dueOf(cell), "count"),
    column.errors("Errors", ({ cell }) => dueOf(cell) === 0 ? null : cell.errorRatio, "share"),
  ]);
}

function dueOf({ runs }: CellRuns): number {
  return sum(runs, ({ requests }) => requests.due);
}

/** One run's figures of each step, as columns for CSV. */
export function stepColumns(steps: readonly StepFigures[]): CsvRecord {
  return Object.fromEntries(
    steps.flatMap(({ name, rate, requests, wrong, latency, ...messages }) => [
      [`steps.${name}.ratePerSec`, rate],
      [`steps.${name}.completed`, requests.completed],
      [`steps.${name}.failed`, requests.failed],
      [`steps.${name}.wrong`, wrong],
      ...latency.count === 0 ? [] : [
        [`steps.${name}.latencyP50Ms`, latency.percentiles["50"]] as const,
        [`steps.${name}.latencyP99Ms`, latency.percentiles["99"]] as const,
      ],
      ...Object.entries(messageColumns(messages))
        .map(([column, value]) => [`steps.${name}.${column}`, value] as const),
    ]),
  );
}
