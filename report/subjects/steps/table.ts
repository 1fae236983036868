/** A row for each request of a mix, flow or page of each cell. */
import type { StepFigures } from "../../../runner/result/distribution.ts";
import { isRedirectedName } from "../../../base/figures/steps.ts";
import { sum } from "../../writing/spread.ts";
import { timeUnit } from "../../writing/units.ts";
import { table } from "../../blocks.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import { percentileOf, WEAK_NOTE } from "../../figures/pool.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import { stepScenarios } from "./step_cells.ts";
import { maxCell, percentileCell } from "../tables/latency_cells.ts";
import {
  cellColumn,
  countCell,
  errorCell,
  NONE,
  numberCell,
  shareCell,
  type Table,
  tableOf,
  textCell,
  withInterval,
} from "../tables/table.ts";

interface StepRow {
  readonly step: string;
  readonly cell: CellRuns;
}

const NOTE =
  "Requests of one name are one row. The figures are of whole runs; nothing is discarded here. In an open loop a " +
  "request that was never sent is counted where it would have been.";

/** Nothing where the scenario has one request alone. */
export const steps: Subject<ScenarioContext> = {
  id: "steps",
  title: "Requests one by one",
  depth: "detail",
  build: (scenario) => [
    table(stepsTable(scenario, stepScenarios([scenario], scenario.results)), {
      forms: ["page", "markdown", ...scenario.roomy],
    }),
  ],
};

/** @param steps As scenarios named `checkout.pay`. */
function stepsTable(scenario: ScenarioRuns, steps: readonly ScenarioRuns[]): Table {
  const places = scenario.cells.map(({ label }) => label);
  const rows = steps.filter(isRequested).flatMap(({ name, cells }): StepRow[] =>
    cells.toSorted((a, b) => places.indexOf(a.label) - places.indexOf(b.label))
      .map((cell) => ({ step: name.slice(scenario.name.length + 1), cell }))
  );
  const unit = timeUnit(rows.map(({ cell }) => percentileOf(cell.latency, 50)));
  const isWeak = rows.some(({ cell }) => !supportsPercentile(cell.latency.count, 99));
  return tableOf(
    { caption: `Requests of ${scenario.name}`, notes: isWeak ? [NOTE, WEAK_NOTE] : [NOTE] },
    rows,
    [
      cellColumn,
      { label: "Request", kind: "text", cell: ({ step }) => textCell(step) },
      {
        label: "Requests/s",
        cell: ({ cell }) => withInterval(numberCell(cell.rate.mean), cell.interval("rate")),
      },
      ...([50, 99] as const).map((p) => ({
        label: `p${p}`,
        unit: unit.name,
        cell: ({ cell }: StepRow) => percentileCell(cell, p, unit),
      })),
      { label: "Max", unit: unit.name, cell: ({ cell }) => maxCell(cell.latency, unit) },
      {
        label: "Count",
        cell: ({ cell }) => countCell(dueOf(cell)),
      },
      {
        label: "Errors",
        unit: "%",
        cell: ({ cell }) => dueOf(cell) === 0 ? NONE : errorCell(shareCell(cell.errorRatio)),
      },
    ],
  );
}

/** Where `follow` is on, any request might be redirected: those that never were say nothing. */
function isRequested({ name, cells }: ScenarioRuns): boolean {
  return !isRedirectedName(name) || cells.some((cell) => dueOf(cell) > 0);
}

function dueOf({ runs }: CellRuns): number {
  return sum(runs, ({ requests }) => requests.due);
}

/** Of one run, as CSV has them. */
export function stepColumns(steps: readonly StepFigures[]): Record<string, number> {
  return Object.fromEntries(steps.flatMap(({ name, rate, requests, wrong, latency }) => [
    [`steps.${name}.ratePerSec`, rate],
    [`steps.${name}.completed`, requests.completed],
    [`steps.${name}.failed`, requests.failed],
    [`steps.${name}.wrong`, wrong],
    ...latency.count === 0 ? [] : [
      [`steps.${name}.latencyP50Ms`, latency.percentiles["50"]] as const,
      [`steps.${name}.latencyP99Ms`, latency.percentiles["99"]] as const,
    ],
  ]));
}
