/** The distribution of latency, one row a cell, its runs pooled. */
import { PERCENTILES, supportsPercentile } from "../../../runner/stats/quantile.ts";
import { sum } from "../../writing/spread.ts";
import { type DisplayUnit, timeUnit } from "../../writing/units.ts";
import { table, text } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { boundsNote, lowerBoundsText } from "../../figures/lower_bounds.ts";
import { type PooledLatency, WEAK_NOTE } from "../../figures/pool.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import { latencyCell, maxCell, meanCell, percentileCell } from "./latency_cells.ts";
import {
  type ColumnOf,
  countCell,
  NONE,
  numberCell,
  type Table,
  tableOf,
  targetColumn,
} from "./table.ts";

export const percentiles: Subject<ScenarioContext> = {
  id: "percentiles",
  title: "Percentiles",
  depth: "everything",
  build: ({ name, cells, roomy }) => [
    table(percentileTable(name, cells)),
    ...cells.some(({ latency }) => latency.count > 0)
      ? [table(tailTable(name, cells), { forms: roomy })]
      : [],
    {
      ...text("lower-bounds", boundsNote(cells.map(({ latency }) => latency))),
      forms: ["markdown", ...roomy],
    },
  ],
};

/** From the median on, where room is short. */
function tailTable(scenario: string, cells: readonly CellRuns[]): Table {
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  return tableOf({ caption: `Latency of ${scenario}` }, cells, [
    targetColumn,
    ...PERCENTILES.map((p) => plainColumn(p, unit)),
  ]);
}

function percentileTable(scenario: string, cells: readonly CellRuns[]): Table {
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  return tableOf({ caption: `Latency of ${scenario}`, notes: notesOf(cells) }, cells, [
    targetColumn,
    {
      label: "Mean",
      unit: unit.name,
      cell: ({ latency, interval }) => meanCell(latency, unit, interval("mean")),
    },
    timeColumn("Stdev", unit, ({ stdev }) => stdev),
    timeColumn("Min", unit, ({ fastest }) => fastest || null),
    ...LOW.map((p) => plainColumn(p, unit)),
    ...PERCENTILES.map((p): ColumnOf<CellRuns> => ({
      label: `p${p}`,
      unit: unit.name,
      cell: (cell) => percentileCell(cell, p, unit),
    })).toSpliced(PERCENTILES.indexOf(99), 0, plainColumn(97.5, unit)),
    { label: "Max", unit: unit.name, cell: ({ latency }) => maxCell(latency, unit) },
    { label: "Requests", cell: ({ latency }) => countCell(latency.count) },
  ]);
}

/** Below the median, as autocannon and oha show them. */
const LOW = [2.5, 10, 25] as const;

function timeColumn(
  label: string,
  unit: DisplayUnit,
  of: (latency: PooledLatency) => number | null,
): ColumnOf<CellRuns> {
  return {
    label,
    unit: unit.name,
    cell: ({ latency }) => {
      const ms = latency.count === 0 ? null : of(latency);
      return ms === null ? NONE : numberCell(ms, unit);
    },
  };
}

/** Without an interval, as it is only read beside its neighbours. */
function plainColumn(p: number, unit: DisplayUnit): ColumnOf<CellRuns> {
  return { label: `p${p}`, unit: unit.name, cell: ({ latency }) => latencyCell(latency, p, unit) };
}

const MINIMUM =
  "Mean and stdev count them as values; the minimum is that of the completed requests.";

const HOW_TO_READ = "p99 is the time that 99 of 100 requests did not exceed.";

function notesOf(cells: readonly CellRuns[]): string[] {
  const pooled = cells.some(({ runs }) => runs.length > 1)
    ? [
      "The runs of a row are pooled by adding their histograms; no percentile is an average of percentiles.",
    ]
    : [];
  const weak = cells.some(({ latency }) =>
      latency.count > 0 &&
      [...LOW, ...PERCENTILES].some((p) => !supportsPercentile(latency.count, p))
    )
    ? [WEAK_NOTE]
    : [];
  const bounds = lowerBoundsText(sum(cells, ({ latency }) => latency.censored));
  return [HOW_TO_READ, ...pooled, ...weak, ...(bounds === "" ? [] : [`${bounds} ${MINIMUM}`])];
}
