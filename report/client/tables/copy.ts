/// <reference lib="dom" />
/** Buttons that copy a table. If the clipboard is unavailable, the text is shown in a box, already selected. */
import { buttonOf, element } from "../elements.ts";
import { withoutFormula } from "../../writing/csv.ts";
import { documentOf, tableOf } from "../../writing/markdown.ts";

const FORMS = { "Copy for a spreadsheet": tsvOf, "Copy as markdown": markdownOf } as const;
const COPIED_SHOWN_MS = 2_000;

/**
 * Makes a table's buttons. They lie just below the table, over the content that follows, so they take no room. They
 * appear while the pointer or the focus is in the table.
 */
export function copyTools(table: HTMLTableElement): HTMLElement {
  const tools = element("div", { className: "tools" });
  const status = element("span", { role: "status" });
  const buttons = Object.entries(FORMS).map(([label, textOf]) => {
    const onclick = (): Promise<void> => copy(textOf(table), tools, status);
    return buttonOf([label], {}, { onclick });
  });
  tools.append(...buttons, status);
  return tools;
}

async function copy(text: string, tools: HTMLElement, status: HTMLElement): Promise<void> {
  try {
    // Throws, or is missing, in a page that was opened as a file.
    await navigator.clipboard.writeText(text);
    status.textContent = "Copied";
    setTimeout(() => status.textContent = "", COPIED_SHOWN_MS);
  } catch {
    tools.append(selectedText(text));
  }
  tools.querySelector("textarea")?.select();
}

function selectedText(value: string): HTMLElement {
  const ariaLabel = "The table as text: copy it from here";
  const box = element("textarea", { readOnly: true, rows: 6, value, ariaLabel });
  box.addEventListener("blur", () => box.remove());
  box.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") box.blur();
  });
  return box;
}

interface CellText {
  readonly text: string;
  /** Text of the cell's second line; "" if it has none. */
  readonly below: string;
}

/**
 * The table as tab-separated values. Numbers have no thousands separators, and second lines become columns of their
 * own.
 */
function tsvOf(table: HTMLTableElement): string {
  const [head, ...rows] = rowsOf(table);
  const seconds = head.map((_, i) => rows.find((row) => row[i].below !== "")?.[i].below ?? "");
  const line = (cells: readonly (readonly [string, string])[]): string =>
    cells.flatMap(([text, below], i) => seconds[i] === "" ? [text] : [text, below]).join("\t");
  return [
    line(head.map(({ text }, i) => [sheetText(text), `${text}: ${kindOf(seconds[i])}`])),
    ...rows.map((row) => line(row.map(({ text, below }) => [sheetText(text), below]))),
  ].map((text) => `${text}\n`).join("");
}

function markdownOf(table: HTMLTableElement): string {
  const [head, ...rows] = rowsOf(table);
  const heads = [...table.tHead?.rows[0].cells ?? []];
  return documentOf(tableOf(
    heads.map(({ className: kind }, i) => ({ head: head[i].text, kind })),
    rows.map((cells) => cells.map(({ text, below }) => `${text} ${below}`.trimEnd())),
  ));
}

/** The texts of all rows, including the head. */
function rowsOf(table: HTMLTableElement): CellText[][] {
  return [...table.rows].map(({ cells }) => [...cells].map(cellText));
}

function cellText(cell: HTMLTableCellElement): CellText {
  const small = textIn(cell.querySelector("small"));
  const all = textIn(cell);
  const text = small === "" ? all : all.slice(0, -small.length).trimEnd();
  // In a column's head, the small text is the unit.
  return cell.scope === "col"
    ? { text: small === "" ? text : `${text}, ${small}`, below: "" }
    : { text, below: small };
}

function textIn(element: Element | null): string {
  return (element?.textContent ?? "").replace(/\s+/g, " ").trim();
}

/** What the second line of a cell says about the number above it. */
function kindOf(second: string): string {
  if (second.startsWith("[")) return "interval";
  return second.endsWith("×") ? "ratio" : "range";
}

/**
 * The text of a cell in a spreadsheet. Numbers lose their thousands separators, figures with a sign, such as `+4.2 %`,
 * stay unchanged, and all other texts are escaped such that none is taken for a formula.
 */
function sheetText(text: string): string {
  if (/^[\d,]+(?:\.\d+)?$/.test(text)) return text.replaceAll(",", "");
  return /^[+-][\d.,]+\s?[%\w]*$/.test(text) ? text : withoutFormula(text);
}
