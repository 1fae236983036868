/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Inserts newer parts into the page while it is being read: whatever its reader opened, chose, scrolled, focused or
 * sorted stays.
 */
const DATA = 'script[type="application/json"]';

/** The first frame paints the page; the second begins when that is done. */
const FRAMES = 2;

/** The page's policy allows no style element besides its first, so newer rules are adopted. */
const STYLE = /<style>(.*?)<\/style>/s;
const style = new CSSStyleSheet();
document.adoptedStyleSheets.push(style);

/** Resolves with the number of the page that is shown, once it is painted. */
export async function renew(text: string): Promise<number> {
  letGo();
  const page = new DOMParser().parseFromString(text.replace(STYLE, ""), "text/html");
  const choices = noteChoices();
  const place = noteScrollPosition();
  for (const old of document.querySelectorAll(DATA)) old.remove();
  document.body.append(...page.querySelectorAll(DATA));
  style.replaceSync(STYLE.exec(text)?.[1] ?? "");
  for (const part of ["nav ul", "main"]) {
    document.querySelector(part)?.replaceChildren(...page.querySelector(part)?.childNodes ?? []);
  }
  choices.restore();
  place.restore();
  dispatchEvent(new Event("renewed"));
  choices.apply();
  place.restore();
  keepInPlace(place);
  await painted();
  return Number(page.getElementById("live")?.dataset.page);
}

/** Some parts arrive after the page itself: tables that are opened again, and recomputed figures. */
const grown = new ResizeObserver(() => kept?.restore());
let kept: ScrollPosition | null = null;

/** Keeps the page in place until the reader scrolls. */
function keepInPlace(place: ScrollPosition): void {
  kept = place;
  for (const part of document.querySelectorAll("main > *")) grown.observe(part);
}

function letGo(): void {
  kept = null;
  grown.disconnect();
}

for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  addEventListener(type, letGo, { capture: true, passive: true });
}

