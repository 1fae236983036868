/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** What in the page belongs to a target: rows, panels and legends; and how they follow the reader's choice. */
import { buttonOf } from "../elements.ts";
import { hiddenTargets, isShownLabel, targetOf, toggleTarget } from "./choice.ts";

/** Rules for what is hidden, as the page's policy allows no style elements. */
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

/** Follows the choice, of which legends are a part. */
export function startElements(): void {
  addEventListener("chosen", followElements);
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>(".legend button") : null;
    if (button?.dataset.of) toggleTarget(button.dataset.of);
  });
}

/** Finds what belongs to targets; what is known stays. */
export function linkElements(): void {
  for (const head of document.querySelectorAll<HTMLElement>("main tbody th[scope=row]")) {
    const row = head.parentElement;
    if (row && !row.closest(".judged")) link(row, textOf(head));
  }
  for (const panel of document.querySelectorAll<HTMLElement>("main .panel")) {
    link(panel, panel.dataset.label ?? textOf(panel.querySelector(":scope > h4")));
  }
  for (const row of document.querySelectorAll<HTMLElement>("main .rows [data-label]")) {
    link(row, row.dataset.label ?? "");
  }
  for (const name of document.querySelectorAll<HTMLElement>("main .legend > span")) {
    const target = targetOf(textOf(name));
    if (target === null) continue;
    const title = "Show or hide everywhere";
    name.replaceWith(buttonOf([...name.childNodes], { of: target }, { title }));
  }
  followElements();
}

/** @param label What it is called. */
export function link(element: HTMLElement, label: string): void {
  if (element.dataset.of !== undefined) return;
  const target = targetOf(label);
  if (target === null) return;
  element.dataset.of = target;
  element.dataset.label = label;
}

function textOf(element: Element | null): string {
  return (element?.textContent ?? "").trim();
}

function followElements(): void {
  for (const button of document.querySelectorAll<HTMLElement>("button[data-of]")) {
    button.ariaPressed = String(isShownLabel(button.dataset.of ?? ""));
  }
  hideTargets();
}

const HIDDEN = ":is(tr, li, .panel, .scroll)";

function hideTargets(): void {
  const hidden = hiddenTargets().map((name) => `[data-of="${CSS.escape(name)}"]`).join();
  const rule = hidden === "" ? "" : `main ${HIDDEN}:is(${hidden}), ` +
    `main .rows:not(:has([data-label]:not(${hidden}))){display:none!important}`;
  sheet.replaceSync(rule);
}
