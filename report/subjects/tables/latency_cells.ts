/** Latencies of pooled runs as cells of tables. */
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import type { CellRuns } from "../../cells/cells.ts";
import type { Percentile, PooledLatency } from "../../figures/pool.ts";
import type { Ends } from "../../figures/range.ts";
import type { DisplayUnit } from "../../writing/units.ts";
import { boundCell, NONE, numberCell, type TableCell, withInterval } from "./table.ts";

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
