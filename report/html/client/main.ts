/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Draws the charts of the page. It decides nothing: what is shown comes from the page's JSON, colours
 * and type from its style sheet.
 */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as Drawing,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
} from "chart.js";
import type { Chart } from "../../charts.ts";
import { barsConfig } from "./bars.ts";
import { densityConfig } from "./density.ts";
import { intervalsTable } from "./intervals.ts";
import { readTheme, type Theme } from "./theme.ts";
import { timelineConfig } from "./timeline.ts";

Drawing.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  Tooltip,
);

const root = document.documentElement;
const charts: Record<string, Chart> = JSON.parse(
  document.getElementById("charts")?.textContent ?? "{}",
);
const drawings = new Map<string, Drawing>();

function draw(id: string, theme: Theme): void {
  const canvas = document.getElementById(id);
  if (!(canvas instanceof HTMLCanvasElement)) return;
  drawings.get(id)?.destroy();
  drawings.set(id, drawingOf(canvas, charts[id], theme));
}

function drawingOf(canvas: HTMLCanvasElement, chart: Chart, theme: Theme): Drawing {
  switch (chart.kind) {
    case "bars":
      return new Drawing(canvas, barsConfig(chart, theme));
    case "timeline":
      return new Drawing(canvas, timelineConfig(chart, theme));
    case "density":
      return new Drawing(canvas, densityConfig(chart, theme));
  }
}

function drawAll(): void {
  const theme = readTheme();
  for (const id of drawings.keys()) draw(id, theme);
}

const TURN_MS = 40;

/** Draws from the top, a few charts at a time, so that the page answers while it is at it. */
function drawInTurns(ids: readonly string[]): void {
  const theme = readTheme();
  const endMs = performance.now() + TURN_MS;
  let next = 0;
  while (next < ids.length && performance.now() < endMs) draw(ids[next++], theme);
  if (next < ids.length) setTimeout(() => drawInTurns(ids.slice(next)));
  else root.dataset.charts = "drawn";
}

/** Paper has its own width and no dark; sharper canvases, too. */
function print(printing: boolean): void {
  root.classList.toggle("printing", printing);
  Drawing.defaults.devicePixelRatio = printing ? Math.max(2, devicePixelRatio) : devicePixelRatio;
  drawAll();
}

function fillIntervals(details: HTMLDetailsElement): void {
  if (details.querySelector("table")) return;
  for (const id of details.dataset.charts?.split(" ") ?? []) {
    const chart = charts[id];
    if (chart?.kind !== "timeline") continue;
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.append(intervalsTable(chart));
    details.append(scroll);
  }
}

drawInTurns(Object.keys(charts));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
for (const details of document.querySelectorAll<HTMLDetailsElement>("details.intervals")) {
  details.addEventListener("toggle", () => fillIntervals(details));
}
