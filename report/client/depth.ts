/// <reference lib="dom" />
/**
 * How much of the page is shown: its summary, more detail, or everything. The reader's choice is remembered. A link to
 * a hidden part shows that part. On paper only the summary appears, unless the reader has made a choice since the page
 * was opened.
 */
import { type Depth, DEPTHS } from "../blocks.ts";
import { DEPTH_KEY } from "../render/html/sections/depth.ts";

const root = document.documentElement;

/** Handles the control for the depth, links to hidden parts, and printing. */
export function startDepth(): void {
  const control = document.querySelector<HTMLFormElement>("form.depth");
  let isChosen = false;
  let beforePrint: Depth | null = null;
  show(depthOf(root.dataset.depth));
  // Not "change", because clicking the current choice again must apply it to printing.
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

/** Shows the element named in the page's address. Makes the page as deep as that requires, and never shallower. */
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

/** Remembers the depth if the browser can store anything. For a page opened as a file, some browsers can't. */
function remember(depth: Depth): void {
  try {
    localStorage.setItem(DEPTH_KEY, depth);
  } catch {
    // Without storage, the next visit starts with the summary.
  }
}

function depthOf(text: string | undefined): Depth {
  return DEPTHS.find((depth) => depth === text) ?? "summary";
}
