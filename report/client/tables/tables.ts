/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Adds sorting and copying to tables as they come near the screen. */
import { tableMarkup } from "../../render/html/sections/tables.ts";
import type { Table } from "../../subjects/tables/table.ts";
import { nodesOf } from "../charts/page_data.ts";
import { buttonOf } from "../elements.ts";
import { copyTools } from "./copy.ts";
import { withoutGroups } from "../../writing/units.ts";
import { inOrder, orderBy } from "../linked/choice.ts";

const NEAR = "200px";

export function equipTables(): void {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      observer.unobserve(target);
      equipTable(target);
    }
  }, { rootMargin: NEAR });
  for (const scroll of document.querySelectorAll<HTMLElement>(".scroll")) {
    if (equipped.has(scroll)) continue;
    observer.observe(scroll);
    // Immediately, because the next press of Tab leads into the table.
    scroll.addEventListener("focus", () => equipTable(scroll), { once: true });
  }
}

/** Tables that are equipped, because they have come near the screen. */
const equipped = new WeakSet<Element>();

/** @param scroll The table's scroll container in the page. */
export function equipTable(scroll: HTMLElement): void {
  const table = scroll.querySelector("table");
  if (table === null || equipped.has(scroll)) return;
  equipped.add(scroll);
  makeSortable(table);
  scroll.after(copyTools(table));
}

/** A table made by the client, in the form of the page's own tables. @param id Unique in the page. */
export function tableNodes(table: Table, id: string): Node[] {
  return nodesOf(tableMarkup(table, { id, captioned: true }).text.trim());
}

/** Buttons that show and hide the rows of an outcome; if the last outcome would be hidden, all are shown again. */
export function equipOutcomes(): void {
  for (const control of document.querySelectorAll<HTMLElement>(".outcomes")) {
    if (equipped.has(control)) continue;
    equipped.add(control);
    control.addEventListener("click", ({ target }) => {
      if (target instanceof HTMLButtonElement) toggleOutcome(control, target);
    });
  }
}

function toggleOutcome(control: HTMLElement, pressed: HTMLButtonElement): void {
  pressed.ariaPressed = String(pressed.ariaPressed !== "true");
  const buttons = [...control.querySelectorAll("button")];
  const shown = buttons.filter(({ ariaPressed }) => ariaPressed === "true");
  if (shown.length === 0) buttons.forEach((button) => button.ariaPressed = "true");
  const outcomes = new Set((shown.length === 0 ? buttons : shown).map(({ value }) => value));
  const rows = control.parentElement?.querySelectorAll<HTMLElement>("[data-outcome]") ?? [];
  for (const row of rows) row.hidden = !outcomes.has(row.dataset.outcome ?? "");
}

const ORDERS = ["ascending", "descending"] as const;

/**
 * Sorts by the column whose head is pressed: numbers in descending order, texts alphabetically; then the original
 * order.
 */
function makeSortable(table: HTMLTableElement): void {
  const heads = [...table.tHead?.rows[0].cells ?? []];
  const body = table.tBodies[0];
  const written = rowsAsWritten(table);
  if (written.length < 2) return;
  heads.forEach((head, column) => {
    const button = buttonOf([...head.childNodes]);
    head.append(button);
    button.addEventListener("click", () => {
      const [first, second] = head.classList.contains("number") ? ORDERS.toReversed() : ORDERS;
      const order = head.ariaSort === first ? second : head.ariaSort === second ? null : first;
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = order;
      const rows = order === null ? written : sorted(written, column, order);
      body.append(...rows);
      if (isOfTargets(rows)) orderOthers(table, order === null ? null : rows);
    });
  });
}

/** Whether each row is another target or cell, so that its order can be that of the whole page. */
function isOfTargets(rows: readonly HTMLTableRowElement[]): boolean {
  const labels = rows.map(({ dataset }) => dataset.label);
  return !labels.includes(undefined) && new Set(labels).size === rows.length;
}

const asWritten = new WeakMap<HTMLTableElement, readonly HTMLTableRowElement[]>();

/** The rows of a table in the original order. */
function rowsAsWritten(table: HTMLTableElement): readonly HTMLTableRowElement[] {
  const rows = asWritten.get(table) ?? [...table.tBodies[0].rows];
  asWritten.set(table, rows);
  return rows;
}

/** Arranges the other tables and the charts in the order of these rows; null: in the original order. */
function orderOthers(sorted: HTMLTableElement, rows: readonly HTMLTableRowElement[] | null): void {
  orderBy(rows?.map(({ dataset }) => dataset.label ?? "") ?? null);
  for (const table of document.querySelectorAll<HTMLTableElement>("main .scroll table")) {
    if (table !== sorted) follow(table);
  }
}

/** Arranges a table whose rows are of several targets in the page's order; its own sorting then no longer holds. */
function follow(table: HTMLTableElement): void {
  const rows = rowsAsWritten(table);
  if (new Set(rows.map(({ dataset }) => dataset.of ?? "")).size < 2) return;
  for (const head of table.tHead?.rows[0].cells ?? []) head.ariaSort = null;
  table.tBodies[0].append(...inOrder(rows, ({ dataset }) => dataset.label ?? ""));
}

/** Stable sort; cells without a comparable value come last in either direction. */
function sorted(
  rows: readonly HTMLTableRowElement[],
  column: number,
  order: typeof ORDERS[number],
): HTMLTableRowElement[] {
  const sign = order === "ascending" ? 1 : -1;
  const keyed = rows.map((row) => ({ row, key: keyOf(row.cells[column]) }));
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compare(a, b);
  });
  return keyed.map(({ row }) => row);
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
}

function keyOf(cell: HTMLTableCellElement | undefined): string | number | null {
  const { v } = cell?.dataset ?? {};
  if (v !== undefined) return Number(v);
  const text = withoutGroups((cell?.textContent ?? "").trim());
  return text === "" || text === "–" ? null : Number.isNaN(Number(text)) ? text : Number(text);
}
