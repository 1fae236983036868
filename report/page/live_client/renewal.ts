/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Newer parts of the page in place of those that are shown, under the eyes of somebody who reads. */
import { noteChoices } from "./choices.ts";
import { notePlace } from "./place.ts";

const DATA = 'script[type="application/json"]';

/** The first paints it, the second begins when that is done. */
const FRAMES = 2;

/** The page's policy allows no other style element than its first: newer rules are adopted. */
const STYLE = /<style>(.*?)<\/style>/s;
const style = new CSSStyleSheet();
document.adoptedStyleSheets.push(style);

/** Resolves with the number of the page that is shown, when it is painted. */
export async function renew(text: string): Promise<number> {
  const page = new DOMParser().parseFromString(text.replace(STYLE, ""), "text/html");
  const choices = noteChoices();
  const place = notePlace();
  for (const old of document.querySelectorAll(DATA)) old.remove();
  document.body.append(...page.querySelectorAll(DATA));
  style.replaceSync(STYLE.exec(text)?.[1] ?? "");
  for (const part of ["nav ul", "main"]) {
    document.querySelector(part)?.replaceChildren(...page.querySelector(part)?.childNodes ?? []);
  }
  choices.restore();
  place.restore();
  dispatchEvent(new Event("renewed"));
  choices.tell();
  place.restore();
  await painted();
  return Number(page.getElementById("live")?.dataset.page);
}

async function painted(): Promise<void> {
  for (let i = 0; i < FRAMES && !document.hidden; i++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

/** Resolves when nobody drags, or copies from a box that a newer page would take away. */
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
