/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Puts newer parts into the page while it is read. */
import { keyed, keyIn, noteChoices } from "./choices.ts";

const DATA = 'script[type="application/json"]';

/** The first paints it, the second begins when that is done. */
const FRAMES = 2;

/** The page's policy allows no other style element than its first: newer rules are adopted. */
const STYLE = /<style>(.*?)<\/style>/s;
const style = new CSSStyleSheet();
document.adoptedStyleSheets.push(style);

/** Resolves with the number of the page that is shown, when it is painted. */
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

/** Tables that are opened again, and what is computed anew, come in after the page itself. */
const grown = new ResizeObserver(() => kept?.restore());
let kept: ScrollPosition | null = null;

/** Until the reader moves on. */
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

/** Resolves when the reader neither drags nor copies from a box that a newer page would take away. */
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
  /** In the page that took the place of the one where it was noted. */
  restore(): void;
}

/** Keeps the visible part of the page in place, however much comes in above it. */
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

/** The first that is seen; else the last above. */
function anchorOf(headings: readonly Element[]): Element | null {
  const shown = headings.filter((heading) => heading.checkVisibility());
  const navigation = document.querySelector("nav")?.getBoundingClientRect().bottom ?? 0;
  const below = shown.find((heading) => heading.getBoundingClientRect().top >= navigation);
  const isSeen = below !== undefined && below.getBoundingClientRect().top < innerHeight;
  if (isSeen) return below;
  return shown.findLast((heading) => heading.getBoundingClientRect().top < navigation) ?? null;
}
