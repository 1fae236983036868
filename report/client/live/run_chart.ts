/// <reference lib="dom" />
/**
 * The run in progress, in the bar of a live page: the rate and p99 of its intervals as they arrive. Each is drawn on a
 * scale from 0 to its largest shown value. Drawing waits until the browser paints, so a hidden page costs nothing.
 */
import { formatMs, formatNumber } from "../../writing/units.ts";
import {
  type LiveName,
  type LivePoint,
  type LiveValue,
  MOST_POINTS,
  type PointsEvent,
} from "../../render/html/live_status.ts";

const TEXTS: Readonly<Record<LiveName, (value: number) => string>> = {
  rate: (value) => formatNumber(value),
  p99: formatMs,
};

/** The chart is wide enough for at least this many intervals, so that a run that has just begun does not fill it. */
const LEAST_SHOWN = 40;

let shown: readonly LivePoint[] = [];
let isDue = false;

export function addPoints({ isNew, points }: PointsEvent): void {
  shown = [...(isNew ? [] : shown), ...points].slice(-MOST_POINTS);
  if (!isDue) requestAnimationFrame(draw);
  isDue = true;
}

function draw(): void {
  isDue = false;
  for (const row of document.querySelectorAll<HTMLElement>("#live [data-figure]")) {
    const figure = row.dataset.figure === "rate" ? "rate" : "p99";
    drawRow(row, shown.map((point) => point[figure]), TEXTS[figure]);
  }
}

function drawRow(
  row: Element,
  figures: readonly LiveValue[],
  text: (value: number) => string,
): void {
  const values = figures.map(({ value }) => value);
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const last = values[values.length - 1] ?? null;
  row.querySelector("path")?.setAttribute("d", stepsOf(values, most));
  if (figures.length > 0) put(row, "span:not(.scale)", figures[figures.length - 1].label);
  put(row, "b", last === null ? "–" : text(last));
  put(row, ".scale", most === 0 ? "" : `0–${text(most)}`);
}

function put(row: Element, selector: string, text: string): void {
  const element = row.querySelector(selector);
  if (element) element.textContent = text;
}

/** An SVG path of steps in a box of 1 × 1, with gaps for missing values. */
function stepsOf(values: readonly (number | null)[], most: number): string {
  const width = 1 / Math.max(LEAST_SHOWN, values.length);
  let isDrawing = false;
  return values.map((value, i) => {
    const y = value === null || most === 0 ? 1 : 1 - value / most;
    const from = isDrawing ? `V${y.toFixed(4)}` : `M${(i * width).toFixed(4)} ${y.toFixed(4)}`;
    isDrawing = value !== null;
    return value === null ? "" : `${from}H${((i + 1) * width).toFixed(4)}`;
  }).join("");
}
