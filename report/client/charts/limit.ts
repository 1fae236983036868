/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The controls of a chart that the reader moves and chooses in: a limit, by its number or by dragging its line, with what
 * it says of each series; and which of more series than a frame holds are drawn.
 */
import type { Scale } from "chart.js";
import type { Xy, XySeries } from "../../chart.ts";
import { formatNumber, formatPercent, formatTick } from "../../writing/units.ts";
import { isShownLabel } from "../linked/choice.ts";
import type { Drawings } from "./drawings.ts";
import { chartOf } from "./page_data.ts";

/** What the reader chose of a chart. */
export interface XyChoice {
  /** Of the axis that has a limit; null for none. */
  readonly limit: number | null;
  readonly isShown: (label: string) => boolean;
}

/** Of a canvas without controls everything is drawn, and no limit. */
export function choiceOf(canvas: HTMLCanvasElement): XyChoice {
  const form = formOf(canvas);
  const limit = Number(inputOf(form)?.value);
  const drawn = drawnRidges(boxesOf(form));
  const isShown = (label: string): boolean => drawn?.has(label) ?? isShownLabel(label);
  return { limit: limit > 0 ? limit : null, isShown };
}

function formOf(canvas: HTMLCanvasElement): HTMLFormElement | null {
  const after = canvas.parentElement?.nextElementSibling;
  return after instanceof HTMLFormElement && after.matches(".limit") ? after : null;
}

function inputOf(form: HTMLFormElement | null): HTMLInputElement | null {
  return form?.querySelector<HTMLInputElement>("[name=limit]") ?? null;
}

function boxesOf(form: HTMLFormElement | null): HTMLInputElement[] {
  return [...form?.querySelectorAll<HTMLInputElement>("[name=ridge]") ?? []];
}

/** Those that are chosen; the next ones stand in for what is hidden in the whole page. Null: there is no choice. */
function drawnRidges(boxes: readonly HTMLInputElement[]): ReadonlySet<string> | null {
  if (boxes.length === 0) return null;
  const shown = boxes.filter(({ value }) => isShownLabel(value));
  const chosen = shown.filter(({ checked }) => checked);
  const next = shown.filter(({ checked }) => !checked);
  const missing = boxes.filter(({ checked }) => checked).length - chosen.length;
  return new Set([...chosen, ...next.slice(0, missing)].map(({ value }) => value));
}

const equipped = new WeakSet<HTMLFormElement>();

export function equipLimits(drawings: Drawings): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.limit")) {
    const canvas = form.previousElementSibling?.querySelector("canvas");
    const chart = canvas && chartOf(canvas.id);
    if (equipped.has(form) || !canvas || chart?.kind !== "xy" || !chart.limit) continue;
    equipped.add(form);
    equip(form, canvas, { chart, axis: chart.limit.axis, drawings });
  }
}

interface Limited {
  readonly chart: Xy;
  readonly axis: "x" | "y";
  readonly drawings: Drawings;
}

/** A press so near to the line moves it. */
const NEAR_PX = 14;

function equip(
  form: HTMLFormElement,
  canvas: HTMLCanvasElement,
  { chart, axis, drawings }: Limited,
): void {
  const input = inputOf(form);
  const output = form.querySelector("output");
  if (input === null || output === null) return;
  const follow = (): void => {
    // A newer page of a running experiment has a form of its own.
    if (!form.isConnected) return removeEventListener("chosen", follow);
    const choice = choiceOf(canvas);
    for (const box of boxesOf(form)) {
      box.closest("label")?.toggleAttribute("hidden", !isShownLabel(box.value));
      box.indeterminate = !box.checked && choice.isShown(box.value);
    }
    output.textContent = textOf(chart, choice);
  };
  const show = (): void => {
    follow();
    drawings.renew(canvas);
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === "ridge") {
      keepMost(form, target, chart);
    }
    show();
  });
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

/** Of one too many the last of the others goes, one that is hidden anyway before all others. */
function keepMost(
  form: HTMLFormElement,
  pressed: HTMLInputElement,
  { mostRidges = Infinity }: Xy,
): void {
  const shown = [...form.querySelectorAll<HTMLInputElement>("[name=ridge]:checked")];
  if (shown.length === 0) pressed.checked = true;
  if (shown.length <= mostRidges) return;
  const others = shown.filter((box) => box !== pressed);
  const last = others.findLast(({ value }) => !isShownLabel(value)) ?? others.at(-1);
  if (last !== undefined) last.checked = false;
}

/** `98.1 % of quiet; 86.0 % of logging.` Of points on lines: `Measured with p99 under 4 ms: plain: at most 744 requests/s.` */
function textOf(chart: Xy, { limit, isShown }: XyChoice): string {
  if (limit === null || !chart.limit) return "";
  const shown = chart.series.filter(({ label }) => isShown(label));
  if (chart.limit.axis === "x") {
    const texts = shown.map((one) => `${shareWithin(chart, one, limit)} of ${one.label}`);
    return texts.length === 0 ? "" : `${texts.join("; ")}.`;
  }
  const served = shown.filter(({ points, label }) => points && label !== "").map(
    ({ label, points = [] }) => {
      const most = Math.max(0, ...points.filter(({ y }) => y <= limit).map(({ x }) => x));
      return `${label}: ${most === 0 ? "never" : `at most ${formatNumber(most)} ${chart.x.title}`}`;
    },
  );
  return `Measured with ${chart.limit.label} ${formatTick(limit)} ${chart.y.unit}: ${
    served.join("; ")
  }.`;
}

/** `97.3 %`, of all; `≥` where some of unknown value may lie within the limit, too. */
export function shareWithin(
  { at = [] }: Xy,
  { within = [], boundsFrom = Infinity }: XySeries,
  limit: number,
): string {
  const beyond = at.findIndex((edge) => edge > limit);
  // Before the axis begins, nothing is known but how few are as fast.
  if (beyond === 0) return `≤ ${percentText(within[0])}`;
  if (beyond < 0) return `≥ ${percentText(within[within.length - 1])}`;
  const [from, to] = [within[beyond - 1], within[beyond]];
  const part = Math.log(limit / at[beyond - 1]) / Math.log(at[beyond] / at[beyond - 1]);
  return `${boundsFrom <= beyond - 1 ? "≥ " : ""}${percentText(from + part * (to - from))}`;
}

/** Never all of them by rounding alone. */
function percentText(percent: number): string {
  return `${formatPercent(Math.min(1, percent / 100)).replace(/^[<>] /, "")} %`;
}
