/** Tables of values: how many of their rows a run used. */
import type { Run } from "../../runner/result/result.ts";
import { table } from "../blocks.ts";
import type { ScenarioContext, Subject } from "./subject.ts";
import * as column from "./tables/column.ts";
import { type OfCell, type Table, tableOf } from "./tables/table.ts";

type RowUse = NonNullable<Run["rows"]>[number];

interface RowsOfCell extends OfCell {
  readonly uses: readonly RowUse[];
}

/** Empty if no request has values from a table. */
export const rowsSent: Subject<ScenarioContext> = {
  id: "rows",
  title: "Rows of tables",
  depth: "everything",
  build: ({ name, cells }) => {
    const rows = cells.flatMap((cell) =>
      [...Map.groupBy(cell.runs.flatMap(({ rows = [] }) => rows), tableKey).values()]
        .map((uses): RowsOfCell => ({ cell, uses }))
    );
    return rows.length === 0 ? [] : [table(useTable(name, rows), { forms: ["page", "markdown"] })];
  },
};

function tableKey({ file, values }: RowUse): string {
  return [file, ...values].join("\n");
}

function useTable(scenario: string, rows: readonly RowsOfCell[]): Table {
  const caption = `Rows of tables in ${scenario}`;
  const most = (of: (use: RowUse) => number) => ({ uses }: RowsOfCell): number =>
    Math.max(...uses.map(of));
  return tableOf({ caption, notes: [READING] }, rows, [
    column.cell,
    column.text("File", ({ uses: [{ file }] }) => file),
    column.text("Values", ({ uses: [{ values }] }) => values.join(", ")),
    column.number("Rows", most(({ rows }) => rows), "count"),
    column.number("Rows used", most(({ used }) => used), "count"),
    column.number("Most often", most(({ mostUsed }) => mostUsed), "count"),
  ]);
}

const READING =
  "Rows used are the different rows of one run, and the last column is how often the run used its most frequent row; " +
  "of several runs, the largest figure is shown. A request uses the row that it sends. In a flow, or if rows are unique, " +
  "a session uses its row, even if it ends before it sends it. Each run starts over. A table that is used many times over " +
  "may be served from caches.";
