/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** How charts follow the targets that the reader chose and marked. */
import { type Chart as Drawing, type ChartEvent, type Plugin, PointElement } from "chart.js";
import type { Chart } from "../../subjects/charts/charts.ts";
import { barsHeightPx, forestHeightPx } from "../../render/html/sections/figures.ts";
import {
  hiddenTargets,
  isShownLabel,
  linkedItems,
  markedTarget,
  markTarget,
  targetOf,
} from "../linked/choice.ts";
import { chartOf } from "./page_data.ts";
import { faded, readTheme } from "./theme.ts";

/** Without what belongs to hidden targets; null where nothing is left. */
export function linkedChart(chart: Chart): Chart | null {
  switch (chart.kind) {
    case "bars":
      return orNull({ ...chart, bars: linkedItems(chart.bars) }, ({ bars }) => bars);
    case "forest":
      return orNull({ ...chart, rows: linkedItems(chart.rows) }, ({ rows }) => rows);
    case "density":
      return orNull({ ...chart, series: linkedItems(chart.series) }, ({ series }) => series);
    case "tails":
      return orNull({ ...chart, series: linkedItems(chart.series) }, ({ series }) => series);
    case "overlay":
      return orNull({ ...chart, series: linkedItems(chart.series) }, ({ series }) => series);
    case "sweep":
      return orNull({ ...chart, series: linkedItems(chart.series) }, ({ series }) => series);
    case "tradeoff":
      return orNull({ ...chart, series: linkedItems(chart.series) }, ({ series }) => series);
    case "scatter":
      return { ...chart, points: chart.points.filter(({ label }) => isShownLabel(label)) };
    case "order": {
      // Each keeps its place in time.
      const runs = chart.runs.map((run) => isShownLabel(run.label) ? run : { ...run, ratio: NaN });
      return { ...chart, runs };
    }
    default:
      return chart;
  }
}

function orNull<Of>(chart: Of, items: (chart: Of) => readonly unknown[]): Of | null {
  return items(chart).length === 0 ? null : chart;
}

/** Whether the height of a chart is not that of its class. */
let isFitted = false;

/** Gives each chart the height that the choice needs; one that has nothing left goes. */
export function fitLinked(): void {
  const isWhole = hiddenTargets().length === 0;
  if (isWhole && !isFitted) return;
  isFitted = !isWhole;
  for (const canvas of document.querySelectorAll("canvas")) {
    const box = canvas.parentElement;
    const whole = chartOf(canvas.id);
    if (!box || !whole) continue;
    const chart = linkedChart(whole);
    box.hidden = chart === null;
    if (chart !== null) box.style.height = heightOf(chart);
  }
}

/** "": as its class has it. */
function heightOf(chart: Chart): string {
  if (chart.kind === "bars") return `${barsHeightPx(chart)}px`;
  return chart.kind === "forest" ? `${forestHeightPx(chart)}px` : "";
}

// Marks: what belongs to no other than the marked target is veiled.

/** What of a drawing belongs to whom: a dataset, or one element of it. */
interface LinkedPart {
  readonly label: string;
  readonly dataset: number;
  /** Null: all of the dataset. */
  readonly index: number | null;
}

function partsOf(chart: Chart, { data }: Drawing): LinkedPart[] {
  switch (chart.kind) {
    case "overlay":
      return datasetsOf(data.datasets.map((dataset) => ({ label: stackOf(dataset) })));
    case "bars":
      return elementsOf(chart.bars);
    case "forest":
      return elementsOf(chart.rows);
    case "scatter":
      return elementsOf(chart.points);
    case "order":
      return elementsOf(chart.runs);
    case "tails": {
      const thin = chart.series.flatMap(({ label, runs }) => runs.map(() => ({ label })));
      return datasetsOf([...chart.series, ...thin]);
    }
    case "density":
    case "sweep":
    case "tradeoff":
      return datasetsOf(chart.series);
    default:
      return [];
  }
}

