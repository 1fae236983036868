/// <reference lib="dom" />
/**
 * How much of the page is shown: its summary, more detail, or everything. The reader's choice is remembered; a link
 * to a hidden part shows it; paper gets the summary, unless somebody chose otherwise since the page was opened.
 */
import { type Depth, DEPTHS } from "../blocks.ts";
import { DEPTH_KEY } from "../render/html/sections/depth.ts";

const root = document.documentElement;

/** Reacts to the control, to links and to printing. */
export function startDepth(): void {
  const control = document.querySelector<HTMLFormElement>("form.depth");
  let isChosen = false;
  let beforePrint: Depth | null = null;
  show(depthOf(root.dataset.depth));
  // Not "change": pressing the current choice again applies it to printing.
  control?.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    isChosen = true;
    show(depthOf(target.value));
    remember(depthOf(target.value));
  });
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => {
    beforePrint = depthOf(root.dataset.depth);
    if (!isChosen) show("summary");
  });
  addEventListener("afterprint", () => {
    if (beforePrint !== null) show(beforePrint);
    beforePrint = null;
  });
}

/** Shows the part of the page that its address names: makes the page deep enough for it, and never shallower. */
export function reveal(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named === null || named.checkVisibility()) return;
  if (named.closest(".in-everything")) show("everything");
  else if (named.closest(".in-detail") && root.dataset.depth === "summary") show("detail");
  named.scrollIntoView();
}

function show(depth: Depth): void {
  root.dataset.depth = depth;
  for (const box of document.querySelectorAll<HTMLInputElement>("form.depth input")) {
    box.checked = box.value === depth;
  }
}

/** Remembers the depth, unless the browser stores nothing for a page that was opened as a file. */
function remember(depth: Depth): void {
  try {
    localStorage.setItem(DEPTH_KEY, depth);
  } catch {
    // If nothing can be stored, the next visit starts with the summary.
  }
}

function depthOf(text: string | undefined): Depth {
  return DEPTHS.find((depth) => depth === text) ?? "summary";
}
