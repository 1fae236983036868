/// <reference lib="dom" />
/** The bar that tells how far the experiment is. */
import { leftText, type LiveStatus } from "../live_status.ts";

const SECOND_MS = 1_000;

export class Bar {
  readonly #element = document.getElementById("live");
  #endMs: number | null = null;

  constructor() {
    setInterval(() => this.#count(), SECOND_MS);
  }

  /** The number of the page that it came with. */
  get page(): number {
    return Number(this.#element?.dataset.page);
  }

  show({ done, runs, text, leftMs, isOver }: LiveStatus): void {
    const progress = this.#element?.querySelector("progress");
    if (progress) {
      progress.max = Math.max(1, runs);
      progress.value = done;
    }
    this.#tell(text);
    this.#endMs = leftMs === null || isOver ? null : performance.now() + leftMs;
    this.#count();
  }

  /** Nobody answers any more, and nobody said why. */
  showLost(): void {
    this.#endMs = null;
    this.#tell(
      "Plateau has ended without a word: this page no longer changes. What was measured is in results.json.",
    );
    this.#count();
  }

  #tell(text: string): void {
    const status = this.#element?.querySelector("[role=status]");
    // Said once: a text that is set again is read out again.
    if (status && status.textContent !== text) status.textContent = text;
  }

  #count(): void {
    const left = this.#element?.querySelector(".left");
    const leftMs = this.#endMs === null ? 0 : this.#endMs - performance.now();
    if (left) left.textContent = leftMs > 0 ? leftText(leftMs) : "";
  }
}
