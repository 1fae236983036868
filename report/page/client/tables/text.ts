/// <reference lib="dom" />
/** A table as text to paste elsewhere: for a sheet, or as markdown. */
import { withoutFormula } from "../../../writing/csv.ts";
import { document, lines, row, rule } from "../../../writing/markdown.ts";

interface CellText {
  readonly text: string;
  /** Of its second line; "" for none. */
  readonly below: string;
}

/** Tabs between columns; numbers without separators; second lines in a column of their own. */
export function tsvOf(table: HTMLTableElement): string {
  const [head, ...rows] = rowsOf(table);
  const seconds = head.map((_, i) => rows.find((row) => row[i].below !== "")?.[i].below ?? "");
  const line = (cells: readonly (readonly [string, string])[]): string =>
    cells.flatMap(([text, below], i) => seconds[i] === "" ? [text] : [text, below]).join("\t");
  return [
    line(head.map(({ text }, i) => [sheetText(text), `${text}: ${kindOf(seconds[i])}`])),
    ...rows.map((row) => line(row.map(({ text, below }) => [sheetText(text), below]))),
  ].map((text) => `${text}\n`).join("");
}

export function markdownOf(table: HTMLTableElement): string {
  const [head, ...rows] = rowsOf(table);
  const heads = table.tHead?.rows[0].cells ?? [];
  return document(lines([
    row(head.map(({ text }) => text)),
    rule([...heads].map(({ className }) => className === "number" ? className : "text")),
    ...rows.map((cells) => row(cells.map(({ text, below }) => `${text} ${below}`.trimEnd()))),
  ]));
}

/** Head and body, as they stand. */
function rowsOf(table: HTMLTableElement): CellText[][] {
  return [...table.rows].map(({ cells }) => [...cells].map(cellText));
}

function cellText(cell: HTMLTableCellElement): CellText {
  const small = textIn(cell.querySelector("small"));
  const all = textIn(cell);
  const text = small === "" ? all : all.slice(0, -small.length).trimEnd();
  // In the head, what is small is the unit.
  return cell.scope === "col"
    ? { text: small === "" ? text : `${text}, ${small}`, below: "" }
    : { text, below: small };
}

function textIn(element: Element | null): string {
  return (element?.textContent ?? "").replace(/\s+/g, " ").trim();
}

/** What a second line says of the number above it. */
function kindOf(second: string): string {
  if (second.startsWith("[")) return "interval";
  return second.endsWith("×") ? "ratio" : "range";
}

/** A number without separators; a figure with its sign and unit as it is; a name that is no formula. */
function sheetText(text: string): string {
  if (/^[\d,]+(?:\.\d+)?$/.test(text)) return text.replaceAll(",", "");
  return /^[+-][\d.,]+\s?[%\w]*$/.test(text) ? text : withoutFormula(text);
}
