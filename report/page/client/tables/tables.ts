/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** What the client adds to tables, as they come near the screen: sorting and copying. */
import { copyTools } from "./copy.ts";
import { makeSortable } from "./sort.ts";

const NEAR = "200px";

export function equipTables(): void {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      observer.unobserve(target);
      equipTable(target);
    }
  }, { rootMargin: NEAR });
  for (const scroll of document.querySelectorAll(".scroll")) observer.observe(scroll);
}

/** @param scroll The table's scroll container, which stands in the page. */
export function equipTable(scroll: HTMLElement): void {
  const table = scroll.querySelector("table");
  if (table === null) return;
  makeSortable(table);
  scroll.after(copyTools(table));
}
