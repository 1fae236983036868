/// <reference lib="dom" />
/**
 * The client of the page of a running experiment: listens to Plateau, shows the progress, and loads the page again when
 * there are newer runs. What its reader chose is in its address and stays.
 */
import {
  type LiveStatus,
  type PageEvent,
  type PointsEvent,
  remainingText,
} from "../../render/html/live_status.ts";
import { RunChart } from "./run_chart.ts";

const SECOND_MS = 1_000;

/** The bar with the progress of the experiment. */
class Bar {
  readonly #element = document.getElementById("live");
  #endMs: number | null = null;

  constructor() {
    setInterval(() => this.#count(), SECOND_MS);
  }

  /** The number of the page. */
  get page(): number {
    return Number(this.#element?.dataset.page);
  }

  show({ done, runs, text, leftMs, isOver }: LiveStatus): void {
    const progress = this.#element?.querySelector("progress");
    if (progress) {
      progress.max = Math.max(1, runs);
      progress.value = done;
    }
    this.#announce(text);
    this.#element?.toggleAttribute("data-over", isOver);
    this.#endMs = leftMs === null || isOver ? null : performance.now() + leftMs;
    this.#count();
  }

  /** Shows that the connection ended without a final event. */
  showLost(): void {
    this.#endMs = null;
    this.#announce(
      "Plateau stopped responding: this page no longer changes. Completed runs are in results.json.",
    );
    this.#count();
  }

  #announce(text: string): void {
    const status = this.#element?.querySelector("[role=status]");
    // Set only if it differs, because screen readers read a text again when it is set.
    if (status && status.textContent !== text) status.textContent = text;
  }

  #count(): void {
    const left = this.#element?.querySelector(".left");
    const leftMs = this.#endMs === null ? 0 : this.#endMs - performance.now();
    if (left) left.textContent = leftMs > 0 ? remainingText(leftMs) : "";
  }
}

const bar = new Bar();
const source = new EventSource("/events");
let isOver = false;

function listen<Data>(name: string, onData: (data: Data) => unknown): void {
  source.addEventListener(name, ({ data }) => onData(JSON.parse(data)));
}

listen<LiveStatus>("status", (status) => {
  isOver = status.isOver;
  bar.show(status);
});
const chart = new RunChart();
listen<PointsEvent>("points", (event) => chart.add(event));
listen<PageEvent>("page", async ({ page, receipt }) => {
  if (page > bar.page) {
    await atLeisure();
    // Without Plateau, nothing would take the place of this page.
    if (await reaches("/", { method: "HEAD" })) location.reload();
    return;
  }
  // The first frame paints the page; the second begins when that is done.
  for (let frames = 0; frames < 2 && !document.hidden; frames++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  await reaches("/shown", { method: "POST", body: receipt });
  if (isOver) source.close(); // otherwise the browser would reconnect for ever
});
source.addEventListener("error", lose);

async function reaches(path: string, request: RequestInit): Promise<boolean> {
  try {
    await fetch(path, request);
    return true;
  } catch {
    lose();
    return false;
  }
}

function lose(): void {
  source.close();
  if (!isOver) bar.showLost();
}

/** When the reader last pressed or typed something; `REST_MS` later, the page's address holds the resulting choice. */
let usedMs = -Infinity;
let isPressed = false;
for (const type of ["pointerdown", "pointerup", "pointercancel", "input"] as const) {
  addEventListener(type, () => {
    isPressed = type === "pointerdown";
    usedMs = performance.now();
  }, true);
}

const REST_MS = 500;
const LOOK_MS = 100;

/** Resolves when the reader is neither choosing anything nor copying from a box that a newer page would lack. */
async function atLeisure(): Promise<void> {
  while (
    isPressed || performance.now() - usedMs < REST_MS ||
    document.activeElement instanceof HTMLTextAreaElement
  ) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
