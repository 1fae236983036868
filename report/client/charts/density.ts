/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * How the latencies of the cells are distributed, on a logarithmic axis: one outlined area each. Two lie over each
 * other; more are ridges, one above the other, as many as a frame holds. A limit that the reader moves reads what
 * share of the requests lies within it.
 */
import type { Chart, ChartConfiguration, Point } from "chart.js";
import { type DensityChart } from "../../subjects/charts/charts.ts";
import { formatNumber, formatPercent } from "../../writing/units.ts";
import { isShownLabel } from "../linked/choice.ts";
import type { Drawings } from "./drawings.ts";
import { chartOf } from "./page_data.ts";
import { type AxisOptions, valueScale } from "./scales.ts";
import { faded, type Theme, tooltip } from "./theme.ts";

type DensitySeries = DensityChart["series"][number];

const WIDE_AXIS_TICKS = 7;

/** What the reader chose of a chart. */
interface DensityChoice {
  /** In the unit of the axis; null for none. */
  readonly limit: number | null;
  readonly isShown: (label: string) => boolean;
}

export function densityConfig(
  data: DensityChart,
  theme: Theme,
  { limit, isShown }: DensityChoice,
): ChartConfiguration<"line", Point[]> {
  const shown = data.series.filter(({ label }) => isShown(label));
  const most = Math.max(...shown.flatMap(({ shares }) => shares));
  const areRidges = shown.length > MOST_OVERLAID;
  const baseOf = (one: DensitySeries): number =>
    areRidges ? Math.max(0, shown.length - 1 - shown.indexOf(one)) : 0;
  const scale = areRidges ? RIDGE / most : 1;
  return {
    type: "line",
    data: {
      datasets: data.series.map((one) => ({
        label: one.label,
        data: stepsOf(data.edges, one.shares.map((share) => baseOf(one) + share * scale)),
        hidden: !isShown(one.label),
        stepped: "after",
        fill: { value: baseOf(one) },
        // The lowest ridge is in front of those above it.
        order: baseOf(one),
        borderColor: theme.series(one.color),
        borderWidth: 1.75,
        backgroundColor: faded(theme.series(one.color), areRidges ? 0.3 : 0.14),
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: { mode: "index", intersect: false },
      elements: { point: { radius: 0, hoverRadius: 0 } },
      scales: {
        x: valueScale(data.axis, theme, WIDE_AXIS_TICKS),
        y: areRidges ? ridgeScale(shown.length, theme) : shareScale(most, theme),
      },
      plugins: {
        tooltip: {
          ...tooltip(theme),
          callbacks: {
            title: ([item]) => item ? stepText(data, item.dataIndex) : "",
            label: ({ datasetIndex, dataIndex }) =>
              stepShares(data, data.series[datasetIndex], dataIndex),
          },
        },
      },
    },
    plugins: [{
      id: "distribution",
      afterDatasetsDraw: (chart) => {
        if (areRidges) drawNames(chart, shown, theme);
        drawLimit(chart, limit, theme);
      },
    }],
  };
}

const MOST_OVERLAID = 2;
/** Height of the highest ridge, in distances between ridges. */
const RIDGE = 1.7;

function ridgeScale(count: number, theme: Theme): AxisOptions {
  const max = count - 1 + RIDGE * 1.03;
  const scale = valueScale({ unit: "", scale: "linear", min: 0, max }, theme);
  return {
    ...scale,
    afterBuildTicks: (drawn) => {
      drawn.ticks = Array.from({ length: count }, (_, value) => ({ value }));
    },
    ticks: { ...scale.ticks, callback: () => "" },
  };
}

function shareScale(most: number, theme: Theme): AxisOptions {
  return valueScale({ unit: "%", scale: "linear", min: 0, max: most * 1.05 }, theme);
}

/** At the right end of each ridge, where it is low. */
function drawNames(chart: Chart, shown: readonly DensitySeries[], theme: Theme): void {
  const { ctx, chartArea: { right }, scales: { y } } = chart;
  ctx.save();
  ctx.font = `12px ${theme.font}`;
  ctx.textAlign = "right";
  ctx.lineWidth = 3;
  ctx.strokeStyle = theme.paper;
  ctx.fillStyle = theme.ink;
  shown.forEach(({ label }, i) => {
    const at = y.getPixelForValue(shown.length - 1 - i) - 5;
    ctx.strokeText(label, right - 4, at);
    ctx.fillText(label, right - 4, at);
  });
  ctx.restore();
}

function drawLimit(
  { ctx, chartArea: { top, bottom, left, right }, scales: { x } }: Chart,
  limit: number | null,
  theme: Theme,
): void {
  const at = limit === null ? NaN : x.getPixelForValue(limit);
  if (!(at >= left && at <= right)) return;
  ctx.save();
  ctx.strokeStyle = theme.alarm;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(at, top);
  ctx.lineTo(at, bottom);
  ctx.stroke();
  ctx.restore();
}

/** A point at the start of each step, and one at the end of the last. */
function stepsOf(edges: readonly number[], shares: readonly number[]): Point[] {
  return edges.map((x, i) => ({ x, y: shares[Math.min(i, shares.length - 1)] }));
}

function stepText({ edges, axis }: DensityChart, index: number): string {
  const i = Math.min(index, edges.length - 2);
  return `${formatNumber(edges[i])}–${formatNumber(edges[i + 1])} ${axis.unit}`;
}

function stepShares(data: DensityChart, one: DensitySeries, index: number): string {
  const i = Math.min(index, data.edges.length - 2);
  const to = data.edges[i + 1];
  const within = `${shareWithin(data, one, to)} within ${formatNumber(to)} ${data.axis.unit}`;
  return `${one.label}: ${formatNumber(one.shares[i])} %, ${within}`;
}

// The limit that a reader moves, and the choice of what is drawn.

/** `97.3 %`, of all requests; `≥` where some of unknown latency may lie within the limit, too. */
function shareWithin({ edges }: DensityChart, one: DensitySeries, limit: number): string {
  const beyond = edges.findIndex((edge) => edge > limit);
  // Before the axis begins, nothing is known but how few are as fast.
  if (beyond === 0) return `≤ ${percentText(one.below * one.completed)}`;
  const whole = beyond < 0 ? one.shares.length : beyond - 1;
  const before = one.shares.slice(0, whole).reduce((sum, share) => sum + share, one.below);
  const part = beyond < 0
    ? 0
    : Math.log(limit / edges[whole]) / Math.log(edges[beyond] / edges[whole]);
  const share = (before + part * (one.shares[whole] ?? 0)) * one.completed;
  const isAtLeast = beyond < 0 || (one.boundsFrom ?? Infinity) <= whole;
  return `${isAtLeast ? "≥ " : ""}${percentText(share)}`;
}

/** Never all of them by rounding alone. */
function percentText(percent: number): string {
  return `${formatPercent(Math.min(1, percent / 100)).replace(/^[<>] /, "")} %`;
}

/** Of a canvas without controls everything is drawn, and no limit. */
export function densityChoice(canvas: HTMLCanvasElement): DensityChoice {
  const form = canvas.closest("figure")?.querySelector<HTMLFormElement>("form.within");
  const limit = Number(form?.querySelector<HTMLInputElement>("[name=limit]")?.value);
  const drawn = drawnRidges(boxesOf(form ?? null));
  const isShown = (label: string): boolean => drawn?.has(label) ?? isShownLabel(label);
  return { limit: limit > 0 ? limit : null, isShown };
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
/** A press so near to the line moves it. */
const NEAR_PX = 14;

export function equipDistributions(drawings: Drawings): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.within")) {
    const canvas = form.closest("figure")?.querySelector("canvas");
    const chart = canvas && chartOf(canvas.id);
    if (equipped.has(form) || !canvas || chart?.kind !== "density") continue;
    equipped.add(form);
    equip(form, canvas, { chart, drawings });
  }
}

function equip(
  form: HTMLFormElement,
  canvas: HTMLCanvasElement,
  { chart, drawings }: { readonly chart: DensityChart; readonly drawings: Drawings },
): void {
  const follow = (): void => {
    // A newer page of a running experiment has a form of its own.
    if (!form.isConnected) return removeEventListener("chosen", follow);
    const choice = densityChoice(canvas);
    for (const box of boxesOf(form)) {
      box.closest("label")?.toggleAttribute("hidden", !isShownLabel(box.value));
      box.indeterminate = !box.checked && choice.isShown(box.value);
    }
    showShares(form, chart, choice);
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
  const input = form.querySelector<HTMLInputElement>("[name=limit]");
  const scaleOf = (): Chart["scales"][string] | undefined => drawings.of(canvas)?.scales.x;
  canvas.addEventListener("pointerdown", (event) => {
    const at = scaleOf()?.getPixelForValue(Number(input?.value)) ?? Infinity;
    if (Math.abs(event.offsetX - at) <= NEAR_PX) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", ({ pointerId, offsetX }) => {
    const value = scaleOf()?.getValueForPixel(offsetX) ?? 0;
    if (!canvas.hasPointerCapture(pointerId) || !(value > 0) || input === null) return;
    input.value = String(Number(value.toPrecision(2)));
    show();
  });
  addEventListener("chosen", follow);
  follow();
}

/** Of one too many the last of the others goes, one that is hidden anyway before all others. */
function keepMost(form: HTMLFormElement, pressed: HTMLInputElement, { most }: DensityChart): void {
  const shown = [...form.querySelectorAll<HTMLInputElement>("[name=ridge]:checked")];
  if (shown.length === 0) pressed.checked = true;
  if (shown.length <= most) return;
  const others = shown.filter((box) => box !== pressed);
  const last = others.findLast(({ value }) => !isShownLabel(value)) ?? others.at(-1);
  if (last !== undefined) last.checked = false;
}

/** `98.1 % of quiet; 86.0 % of logging.` */
function showShares(form: HTMLFormElement, chart: DensityChart, choice: DensityChoice): void {
  const output = form.querySelector("output");
  const { limit, isShown } = choice;
  if (output === null) return;
  const shown = limit === null ? [] : chart.series.filter(({ label }) => isShown(label));
  const texts = shown.map((one) => `${shareWithin(chart, one, limit ?? 0)} of ${one.label}`);
  output.textContent = texts.length === 0 ? "" : `${texts.join("; ")}.`;
}
