/** The outcomes of a scenario's requests: statuses, then errors with their reasons. */
import type { ScenarioModel } from "../model/model.ts";
import { sum } from "../model/numbers/spread.ts";
import type { Column, Table } from "../model/tables/table.ts";
import { formatCount } from "../model/numbers/units.ts";
import { tableLines } from "./table.ts";
import { padStart, widthOf, wrapped } from "../writing/columns.ts";
import type { TerminalOptions, TextLine } from "../writing/terminal.ts";
import { lineOf, paragraphLines } from "./line.ts";

export function outcomeTableLines(
  { outcomes, reasons }: Pick<ScenarioModel["tables"], "outcomes" | "reasons">,
  options: TerminalOptions,
): TextLine[] {
  const table = withoutZeros(outcomes);
  const all = uniformText(table);
  return [
    ...(all === null ? tableLines(table, options) : paragraphLines(all, options.width)),
    ...(reasons === null ? [] : reasonLines(reasons, options)),
  ];
}

/** Without the columns that are 0 for every target. */
function withoutZeros(table: Table): Table {
  const kept = table.columns.flatMap(({ kind }, i) =>
    kind !== "number" || table.rows.some((row) => row[i].value) ? [i] : []
  );
  return {
    ...table,
    columns: kept.map((i) => table.columns[i]),
    rows: table.rows.map((row) => kept.map((i) => row[i])),
  };
}

/** Besides statuses, of any run that went well. */
const USUAL = ["Target", "Due", "Unfinished"];

/** A sentence where all responses had one status and nothing failed; otherwise null. */
function uniformText({ columns, rows }: Table): string | null {
  const isStatus = ({ label }: Column): boolean => label.startsWith("Status ");
  const statuses = columns.filter(isStatus);
  if (
    statuses.length !== 1 || !columns.every((one) => isStatus(one) || USUAL.includes(one.label))
  ) {
    return null;
  }
  const at = columns.indexOf(statuses[0]);
  const count = sum(rows, (row) => row[at].value ?? 0);
  return `All ${formatCount(count)} responses had ${statuses[0].label.toLowerCase()}.`;
}

/** Not a table, which would lose its last column, the reason, first. */
function reasonLines({ rows }: Table, { width }: TerminalOptions): TextLine[] {
  const counts = rows.map(([, { text }]) => text);
  const widest = Math.max(...counts.map(widthOf));
  const indent = " ".repeat(widest + 4);
  return [
    lineOf("Errors", "dim"),
    ...rows.flatMap(([target, , reason], i) =>
      wrapped(`${target.text}: ${reason.text}`, Math.max(1, width - indent.length))
        .map((line, n) => (n === 0 ? `  ${padStart(counts[i], widest)}  ` : indent) + line)
        .map((line) => lineOf(line))
    ),
  ];
}
