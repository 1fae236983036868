/// <reference lib="dom" />
/** Adds sorting and copying to tables when they come near the screen. */
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
    // Equips a focused table at once, because the next press of Tab moves into the table.
    scroll.addEventListener("focus", () => equipTable(scroll), { once: true });
  }
}

/** Tables, and controls for outcomes, that already have their behaviour. */
const equipped = new WeakSet<Element>();

/** Adds the buttons that sort and copy a table. @param scroll The element in which the table scrolls. */
export function equipTable(scroll: HTMLElement): void {
  const table = scroll.querySelector("table");
  if (table === null || equipped.has(scroll)) return;
  equipped.add(scroll);
  makeSortable(table);
  scroll.after(copyTools(table));
}

/** A table made by the client that looks like the page's own tables. @param id Unique in the page. */
export function tableNodes(table: Table, id: string): Node[] {
  return nodesOf(tableMarkup(table, { id, captioned: true }).text.trim());
}

/** Buttons that show and hide the rows with an outcome. Hiding the only outcome still shown brings all of them back. */
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
 * Sorts by the column whose head is clicked. The first click sorts numbers in descending order and texts
 * alphabetically, the second reverses that order, and the third restores the original one.
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
      // If each row is a different target or cell, the order applies to the whole page.
      const labels = rows.flatMap(({ dataset }) => dataset.label ?? []);
      if (new Set(labels).size === rows.length) orderOthers(table, order === null ? null : labels);
    });
  });
}

const asWritten = new WeakMap<HTMLTableElement, readonly HTMLTableRowElement[]>();

/** The rows of a table in their original order. */
function rowsAsWritten(table: HTMLTableElement): readonly HTMLTableRowElement[] {
  const rows = asWritten.get(table) ?? [...table.tBodies[0].rows];
  asWritten.set(table, rows);
  return rows;
}

/**
 * Arranges the charts, and the other tables with several targets, in the order of these labels; null restores the
 * original order.
 */
function orderOthers(sorted: HTMLTableElement, labels: readonly string[] | null): void {
  orderBy(labels);
  for (const table of document.querySelectorAll<HTMLTableElement>("main .scroll table")) {
    const rows = rowsAsWritten(table);
    const areSeveral = new Set(rows.map(({ dataset }) => dataset.of ?? "")).size > 1;
    if (table === sorted || !areSeveral) continue;
    // The table is no longer sorted by one of its own columns.
    for (const head of table.tHead?.rows[0].cells ?? []) head.ariaSort = null;
    table.tBodies[0].append(...inOrder(rows, ({ dataset }) => dataset.label ?? ""));
  }
}

/** Stable sort. In either direction, cells without a comparable value come last. */
function sorted(
  rows: readonly HTMLTableRowElement[],
  column: number,
  order: typeof ORDERS[number],
): HTMLTableRowElement[] {
  const sign = order === "ascending" ? 1 : -1;
  const keyed = rows.map((row) => ({ row, key: keyOf(row.cells[column]) }));
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign *
      (typeof a === "number" && typeof b === "number"
        ? a - b
        : String(a).localeCompare(String(b), "en", { numeric: true }));
  });
  return keyed.map(({ row }) => row);
}

function keyOf(cell: HTMLTableCellElement | undefined): string | number | null {
  const { v } = cell?.dataset ?? {};
  if (v !== undefined) return Number(v);
  const text = withoutGroups((cell?.textContent ?? "").trim());
  return text === "" || text === "–" ? null : Number.isNaN(Number(text)) ? text : Number(text);
}
