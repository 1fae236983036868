/** The distribution of latency, one row a cell, its runs pooled. */
import { PERCENTILES } from "../../runner/result.ts";
import { supportsPercentile } from "../../runner/stats/percentile_support.ts";
import type { Cell } from "../cells.ts";
import {
  isLowerBound,
  type Percentile,
  percentileOf,
  type PooledLatency,
  WEAK_NOTE,
} from "../pool.ts";
import { sum } from "../spread.ts";
import { type ColumnOf, type Table, type TableCell, tableOf } from "../table.ts";
import { formatCount, timeUnit, type Unit } from "../units.ts";
import { countCell, numberCell, targetColumn, withInterval } from "./columns.ts";

export function percentileTable(scenario: string, cells: readonly Cell[]): Table {
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  return tableOf({ caption: `Latency of ${scenario}`, notes: notesOf(cells) }, cells, [
    targetColumn,
    {
      label: "Mean",
      unit: unit.name,
      cell: ({ latency, confidence }) =>
        withInterval(numberCell(latency.mean, unit), confidence.intervals.mean, unit),
    },
    timeColumn("Stdev", unit, ({ stdev }) => stdev),
    timeColumn("Min", unit, ({ fastest }) => fastest),
    ...PERCENTILES.map((p): ColumnOf<Cell> => ({
      label: `p${p}`,
      unit: unit.name,
      cell: (cell) => percentileCell(cell, p, unit),
    })),
    timeColumn("Max", unit, ({ max }) => max),
    { label: "Requests", cell: ({ latency }) => countCell(latency.count) },
  ]);
}

function timeColumn(
  label: string,
  unit: Unit,
  of: (latency: PooledLatency) => number,
): ColumnOf<Cell> {
  return { label, unit: unit.name, cell: ({ latency }) => numberCell(of(latency), unit) };
}

/** A percentile of the pooled runs with its interval, weak and without where the count cannot support it. */
export function percentileCell(
  { latency, confidence }: Cell,
  p: Percentile,
  unit: Unit,
): TableCell {
  const cell = numberCell(percentileOf(latency, p), unit);
  const isSupported = supportsPercentile(latency.count, p);
  if (isLowerBound(latency, p)) return { ...cell, text: `≥ ${cell.text}`, weak: !isSupported };
  if (!isSupported) return { ...cell, weak: true };
  return withInterval(cell, p === 99.99 ? null : confidence.intervals[p], unit);
}

const HOW_TO_READ = "p99 is the time that 99 of 100 requests did not exceed.";

function notesOf(cells: readonly Cell[]): string[] {
  const pooled = cells.some(({ runs }) => runs.length > 1)
    ? [
      "The runs of a row are pooled by adding their histograms; no percentile is an average of percentiles.",
    ]
    : [];
  const weak =
    cells.some(({ latency }) => PERCENTILES.some((p) => !supportsPercentile(latency.count, p)))
      ? [WEAK_NOTE]
      : [];
  const censored = sum(cells, ({ latency }) => latency.censored);
  const bounds = censored > 0
    ? [
      `${
        formatCount(censored)
      } of the latencies are lower bounds: requests that timed out or were ` +
      "unfinished when their run ended, counted at the time they had taken by then. The minimum " +
      "is of the others.",
    ]
    : [];
  return [HOW_TO_READ, ...pooled, ...weak, ...bounds];
}
