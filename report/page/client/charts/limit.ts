/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The limit of p99 that a reader moves over a trade-off, by its number or by dragging the line: who serves how much below it. */
import type { TradeoffChart } from "../../../model/charts/charts.ts";
import { formatNumber, formatTick } from "../../../model/numbers/units.ts";
import type { Drawings } from "./drawings.ts";
import { chartOf } from "./page_data.ts";

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
  for (const form of document.querySelectorAll<HTMLFormElement>("form.limit")) {
    const canvas = form.closest(".panel")?.querySelector("canvas");
    if (canvas) equip(form, canvas, drawings);
  }
}

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
