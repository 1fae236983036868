/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Tables on paper, which scrolls nothing: one that is wider than the page would shrink the whole of it. */

/** Scales each table that is too wide, alone; `false` undoes that. */
export function fitTables(printing: boolean): void {
  for (const table of document.querySelectorAll<HTMLElement>(".scroll table")) {
    table.style.zoom = "";
    const room = table.parentElement?.clientWidth ?? 0;
    const width = table.offsetWidth;
    if (printing && room > 0 && width > room) table.style.zoom = String(room / (width + 1));
  }
}
