/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Tables that somebody sorted are sorted again, as soon as the page's client has made them sortable. */
import { keyed, keyIn } from "./keyed.ts";

/** A head may have to be pressed twice: once for each order. */
const ORDERS = 2;

export class Sorting {
  /** Orders by their heads; what is not done yet. */
  readonly #wanted = new Map<string, string | null>();
  /** The head that had the focus. */
  #focused: string | undefined;

  constructor(main: Element) {
    new MutationObserver(() => this.#restore()).observe(main, { childList: true, subtree: true });
  }

  /** Before newer tables come. */
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
    // Unless somebody is elsewhere by now.
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  }
}
