/// <reference lib="dom" />
/**
 * The client of the page of a running experiment. It listens to Plateau, shows the progress, and reloads the page when
 * there are newer runs. The page's address holds the reader's choice, so a reload keeps it.
 */
import {
  type LiveStatus,
  type PageEvent,
  type PointsEvent,
  remainingText,
} from "../../render/html/live_status.ts";
import { addPoints } from "./run_chart.ts";

const SECOND_MS = 1_000;

const bar = document.getElementById("live");
let endMs: number | null = null;
setInterval(count, SECOND_MS);

function show({ done, runs, text, leftMs, isOver }: LiveStatus): void {
  const progress = bar?.querySelector("progress");
  if (progress) Object.assign(progress, { max: Math.max(1, runs), value: done });
  bar?.toggleAttribute("data-over", isOver);
  say(text, leftMs === null || isOver ? null : performance.now() + leftMs);
}

/**
 * Shows a text in the page's bar, and counts down to the expected end of the experiment.
 * @param untilMs Expected end of the experiment, on the clock of `performance.now()`; null if it is unknown, or if the
 * experiment is over.
 */
function say(text: string, untilMs: number | null): void {
  const status = bar?.querySelector("[role=status]");
  // Set only if it differs, because a screen reader reads a text aloud whenever it is set.
  if (status && status.textContent !== text) status.textContent = text;
  endMs = untilMs;
  count();
}

function count(): void {
  const left = bar?.querySelector(".left");
  const leftMs = endMs === null ? 0 : endMs - performance.now();
  if (left) left.textContent = leftMs > 0 ? remainingText(leftMs) : "";
}

const source = new EventSource("/events");
let isOver = false;

function listen<Data>(name: string, onData: (data: Data) => unknown): void {
  source.addEventListener(name, ({ data }) => onData(JSON.parse(data)));
}

listen<LiveStatus>("status", (status) => {
  isOver = status.isOver;
  show(status);
});
listen<PointsEvent>("points", addPoints);
listen<PageEvent>("page", async ({ page, receipt }) => {
  if (page > Number(bar?.dataset.page)) {
    await atLeisure();
    // If Plateau no longer responds, a reload would replace the page with an error.
    if (await reaches("/", { method: "HEAD" })) location.reload();
    return;
  }
  // The first frame paints the page, so the painting is done when the second frame begins.
  for (let frames = 0; frames < 2 && !document.hidden; frames++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  await reaches("/shown", { method: "POST", body: receipt });
  if (isOver) source.close(); // otherwise the browser would keep reconnecting
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
  if (isOver) return;
  say(
    "Plateau stopped responding: this page no longer changes. Completed runs are in results.json.",
    null,
  );
}

/**
 * When the reader last pressed or typed something. If that changed the reader's choice, the page's address contains the
 * new choice at most `REST_MS` later.
 */
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

/**
 * Resolves when the reader is not in the middle of a choice, and is not copying from a text box, which a reload would
 * remove.
 */
async function atLeisure(): Promise<void> {
  while (
    isPressed || performance.now() - usedMs < REST_MS ||
    document.activeElement instanceof HTMLTextAreaElement
  ) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
