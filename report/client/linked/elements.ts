/// <reference lib="dom" />
/** The parts of the page that belong to targets (rows, panels and legends), and how they follow the reader's choice. */
import { buttonOf } from "../elements.ts";
import {
  hiddenTargets,
  inOrder,
  isShownLabel,
  markedTarget,
  markTarget,
  targetOf,
  toggleTarget,
} from "./choice.ts";

/**
 * Style rules for hidden and marked elements. They are adopted by script because the page's content security policy
 * allows no further style elements.
 */
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);

/** Lets elements follow the choice, and marks the target of the element under the pointer or in focus. */
export function startElements(): void {
  addEventListener("chosen", followElements);
  addEventListener("marked", writeRules);
  const mark = ({ target }: Event): void =>
    markTarget(target instanceof Element ? nameOfElement(target) : null);
  for (const type of ["pointerover", "focusin"]) document.addEventListener(type, mark);
  document.addEventListener("focusout", () => markTarget(null));
  document.documentElement.addEventListener("pointerleave", () => markTarget(null));
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>(".legend button") : null;
    if (button?.dataset.of) toggleTarget(button.dataset.of);
  });
}

/**
 * The target to which an element belongs. For a canvas with several targets, it is the target that is already marked,
 * because the canvas itself finds out which one is under the pointer.
 */
function nameOfElement(element: Element): string | null {
  if (element instanceof HTMLCanvasElement && !element.closest(".panel[data-of]")) {
    return markedTarget;
  }
  return element.closest<HTMLElement>("[data-of]")?.dataset.of ?? null;
}

/** Links each row, panel and legend to its target. Elements that are already linked stay so. */
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

/** Links an element to its target. @param label A label that names the target. */
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
  orderRows();
  writeRules();
}

/** The rows and headings of each chart of rows, in their original order. */
const rowsAsWritten = new WeakMap<Element, readonly HTMLElement[]>();

/** Sorts the rows of each group in the reader's order. Each group stays below its heading. */
function orderRows(): void {
  for (const list of document.querySelectorAll<HTMLElement>("main .rows")) {
    const written = rowsAsWritten.get(list) ?? [...list.querySelectorAll("li")];
    rowsAsWritten.set(list, written);
    const groups: HTMLElement[][] = [];
    for (const row of written) {
      if (row.dataset.label === undefined) groups.push([row]);
      else groups[groups.length - 1].push(row);
    }
    list.append(...groups.flatMap(([head, ...rows]) => [
      head,
      ...inOrder(rows, ({ dataset }) => dataset.label ?? ""),
    ]));
  }
}

const HIDDEN = ":is(tr, li, .panel, .scroll)";

function writeRules(): void {
  const hidden = hiddenTargets().map((name) => `[data-of=${quoted(name)}]`).join();
  const rules = hidden === "" ? [] : [
    `main ${HIDDEN}:is(${hidden}), main .rows:not(:has([data-label]:not(${hidden}))){display:none!important}`,
  ];
  if (markedTarget !== null) {
    const marked = `[data-of=${quoted(markedTarget)}]`;
    const others = `main [data-of]:not(${marked})`;
    rules.push(
      `${others}:is(tr, li, button), ${others}:is(tr, li) *{color:var(--muted)!important}`,
      `${others} :is(.swatch, th i, svg), ${others}.panel canvas{opacity:.3}`,
      `${others} td{background:none!important}`,
      `main tr${marked} > *{background-color:var(--marked)}`,
      `main :is(button, li, h4)${marked}{text-decoration:underline}`,
    );
  }
  sheet.replaceSync(rules.join("\n"));
}

function quoted(name: string): string {
  return `"${CSS.escape(name)}"`;
}
