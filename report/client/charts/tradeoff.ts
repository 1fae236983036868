/// <reference lib="dom" />
/** Requests per second against p99: dots with crosses for their intervals, the Pareto front as steps, a line at a limit. */
import type { Chart, ChartConfiguration, Point } from "chart.js";
import type { TradeoffChart } from "../../subjects/charts/charts.ts";
import { cutTo, type PlacedDot, placedNames } from "./bars.ts";
import { titledScale } from "./scatter.ts";
import { faded, type Theme, tooltip } from "./theme.ts";
import { formatNumber, formatTick } from "../../writing/units.ts";
import type { Drawings } from "./drawings.ts";
import { chartOf } from "./page_data.ts";

type TradeoffSeries = TradeoffChart["series"][number];
type Dot = TradeoffSeries["points"][number];

/** Of a dot without CPU, and what the CPU adds at most. */
const RADIUS_PX = 4;
const MOST_ADDED_PX = 6;

/** @param limit p99 in the unit of the axis, where a line is drawn; null for none. */
export function tradeoffConfig(
  data: TradeoffChart,
  theme: Theme,
  limit: () => number | null,
): ChartConfiguration<"line", Point[]> {
  return {
    type: "line",
    data: { datasets: data.series.map((series) => datasetOf(series, data, theme)) },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      layout: { padding: { top: 8, right: 14 } },
      interaction: { mode: "nearest", intersect: true },
      scales: {
        // Few, as paper and phones have little room for their labels.
        x: titledScale(data.x, "requests/s", theme, 4),
        y: titledScale(data.y, "p99", theme),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            title: ([item]) => item ? pointAt(data, item).label : "",
            label: (item) => [...pointAt(data, item).lines],
          },
        },
      },
    },
    plugins: [{
      id: "tradeoff",
      beforeDatasetsDraw: (chart) => {
        drawFront(chart, data, theme);
        drawLimit(chart, limit(), theme);
        for (const series of data.series) drawCrosses(chart, series, theme);
      },
      afterDatasetsDraw: (chart) => drawNames(chart, data, theme),
    }],
  };
}

function datasetOf(
  { color, points }: TradeoffSeries,
  { isLine }: TradeoffChart,
  theme: Theme,
): ChartConfiguration<"line", Point[]>["data"]["datasets"][number] {
  const drawn = theme.series(color);
  return {
    data: points.map(({ x, y }) => ({ x, y })),
    showLine: isLine,
    borderColor: faded(drawn, 0.6),
    borderWidth: 1.5,
    clip: RADIUS_PX + MOST_ADDED_PX,
    pointRadius: points.map(radiusOf),
    pointHoverRadius: points.map((point) => radiusOf(point) + 2),
    pointHitRadius: 10,
    pointBorderColor: drawn,
    pointBackgroundColor: faded(drawn, 0.45),
    pointBorderWidth: points.map(({ isOnFront }) => isOnFront ? 2 : 1),
  };
}

/** The area grows with the CPU. */
function radiusOf({ size }: Dot): number {
  return RADIUS_PX + MOST_ADDED_PX * Math.sqrt(size ?? 0);
}

function pointAt(
  { series }: TradeoffChart,
  { datasetIndex, dataIndex }: { readonly datasetIndex: number; readonly dataIndex: number },
): Dot {
  return series[datasetIndex].points[dataIndex];
}

/** As far to the left as a cell serves, its p99 is to be had. */
function drawFront(
  { ctx, chartArea: { left, top }, scales: { x, y } }: Chart,
  { front }: TradeoffChart,
  theme: Theme,
): void {
  ctx.save();
  ctx.strokeStyle = faded(theme.muted, 0.7);
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  front.forEach((point, i) => {
    const [atX, atY] = [x.getPixelForValue(point.x), y.getPixelForValue(point.y)];
    ctx.lineTo(i === 0 ? left : x.getPixelForValue(front[i - 1].x), atY);
    ctx.lineTo(atX, atY);
  });
  const last = front.at(-1);
  if (last !== undefined) ctx.lineTo(x.getPixelForValue(last.x), top);
  ctx.stroke();
  ctx.restore();
}

function drawLimit(
  { ctx, chartArea: { left, right }, scales: { y } }: Chart,
  limit: number | null,
  theme: Theme,
): void {
  if (limit === null) return;
  ctx.save();
  ctx.strokeStyle = theme.alarm;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(left, y.getPixelForValue(limit));
  ctx.lineTo(right, y.getPixelForValue(limit));
  ctx.stroke();
  ctx.restore();
}