async function painted(): Promise<void> {
  for (let i = 0; i < FRAMES && !document.hidden; i++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

/** Resolves when the reader is neither dragging nor copying from a box that a newer page would remove. */
export async function atLeisure(): Promise<void> {
  while (isPressed || document.activeElement instanceof HTMLTextAreaElement) {
    await new Promise((resolve) => {
      for (const type of LEAVING) addEventListener(type, resolve, { once: true });
    });
  }
}

const LEAVING = ["pointerup", "pointercancel", "focusout"] as const;

let isPressed = false;
addEventListener("pointerdown", () => isPressed = true, true);
for (const type of ["pointerup", "pointercancel"] as const) {
  addEventListener(type, () => isPressed = false, true);
}

const HEADINGS = "main h1, main h2, main h3, main h4, main summary, main caption.seen";

interface ScrollPosition {
  /** Restores the position in the page that replaced the original one. */
  restore(): void;
}

/** Keeps the visible part of the page in place, whatever is inserted above it. */
function noteScrollPosition(): ScrollPosition {
  const isAtTop = scrollY === 0;
  const headings = keyed(HEADINGS);
  const anchor = anchorOf([...headings.values()]);
  const key = keyIn(headings, anchor);
  const top = anchor?.getBoundingClientRect().top ?? 0;
  const restore = (): void => {
    const now = key === undefined ? undefined : keyed(HEADINGS).get(key);
    if (now && !isAtTop) scrollBy(0, now.getBoundingClientRect().top - top);
  };
  return { restore };
}

/** The first heading that is visible, or else the last one above. */
function anchorOf(headings: readonly Element[]): Element | null {
  const shown = headings.filter((heading) => heading.checkVisibility());
  const navigation = document.querySelector("nav")?.getBoundingClientRect().bottom ?? 0;
  const below = shown.find((heading) => heading.getBoundingClientRect().top >= navigation);
  const isSeen = below !== undefined && below.getBoundingClientRect().top < innerHeight;
  if (isSeen) return below;
  return shown.findLast((heading) => heading.getBoundingClientRect().top < navigation) ?? null;
}

// The reader's choices are noted before newer parts of the page are inserted, and then restored in them.

const FOCUSABLE = "main :is(a, button, input, summary, [tabindex]), nav a";
const SCROLLED = "main .scroll, main pre, nav ul";

interface ReaderChoices {
  /** Call before the page's client looks at the new parts. */
  restore(): void;
  /** Call afterwards: sends the events that the page's client follows. */
  apply(): void;
}

function noteChoices(): ReaderChoices {
  const opened = [...keyed("main details[open]").keys()];
  // Input that was typed into the old elements would be lost with them.
  const inputs = [...keyed<HTMLInputElement>(INPUTS)]
    .filter(([, { value, defaultValue }]) => value !== defaultValue);
  const selected = [...document.querySelectorAll(SELECTED)];
  const aside = [...keyed(SCROLLED)].filter(([, box]) => box.scrollLeft > 0 || box.scrollTop > 0)
    .map(([key, { scrollLeft, scrollTop }]) => ({ key, scrollLeft, scrollTop }));
  const focused = keyIn(keyed(FOCUSABLE), document.activeElement);
  const changed = new Set<HTMLFormElement>();
  return {
    restore: () => {
      const details = keyed("main details");
      for (const key of opened) details.get(key)?.setAttribute("open", "");
      const now = keyed<HTMLInputElement>(INPUTS);
      for (const [key, { value }] of inputs) {
        const input = now.get(key);
        if (input) input.value = value;
        if (input?.form) changed.add(input.form);
      }
      // Keeps the figures of each selection until they are recomputed, so that nothing moves.
      for (const element of document.querySelectorAll(SELECTED)) {
        const old = selected.find(({ ariaLabel }) => ariaLabel === element.ariaLabel);
        element.replaceChildren(...old?.childNodes ?? []);
      }
      focus(focused);
    },
    apply: () => {
      for (const details of document.querySelectorAll("main details[open]")) {
        // The browser sends its own event later, when the page would move once more.
        details.dispatchEvent(new Event("toggle"));
      }
      for (const form of inOrder([...changed])) {
        form.dispatchEvent(new Event("input", { bubbles: true }));
      }
      focus(focused);
      const boxes = keyed(SCROLLED);
      for (const { key, scrollLeft, scrollTop } of aside) {
        boxes.get(key)?.scrollTo(scrollLeft, scrollTop);
      }
    },
  };
}

const SELECTED = "main .selected";
const INPUTS = "form.view input";

/** Focuses an element, unless the reader is elsewhere by now. */
function focus(key: string | undefined): void {
  if (key === undefined || document.activeElement !== document.body) return;
  keyed<HTMLElement>(FOCUSABLE).get(key)?.focus({ preventScroll: true });
}

/** The form named in the page's address comes last, because the address follows the last one. */
function inOrder(forms: readonly HTMLFormElement[]): HTMLFormElement[] {
  const section = new URLSearchParams(location.hash.slice(1)).get("view");
  const isLast = (form: HTMLFormElement): number => Number(form.closest("section")?.id === section);
  return [...forms].sort((a, b) => isLast(a) - isLast(b));
}

/** A column head may have to be pressed twice, once for each order. */
const ORDERS = 2;

/** Sorts tables again as soon as the page's client has made them sortable. */
export class Sorting {
  /** Orders still to be restored, by column head. */
  readonly #wanted = new Map<string, string | null>();
  /** The column head that had the focus. */
  #focused: string | undefined;

  constructor(main: Element) {
    new MutationObserver(() => this.#restore()).observe(main, { childList: true, subtree: true });
  }

  /** Call before newer tables are inserted. */
  note(): void {
    for (const [key, head] of keyed("main th[aria-sort]")) this.#wanted.set(key, head.ariaSort);
    this.#focused = keyIn(keyed("main th"), document.activeElement?.parentElement ?? null);
  }

  #restore(): void {
    if (this.#wanted.size === 0 && this.#focused === undefined) return;
    for (const [key, head] of keyed("main th")) {
      const button = head.querySelector("button");
      if (button) this.#restoreHead(key, head, button);
    }
  }

  #restoreHead(key: string, head: Element, button: HTMLButtonElement): void {
    const order = this.#wanted.get(key);
    this.#wanted.delete(key);
    for (let i = 0; order && i < ORDERS && head.ariaSort !== order; i++) button.click();
    if (key !== this.#focused) return;
    this.#focused = undefined;
    // Unless the reader is elsewhere by now.
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  }
}

// Elements by name, so that each can be found again in a newer page, where more scenarios and targets may have changed
// positions and ids.

/** The matching elements of a page by name, numbered if several have the same name. */
function keyed<Kind extends Element>(selector: string): Map<string, Kind> {
  const counts = new Map<string, number>();
  return new Map(
    [...document.querySelectorAll<Kind>(selector)].map((element) => {
      const name = nameOf(element);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [`${name}/${count}`, element];
    }),
  );
}

/** The key of an element; undefined for null. */
function keyIn<Kind extends Element>(
  elements: ReadonlyMap<string, Kind>,
  wanted: Element | null,
): string | undefined {
  return [...elements].find(([, element]) => element === wanted)?.[0];
}

function nameOf(element: Element): string {
  const part = element.closest("section, article, nav");
  const heading = part?.querySelector("h1, h2, h3")?.textContent;
  const label = element instanceof HTMLInputElement
    ? `${element.name} ${element.labels?.[0]?.textContent}`
    : element.querySelector("caption, summary")?.textContent ??
      `${element.closest("table")?.caption?.textContent} ${element.textContent}`;
  return [part?.className, heading, element.tagName, label].join("/");
}
