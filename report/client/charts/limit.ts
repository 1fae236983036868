/// <reference lib="dom" />
/**
 * A limit that the reader moves across a chart by typing a number or dragging a line, and the text that says what each
 * series achieves within it.
 */
import type { Scale } from "chart.js";
import type { Xy, XySeries } from "../../chart.ts";
import { formatNumber, formatPercent, formatTick } from "../../writing/units.ts";
import { isShownLabel } from "../linked/choice.ts";
import type { Drawings } from "./drawings.ts";
import { chartOf } from "./page_data.ts";

/** The chosen limit in the unit of its axis; null if none is chosen, or if the chart has no control for a limit. */
export function limitOf(canvas: HTMLCanvasElement): number | null {
  const form = canvas.parentElement?.nextElementSibling;
  if (!form?.matches(".limit")) return null;
  const limit = Number(form.querySelector<HTMLInputElement>("[name=limit]")?.value);
  return limit > 0 ? limit : null;
}

const equipped = new WeakSet<HTMLFormElement>();

export function equipLimits(drawings: Drawings): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.limit")) {
    const canvas = form.previousElementSibling?.querySelector("canvas");
    const chart = canvas && chartOf(canvas.id);
    if (equipped.has(form) || !canvas || chart?.kind !== "xy" || !chart.limit) continue;
    equipped.add(form);
    equip(form, canvas, { chart, drawings });
  }
}

/** Pressing within this distance of the line starts dragging it. */
const NEAR_PX = 14;

function equip(
  form: HTMLFormElement,
  canvas: HTMLCanvasElement,
  { chart, drawings }: { readonly chart: Xy; readonly drawings: Drawings },
): void {
  const axis = chart.limit?.axis ?? "x";
  const input = form.querySelector<HTMLInputElement>("[name=limit]");
  const output = form.querySelector("output");
  if (input === null || output === null) return;
  const follow = (): void => {
    output.textContent = textOf(chart, Number(input.value));
  };
  const show = (): void => {
    follow();
    drawings.draw(canvas);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", show);
  const scaleOf = (): Scale | undefined => drawings.of(canvas)?.scales[axis];
  const offsetOf = ({ offsetX, offsetY }: PointerEvent): number => axis === "x" ? offsetX : offsetY;
  canvas.addEventListener("pointerdown", (event) => {
    const at = scaleOf()?.getPixelForValue(Number(input.value)) ?? Infinity;
    if (Math.abs(offsetOf(event) - at) <= NEAR_PX) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const value = scaleOf()?.getValueForPixel(offsetOf(event)) ?? 0;
    if (!canvas.hasPointerCapture(event.pointerId) || !(value > 0)) return;
    input.value = String(Number(value.toPrecision(2)));
    show();
  });
  addEventListener("chosen", follow);
  follow();
}

/**
 * What each series achieves within the limit, such as `98.1 % of quiet; 86.0 % of logging.` For a limit on the y axis:
 * `Measured with p99 under 4 ms: plain: at most 744 requests/s.`
 */
function textOf(chart: Xy, limit: number): string {
  if (!(limit > 0) || !chart.limit) return "";
  const shown = chart.series.filter(({ label }) => isShownLabel(label));
  if (chart.limit.axis === "x") {
    const texts = shown.map((one) => `${shareWithin(chart, one, limit)} of ${one.label}`);
    return texts.length === 0 ? "" : `${texts.join("; ")}.`;
  }
  const served = shown.filter(({ label }) => label !== "").map(({ points = [], label }) => {
    const most = Math.max(0, ...points.filter(({ y }) => y <= limit).map(({ x }) => x));
    return `${label}: ${most === 0 ? "never" : `at most ${formatNumber(most)} ${chart.x.title}`}`;
  });
  const where = `Measured with ${chart.limit.label} ${formatTick(limit)} ${chart.y.unit}`;
  return `${where}: ${served.join("; ")}.`;
}

/**
 * Share of a series' values within the limit, such as `97.3 %`. Marked with `≥` if more values may lie within the
 * limit, because only lower bounds of these are known.
 */
export function shareWithin(
  { at = [] }: Xy,
  { within = [], boundsFrom = Infinity }: XySeries,
  limit: number,
): string {
  const beyond = at.findIndex((edge) => edge > limit);
  // Below the first edge and above the last, only a bound of the share is known.
  if (beyond === 0) return `≤ ${percentText(within[0])}`;
  if (beyond < 0) return `≥ ${percentText(within[within.length - 1])}`;
  const [from, to] = [within[beyond - 1], within[beyond]];
  const part = Math.log(limit / at[beyond - 1]) / Math.log(at[beyond] / at[beyond - 1]);
  return `${boundsFrom <= beyond - 1 ? "≥ " : ""}${percentText(from + part * (to - from))}`;
}

/** A share in percent. Rounding never turns a smaller share into 100 %. */
function percentText(percent: number): string {
  return `${formatPercent(Math.min(1, percent / 100)).replace(/^[<>] /, "")} %`;
}
