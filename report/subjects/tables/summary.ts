/** The summary, one row a cell: what a reader in a hurry wants to know; and the tables with one row a run. */
import type { CellRuns } from "../../cells/cells.ts";
import { percentileOf, type PooledLatency, poolLatency } from "../../figures/pool.ts";
import { meanCoresOf } from "../../figures/resources.ts";
import { median } from "../../writing/spread.ts";
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
  targetColumn,
  textCell,
  withInterval,
} from "./table.ts";
import {
  boundText,
  type DisplayUnit,
  formatNumber,
  sizeUnit,
  timeUnit,
} from "../../writing/units.ts";
import { type CapacityRange, capacityRange, isSearched } from "../../figures/capacity.ts";
import { latencyCell, maxCell, meanCell, percentileCell } from "./percentiles.ts";
import { PERCENTILES } from "../../../runner/stats/quantile.ts";
import type { Run } from "../../../runner/result/result.ts";

export function summaryTable(scenario: string, cells: readonly CellRuns[]): Table {
  const unit = timeUnit(cells.map(({ latency }) => percentileOf(latency, 50)));
  const several = cells.some(({ runs }) => runs.length > 1);
  // Beside intervals the range would say the same once more; the bars show it.
  const certain = cells.some(({ interval }) => interval("rate") !== null);
  return tableOf({ caption: `Summary of ${scenario}` }, cells, [
    targetColumn,
    ...(isSearched(cells.flatMap(({ runs }) => runs)) ? [capacityColumn] : []),
    {
      label: "Requests/s",
      cell: ({ rate, interval }) => withInterval(numberCell(rate.mean), interval("rate")),
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

/** Requests per second at which every rule still holds. */
const capacityColumn: ColumnOf<CellRuns> = {
  label: "Capacity/s",
  kind: "text",
  cell: ({ runs }) => {
    const range = capacityRange(runs, CONFIDENCE);
    return range === null ? NONE : textCell(boundText(
      rangeText(range),
      range.isAtLeast,
    ));
  },
};

const CONFIDENCE = 0.95;

function rangeText({ value, interval }: CapacityRange): string {
  const [text, low, high] = [value, interval?.low ?? 0, interval?.high ?? Infinity]
    .map((one) => formatNumber(one));
  return interval === null || high === formatNumber(Infinity) ? text : `${text} [${low}, ${high}]`;
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

// Every run, as it is in the results but for what the experiment discards.

interface RunRow extends RunOfCell {
  readonly latency: PooledLatency;
}

export function runsTable(scenario: string, cells: readonly CellRuns[]): Table {
  const rows = runsOf(cells).map((row): RunRow => ({ ...row, latency: poolLatency([row.run]) }));
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  const caption = `Every run of ${scenario}`;
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

// autocannon's table: how requests and bytes of whole seconds spread, one row a run.

type PerSecondSpread = Run["perSecond"]["requests"];

const STATISTICS: readonly (readonly [string, keyof PerSecondSpread])[] = [
  ["1 %", "p1"],
  ["2.5 %", "p2_5"],
  ["50 %", "p50"],
  ["97.5 %", "p97_5"],
  ["Mean", "mean"],
  ["Stdev", "stdev"],
  ["Min", "min"],
];

/** Percentiles of so few seconds are those seconds. */
const FEWEST_SECONDS = 4;

/** Of requests, then of bytes; null where no run has seconds enough. */
export function perSecondTables(cells: readonly CellRuns[]): readonly [Table, Table] | null {
  const runs = runsOf(cells).filter(({ run }) => run.elapsedS >= FEWEST_SECONDS);
  if (runs.length === 0) return null;
  const unit = sizeUnit(runs.map(({ run }) => run.perSecond.bytes.p50));
  return [
    spreadTable("Requests completed per second", runs, { of: ({ requests }) => requests }),
    spreadTable(`Received per second, ${unit.name}`, runs, { unit, of: ({ bytes }) => bytes }),
  ];
}

interface Of {
  readonly unit?: DisplayUnit;
  readonly of: (perSecond: Run["perSecond"]) => PerSecondSpread;
}

/** All columns have one unit, so the caption has it for them. */
function spreadTable(caption: string, runs: readonly RunOfCell[], { unit, of }: Of): Table {
  return tableOf({ caption }, runs, [
    ...runColumns,
    ...STATISTICS.map(([label, key]): ColumnOf<RunOfCell> => ({
      label,
      cell: ({ run }) => numberCell(of(run.perSecond)[key], unit),
    })),
  ]);
}
