/// <reference lib="dom" />
/**
 * The client of the page of a running experiment: listens to Plateau, inserts newer parts as runs are completed, and
 * shows the progress.
 */
import {
  type EndEvent,
  type LiveStatus,
  type PageEvent,
  type PointsEvent,
  remainingText,
} from "../../render/html/live_status.ts";
import { RunChart } from "./run_chart.ts";
import { atLeisure, renew, Sorting } from "./renewal.ts";

const SECOND_MS = 1_000;

/** The bar with the progress of the experiment. */
class Bar {
  readonly #element = document.getElementById("live");
  #endMs: number | null = null;

  constructor() {
    setInterval(() => this.#count(), SECOND_MS);
  }

  /** The number of the page that contains the bar. */
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
const sorting = new Sorting(document.querySelector("main") ?? document.body);
let shown = bar.page;
let wanted = shown;
let renewing: Promise<void> | null = null;

/** Fetches pages until the newest one is shown; several may have been made meanwhile. */
async function catchUp(): Promise<void> {
  while (shown < wanted) {
    const text = await fetchText("/", { cache: "no-store" });
    if (text === null) return;
    await atLeisure();
    sorting.note();
    shown = await renew(text);
  }
}

/** Null if Plateau no longer responds, which the bar then shows. */
async function fetchText(path: string, request: RequestInit): Promise<string | null> {
  try {
    const response = await fetch(path, request);
    return await response.text();
  } catch {
    lose();
    return null;
  }
}

async function show({ page, receipt }: PageEvent): Promise<void> {
  wanted = page;
  await (renewing ??= catchUp().finally(() => renewing = null));
  await fetchText("/shown", { method: "POST", body: receipt });
}

const source = new EventSource("/events");

function listen<Data>(name: string, onData: (data: Data) => unknown): void {
  source.addEventListener(name, ({ data }) => onData(JSON.parse(data)));
}

function lose(): void {
  source.close();
  if (!isOver) bar.showLost();
}

let isOver = false;
listen<LiveStatus>("status", (status) => bar.show(status));
const chart = new RunChart();
listen<PointsEvent>("points", (event) => chart.add(event));
listen<PageEvent>("page", show);
listen<EndEvent>("end", async ({ status, ...last }) => {
  isOver = true;
  source.close(); // otherwise the browser would reconnect for ever
  bar.show(status);
  await show(last);
});
source.addEventListener("error", lose);
