/** The distribution of latency, one row a cell, its runs pooled. */
import type { Ends } from "../../figures/range.ts";
import { PERCENTILES, supportsPercentile } from "../../../runner/stats/quantile.ts";
import { sum } from "../../writing/spread.ts";
import { type DisplayUnit, timeUnit } from "../../writing/units.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { lowerBoundsText } from "../../figures/lower_bounds.ts";
import { type Percentile, type PooledLatency, WEAK_NOTE } from "../../figures/pool.ts";
import {
  boundCell,
  type ColumnOf,
  countCell,
  NONE,
  numberCell,
  type Table,
  type TableCell,
  tableOf,
  targetColumn,
  withInterval,
} from "./table.ts";

export function percentileTable(scenario: string, cells: readonly CellRuns[]): Table {
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

export function meanCell(
  latency: PooledLatency,
  unit: DisplayUnit,
  interval: Ends | null = null,
): TableCell {
  if (latency.count === 0) return NONE;
  const cell = numberCell(latency.mean, unit);
  return latency.isAtLeast("mean") ? boundCell(cell, true) : withInterval(cell, interval, unit);
}

export function maxCell(latency: PooledLatency, unit: DisplayUnit): TableCell {
  return latency.count === 0
    ? NONE
    : boundCell(numberCell(latency.max, unit), latency.isAtLeast("max"));
}

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

/** A percentile of the pooled runs with its interval, weak and without where the count cannot support it. */
export function percentileCell(
  { latency, interval }: CellRuns,
  p: Percentile,
  unit: DisplayUnit,
): TableCell {
  const cell = latencyCell(latency, p, unit);
  if (latency.isAtLeast(p) || cell.weak) return cell;
  return withInterval(cell, p === 99.99 ? null : interval(p), unit);
}

/** None without values; a lower bound where such decide it, weak where there are too few. */
export function latencyCell(latency: PooledLatency, p: number, unit: DisplayUnit): TableCell {
  const { count, endedCount } = latency;
  if (count === 0 || p < 50 && endedCount === 0) return NONE;
  const { value, isAtLeast } = latency.percentile(p);
  return { ...boundCell(numberCell(value, unit), isAtLeast), weak: !supportsPercentile(count, p) };
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
