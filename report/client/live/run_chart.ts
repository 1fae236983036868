/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The run in progress, in the bar of a live page: the rate and p99 of its intervals as they come, each from 0 to the
 * largest that is shown. It draws when the browser paints: a hidden page costs nothing.
 */
import { formatMs, formatNumber } from "../../writing/units.ts";
import { type LivePoint, MOST_POINTS, type PointsEvent } from "../../render/html/live_status.ts";

interface ChartedFigure {
  readonly label: (point: LivePoint) => string;
  readonly of: (point: LivePoint) => number | null;
  readonly text: (value: number) => string;
}

/** Charted figures, by the page's names for them. */
const CHARTED: Readonly<Record<string, ChartedFigure>> = {
  rate: {
    label: ({ rateLabel }) => rateLabel,
    of: ({ ratePerSec }) => ratePerSec,
    text: (value) => formatNumber(value),
  },
  p99: { label: ({ p99Label }) => p99Label, of: ({ p99Ms }) => p99Ms, text: formatMs },
};

/** The least number of intervals shown, so that a run that has just begun does not fill the width. */
const LEAST_SHOWN = 40;

export class RunChart {
  #points: readonly LivePoint[] = [];
  #isDue = false;

  add({ isNew, points }: PointsEvent): void {
    this.#points = [...(isNew ? [] : this.#points), ...points].slice(-MOST_POINTS);
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#isDue = false;
    for (const row of document.querySelectorAll<HTMLElement>("#live [data-figure]")) {
      const figure = CHARTED[row.dataset.figure ?? ""];
      if (figure !== undefined) drawRow(row, this.#points, figure);
    }
  }
}

function drawRow(
  row: Element,
  points: readonly LivePoint[],
  { label, of, text }: ChartedFigure,
): void {
  const values = points.map(of);
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const last = values[values.length - 1] ?? null;
  row.querySelector("path")?.setAttribute("d", stepsOf(values, most));
  if (points.length > 0) put(row, "span:not(.scale)", label(points[points.length - 1]));
  put(row, "b", last === null ? "–" : text(last));
  put(row, ".scale", most === 0 ? "" : `0–${text(most)}`);
}

function put(row: Element, selector: string, text: string): void {
  const element = row.querySelector(selector);
  if (element) element.textContent = text;
}

/** A path of steps in a box of 1 × 1, with gaps for missing values. */
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