function drawCrosses(
  { ctx, scales: { x, y } }: Chart,
  { color, points }: TradeoffSeries,
  theme: Theme,
): void {
  ctx.save();
  ctx.strokeStyle = theme.series(color);
  ctx.lineWidth = 1.25;
  ctx.beginPath();
  for (const point of points) {
    const [atX, atY] = [x.getPixelForValue(point.x), y.getPixelForValue(point.y)];
    if (point.xEnds) {
      ctx.moveTo(x.getPixelForValue(point.xEnds[0]), atY);
      ctx.lineTo(x.getPixelForValue(point.xEnds[1]), atY);
    }
    if (point.yEnds) {
      ctx.moveTo(atX, y.getPixelForValue(point.yEnds[0]));
      ctx.lineTo(atX, y.getPixelForValue(point.yEnds[1]));
    }
  }
  ctx.stroke();
  ctx.restore();
}

const NAME_PX = 110;

/** Near its dot, where it covers no dot and no other name; where there is no such place, the dot's colour says whose it is. */
function drawNames(chart: Chart, { series, isLine }: TradeoffChart, theme: Theme): void {
  const { ctx, chartArea, scales: { x, y } } = chart;
  ctx.save();
  ctx.font = `12px ${theme.font}`;
  ctx.textBaseline = "middle";
  ctx.fillStyle = theme.ink;
  const dotOf = (point: Dot): PlacedDot => ({
    x: x.getPixelForValue(point.x),
    y: y.getPixelForValue(point.y),
    radius: radiusOf(point),
  });
  const dots = series.flatMap(({ points }) => points.map(dotOf));
  const names = series.map(({ label, points }) => {
    const text = cutTo(NAME_PX, label, ctx);
    const dot = dotOf(isLine ? points[points.length - 1] : points[0]);
    return { text, dot, width: ctx.measureText(text).width };
  });
  placedNames(names, dots, chartArea).forEach((place, i) => {
    if (place !== null) ctx.fillText(names[i].text, place.left, (place.top + place.bottom) / 2);
  });
  ctx.restore();
}

// The limit of p99 that a reader moves over a trade-off, by its number or by dragging the line: who serves how much below it.

/** p99 in the unit of the axis; null where the chart has no limit. */
export function limitOf(canvas: HTMLCanvasElement): number | null {
  const limit = Number(inputOf(canvas)?.value);
  return limit > 0 ? limit : null;
}

function inputOf(canvas: HTMLCanvasElement): HTMLInputElement | null {
  return canvas.closest(".panel")?.querySelector<HTMLInputElement>("input[name=limit]") ?? null;
}

/** A press so near to the line moves it. */
const NEAR_PX = 14;

export function equipLimits(drawings: Drawings): void {
  for (const form of document.querySelectorAll<HTMLFormElement>(".panel form.limit")) {
    const canvas = form.closest(".panel")?.querySelector("canvas");
    if (!canvas || equipped.has(form)) continue;
    equipped.add(form);
    equip(form, canvas, drawings);
  }
}

const equipped = new WeakSet<HTMLFormElement>();

function equip(form: HTMLFormElement, canvas: HTMLCanvasElement, drawings: Drawings): void {
  const input = inputOf(canvas);
  const chart = chartOf(canvas.id);
  if (input === null || chart?.kind !== "tradeoff") return;
  if (input.value === "") input.value = String(firstLimit(chart));
  const show = (): void => {
    const output = form.querySelector("output");
    if (output) output.textContent = servedText(chart, Number(input.value));
    drawings.of(canvas)?.draw();
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  const moveTo = (offsetPx: number): void => {
    const value = drawings.of(canvas)?.scales.y.getValueForPixel(offsetPx) ?? 0;
    if (!(value > 0)) return;
    input.value = String(Number(value.toPrecision(2)));
    show();
  };
  canvas.addEventListener("pointerdown", (event) => {
    const at = drawings.of(canvas)?.scales.y.getPixelForValue(Number(input.value)) ?? Infinity;
    if (Math.abs(event.offsetY - at) <= NEAR_PX) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (canvas.hasPointerCapture(event.pointerId)) moveTo(event.offsetY);
  });
  show();
}

/** Round, and between the lowest p99 and the highest. */
function firstLimit({ series }: TradeoffChart): number {
  const values = series.flatMap(({ points }) => points.map(({ y }) => y));
  return Number(Math.sqrt(Math.min(...values) * Math.max(...values)).toPrecision(1));
}

/** `cached: at most 15,386/s; plain: at most 744/s` of the measured cells. */
function servedText({ series, y }: TradeoffChart, limit: number): string {
  if (!(limit > 0)) return "";
  const served = series.map(({ label, points }) => {
    const kept = points.filter((point) => point.y <= limit);
    const most = Math.max(0, ...kept.map(({ x }) => x));
    return most === 0 ? `${label}: never` : `${label}: at most ${formatNumber(most)}/s`;
  });
  return `Measured with p99 under ${formatTick(limit)} ${y.unit}: ${served.join("; ")}.`;
}