/** Several datasets belong to one target where they are of one stack. */
export function stackOf(dataset: object): string {
  return "stack" in dataset && typeof dataset.stack === "string" ? dataset.stack : "";
}

type Labelled = readonly { readonly label: string }[];

function elementsOf(items: Labelled): LinkedPart[] {
  return items.map(({ label }, index) => ({ label, dataset: 0, index }));
}

function datasetsOf(items: Labelled): LinkedPart[] {
  return items.map(({ label }, dataset) => ({ label, dataset, index: null }));
}

/** Marks the target under the pointer, and draws the mark, in whatever chart shows several targets. */
export const linkedMarks: Plugin = {
  id: "linkedMarks",
  afterDraw: drawMark,
  afterEvent: (drawing, { event }) => {
    if (event.type !== "mousemove" && event.type !== "mouseout") return;
    const chart = shownIn(drawing);
    if (chart === null || partsOf(chart, drawing).length === 0) return;
    const part = event.type === "mouseout" ? null : partUnder(drawing, chart, event);
    markTarget(part && targetOf(part.label));
  },
};

function shownIn({ canvas }: Drawing): Chart | null {
  const chart = chartOf(canvas.id);
  return chart ? linkedChart(chart) : null;
}

/** Of a line, so near is on it. */
const NEAR_PX = 24;

function partUnder(drawing: Drawing, chart: Chart, event: ChartEvent): LinkedPart | null {
  const { x, y, native } = event;
  if (x === null || y === null || native === null) return null;
  const parts = partsOf(chart, drawing);
  if (chart.kind === "bars" || chart.kind === "forest") {
    const row = parts.findIndex((_, i) => {
      const [top, bottom] = rowEnds(drawing, chart, i);
      return y >= top && y < bottom;
    });
    return parts[row] ?? null;
  }
  const [found] = drawing.getElementsAtEventForMode(native, "nearest", { intersect: false }, false);
  if (!found) return null;
  const { element, datasetIndex, index } = found;
  if (Math.hypot(element.x - x, element.y - y) > NEAR_PX) return null;
  return parts.find((part) => part.dataset === datasetIndex && (part.index ?? index) === index) ??
    null;
}

/** Pixels from the top. */
function rowEnds(
  { scales, chartArea: { top, bottom } }: Drawing,
  chart: Chart,
  index: number,
): readonly [number, number] {
  if (chart.kind === "forest") {
    return [scales.y.getPixelForValue(index), scales.y.getPixelForValue(index + 1)];
  }
  const height = (bottom - top) / (chart.kind === "bars" ? chart.bars.length : 1);
  // The label of a bar stands above it.
  return [top + height * index, top + height * (index + 1)];
}

const VEIL = 0.78;

function drawMark(drawing: Drawing): void {
  const marked = markedTarget();
  const chart = marked === null ? null : shownIn(drawing);
  if (chart === null) return;
  const parts = partsOf(chart, drawing).filter(({ dataset }) => drawing.isDatasetVisible(dataset));
  const isOf = ({ label }: LinkedPart): boolean => targetOf(label) === marked;
  if (!parts.some(isOf)) return;
  const { ctx, chartArea: { left, top, right, bottom } } = drawing;
  ctx.save();
  ctx.fillStyle = faded(readTheme().paper, VEIL);
  if (chart.kind === "bars" || chart.kind === "forest") {
    parts.forEach((part, i) => {
      const [from, to] = rowEnds(drawing, chart, i);
      if (!isOf(part)) ctx.fillRect(left + 1, from, right - left + 12, to - from);
    });
  } else {
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.beginPath();
    ctx.rect(left - 8, top - 8, right - left + 16, bottom - top + 16);
    ctx.clip();
    for (const part of parts.filter(isOf)) drawPart(drawing, part);
  }
  ctx.restore();
}

function drawPart(drawing: Drawing, { dataset, index }: LinkedPart): void {
  const { controller, data } = drawing.getDatasetMeta(dataset);
  if (index === null) return controller.draw();
  const element = data[index];
  if (element instanceof PointElement) element.draw(drawing.ctx, drawing.chartArea);
}
