/** How gRPC calls ended, by the names of their statuses. */
import type { Measurement } from "../../runner/result/result.ts";
import { type Block, group, table } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { sum } from "../writing/spread.ts";
import type { ScenarioContext, Subject } from "./subject.ts";
import * as column from "./tables/column.ts";
import { type ColumnOf, type Table, tableOf } from "./tables/table.ts";

type Calls = NonNullable<Measurement["grpc"]>;

/** A table of the statuses of gRPC calls; empty if no request of the scenario is one. */
export const calls: Subject<ScenarioContext> = {
  id: "calls",
  title: "Calls of gRPC",
  depth: "detail",
  build: ({ name, cells, roomy }) => {
    const rows = cells.flatMap((cell) => rowsOf(callsOf(cell)).map((row) => ({ ...row, cell })));
    if (rows.length === 0) return [];
    const forms = ["page", "markdown", ...roomy] as const;
    return [table(statusTable(`Statuses of ${name}`, rows, [column.cell]), { forms })];
  },
};

/** gRPC calls of a single measurement. */
export function measurementCalls({ grpc }: Measurement): readonly Block[] {
  if (grpc === undefined) return [];
  return [group("Calls of gRPC", [table(statusTable("Statuses", rowsOf([grpc]), []))])];
}

interface StatusRow {
  readonly status: string;
  readonly count: number;
}

function callsOf({ runs }: Pick<CellRuns, "runs">): Calls[] {
  return runs.flatMap(({ grpc }) => grpc ?? []);
}

/** Statuses in the order of their gRPC numbers; calls without one come last. */
function rowsOf(all: readonly Calls[]): StatusRow[] {
  const names = new Set(all.flatMap(({ status }) => Object.keys(status)));
  const rows = [...names].map((status) => ({
    status,
    count: sum(all, (calls) => calls.status[status] ?? 0),
  }));
  const noStatus = sum(all, (calls) => calls.noStatus);
  return noStatus === 0 ? rows : [...rows, { status: "none", count: noStatus }];
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

/** Columns of one run, for CSV. */
export function callColumns({ status, noStatus }: Calls): Record<string, number> {
  const { OK = 0, ...others } = status;
  return {
    "grpc.ok": OK,
    "grpc.otherStatus": sum(Object.values(others), (count) => count),
    "grpc.noStatus": noStatus,
  };
}
