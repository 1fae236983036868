/** Latencies of pooled runs as cells of tables. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { Percentile, PooledLatency } from "../../figures/pool.ts";
import type { Ends } from "../../figures/range.ts";
import type { DisplayUnit } from "../../writing/units.ts";
import * as column from "./column.ts";
import type { ColumnOf, Measured, OfCell } from "./table.ts";

export function meanIn(latency: PooledLatency, interval: Ends | null = null): Measured | null {
  if (latency.count === 0) return null;
  return { value: latency.mean, interval, isAtLeast: latency.isAtLeast("mean") };
}

export function maxIn(latency: PooledLatency): Measured | null {
  if (latency.count === 0) return null;
  return { value: latency.max, isAtLeast: latency.isAtLeast("max") };
}

/** A percentile as a cell: weak if too few values support it, null without any value. */
export function percentileIn(latency: PooledLatency, p: number): Measured | null {
  const { count, endedCount } = latency;
  if (count === 0 || p < 50 && endedCount === 0) return null;
  return { ...latency.percentile(p), isWeak: !supportsPercentile(count, p) };
}

/** The percentile with its interval. */
export function percentileOfCell({ latency, interval }: CellRuns, p: Percentile): Measured | null {
  const found = percentileIn(latency, p);
  return found && { ...found, interval: p === 99.99 ? null : interval(p) };
}

export function percentileColumn(p: Percentile, unit: DisplayUnit): ColumnOf<OfCell> {
  return column.number(`p${p}`, ({ cell }) => percentileOfCell(cell, p), unit);
}

export function maxColumn(unit: DisplayUnit): ColumnOf<OfCell> {
  return column.number("Max", ({ cell }) => maxIn(cell.latency), unit);
}
