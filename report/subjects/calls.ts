/** How gRPC calls ended, as counts of each status. */
import type { Measurement } from "../../runner/result/result.ts";
import { type Block, group, table } from "../blocks.ts";
import { sum } from "../writing/spread.ts";
import type { ScenarioContext } from "./subject.ts";
import * as column from "./tables/column.ts";
import { type ColumnOf, type Table, tableOf } from "./tables/table.ts";

/** A table of the statuses of gRPC calls; without rows if the scenario makes no gRPC calls. */
export function calls({ name, cells, roomy }: ScenarioContext): Block[] {
  const rows = cells.flatMap((cell) => rowsOf(cell.runs).map((row) => ({ ...row, cell })));
  const forms = ["page", "markdown", ...roomy] as const;
  return [table(statusTable(`Statuses of ${name}`, rows, [column.cell]), { forms })];
}

export function measurementCalls(measurement: Measurement): Block {
  return group("Calls of gRPC", [table(statusTable("Statuses", rowsOf([measurement]), []))]);
}

interface StatusRow {
  readonly status: string;
  readonly count: number;
}

/**
 * Statuses in the order in which they first appear in the runs; within a run, they are in the order of their gRPC
 * numbers. Calls without a status come last.
 */
function rowsOf(runs: readonly Measurement[]): StatusRow[] {
  const all = runs.flatMap(({ grpc }) => grpc ?? []);
  return [
    ...new Set(all.flatMap(({ status }) => Object.keys(status))).values().map((status) => ({
      status,
      count: sum(all, (calls) => calls.status[status] ?? 0),
    })),
    { status: "none", count: sum(all, ({ noStatus }) => noStatus) },
  ].filter(({ status, count }) => status !== "none" || count > 0);
}

function statusTable<Row extends StatusRow>(
  caption: string,
  rows: readonly Row[],
  named: readonly ColumnOf<Row>[],
): Table {
  return tableOf({ caption }, rows, [
    ...named,
    column.text("Status", ({ status }) => status),
    column.number("Calls", ({ count }) => count, "count"),
  ]);
}

/** One run's counts of gRPC calls, as columns for CSV. */
export function callColumns(
  { status, noStatus }: NonNullable<Measurement["grpc"]>,
): Record<string, number> {
  const { OK = 0, ...others } = status;
  return {
    "grpc.ok": OK,
    "grpc.otherStatus": sum(Object.values(others), (count) => count),
    "grpc.noStatus": noStatus,
  };
}
