/** The distribution of latency, one row a cell, its runs pooled. */
import { type Histogram, mergeHistograms } from "../../runner/stats/histogram.ts";
import { PERCENTILES, supportsPercentile } from "../../runner/stats/percentiles.ts";
import { decodeSparse } from "../../runner/stats/hdr.ts";
import type { Cell } from "../cells.ts";
import { endedLatency } from "../ended.ts";
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
import { countCell, NONE, numberCell, targetColumn, withInterval } from "./columns.ts";

export function percentileTable(scenario: string, cells: readonly Cell[]): Table {
  const unit = timeUnit(cells.flatMap(({ latency }) => latency.percentiles));
  const rows = cells.map((cell) => ({ cell, ended: endedOf(cell) }));
  return tableOf({ caption: `Latency of ${scenario}`, notes: notesOf(cells) }, rows, [
    { ...targetColumn, cell: ({ cell }) => targetColumn.cell(cell) },
    {
      label: "Mean",
      unit: unit.name,
      cell: ({ cell: { latency, confidence } }) =>
        latency.count === 0
          ? NONE
          : withInterval(numberCell(latency.mean, unit), confidence.intervals.mean, unit),
    },
    timeColumn("Stdev", unit, ({ stdev }) => stdev),
    timeColumn("Min", unit, ({ fastest }) => fastest || null),
    ...LOW.map((p) => lowColumn(p, unit)),
    ...PERCENTILES.map((p): ColumnOf<Row> => ({
      label: `p${p}`,
      unit: unit.name,
      cell: ({ cell }) => percentileCell(cell, p, unit),
    })).toSpliced(PERCENTILES.indexOf(99), 0, betweenColumn(97.5, unit)),
    timeColumn("Max", unit, ({ max }) => max),
    { label: "Requests", cell: ({ cell: { latency } }) => countCell(latency.count) },
  ]);
}

/** Below the median, as autocannon and oha tell them. */
const LOW = [2.5, 10, 25] as const;

interface Row {
  readonly cell: Cell;
  /** Latencies without those of requests that were under way when their run ended. */
  readonly ended: Histogram;
}

function endedOf({ runs }: Cell): Histogram {
  return mergeHistograms(
    runs.map(({ histogram, latency }) => endedLatency(decodeSparse(histogram), latency.fastest)),
  );
}

function timeColumn(
  label: string,
  unit: Unit,
  of: (latency: PooledLatency) => number | null,
): ColumnOf<Row> {
  return {
    label,
    unit: unit.name,
    cell: ({ cell: { latency } }) => {
      const ms = latency.count === 0 ? null : of(latency);
      return ms === null ? NONE : numberCell(ms, unit);
    },
  };
}

function lowColumn(p: number, unit: Unit): ColumnOf<Row> {
  return {
    label: `p${p}`,
    unit: unit.name,
    cell: ({ ended }) =>
      ended.count === 0 ? NONE : {
        ...numberCell(ended.valueAtPercentile(p) / 1_000, unit),
        weak: !supportsPercentile(ended.count, p),
      },
  };
}

/** Of all requests, and without an interval, as it is only read beside its neighbours. */
function betweenColumn(p: number, unit: Unit): ColumnOf<Row> {
  return {
    label: `p${p}`,
    unit: unit.name,
    cell: ({ cell: { latency } }) => {
      const ms = Math.min(latency.histogram.valueAtPercentile(p) / 1_000, latency.max);
      return boundCell(numberCell(ms, unit), latency, p);
    },
  };
}

/** A percentile of the pooled runs with its interval, weak and without where the count cannot support it. */
export function percentileCell(
  { latency, confidence }: Cell,
  p: Percentile,
  unit: Unit,
): TableCell {
  const cell = boundCell(numberCell(percentileOf(latency, p), unit), latency, p);
  if (isLowerBound(latency, p) || cell.weak) return cell;
  return withInterval(cell, p === 99.99 ? null : confidence.intervals[p], unit);
}

/** None without values; a lower bound where such decide it, weak where there are too few. */
export function boundCell(
  cell: TableCell,
  latency: Pick<PooledLatency, "count" | "censored">,
  p: number,
): TableCell {
  if (latency.count === 0) return NONE;
  const text = isLowerBound(latency, p) ? `≥ ${cell.text}` : cell.text;
  return { ...cell, text, weak: !supportsPercentile(latency.count, p) };
}

const HOW_TO_READ = "p99 is the time that 99 of 100 requests did not exceed.";

function notesOf(cells: readonly Cell[]): string[] {
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
  const censored = sum(cells, ({ latency }) => latency.censored);
  const bounds = censored > 0
    ? [
      `${
        formatCount(censored)
      } of the latencies are lower bounds: requests that timed out or were ` +
      "unfinished when their run ended, counted at the time they had taken by then. The minimum " +
      "is of the others, and percentiles below the median are of the requests that ended.",
    ]
    : [];
  return [HOW_TO_READ, ...pooled, ...weak, ...bounds];
}
