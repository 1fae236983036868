/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * When charts are drawn: each as it comes near the screen, all of them before print, those on screen anew in
 * other colours.
 */
import { Chart as Drawing } from "chart.js";
import type { Chart } from "../../subjects/charts/charts.ts";
import { chartOf } from "./page_data.ts";
import { readTheme, type Theme } from "./theme.ts";

type DrawChart = (canvas: HTMLCanvasElement, chart: Chart, theme: Theme) => Drawing | null;

/** Charts this near to the screen are drawn, so that they are finished when scrolled into view. */
const NEAR = "400px";
const TURN_MS = 40;

export class Drawings {
  readonly #draw: DrawChart;
  readonly #drawn = new Map<HTMLCanvasElement, Drawing>();
  readonly #waiting = new Set<HTMLCanvasElement>();
  readonly #observer: IntersectionObserver;
  #theme: Theme = readTheme();
  #turn: ReturnType<typeof setTimeout> | undefined;

  constructor(draw: DrawChart) {
    this.#draw = draw;
    this.#observer = new IntersectionObserver((entries) => this.#onNear(entries), {
      rootMargin: NEAR,
    });
  }

  /** Draws the charts on screen, and the others as they come near; then marks the page as drawn. */
  start(): void {
    this.observe();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#renew());
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  /** After the page's canvases were replaced: draws those on screen at once, so that nothing flickers. */
  restart(): void {
    this.#observer.disconnect();
    this.#waiting.clear();
    for (const drawing of this.#drawn.values()) drawing.destroy();
    this.#drawn.clear();
    for (const canvas of this.observe()) if (isOnScreen(canvas)) this.#drawNow(canvas);
  }

  /** The drawing of a canvas; undefined before it came near the screen. */
  of(canvas: HTMLCanvasElement): Drawing | undefined {
    return this.#drawn.get(canvas);
  }

  /** Draws a canvas anew, if it was drawn at all. */
  renew(canvas: HTMLCanvasElement): void {
    if (this.#drawn.has(canvas)) this.#drawNow(canvas);
  }

  /** Draws again what is on the screen, as it is. */
  redraw(): void {
    for (const [canvas, drawing] of this.#drawn) if (isOnScreen(canvas)) drawing.draw();
  }

  /** Draws each canvas of the page as it comes near the screen; those that it knows as before. */
  observe(): NodeListOf<HTMLCanvasElement> {
    const canvases = document.querySelectorAll("canvas");
    for (const canvas of canvases) {
      if (!this.#drawn.has(canvas)) this.#observer.observe(canvas);
    }
    if (canvases.length === 0) this.#settle();
    return canvases;
  }

  #onNear(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (!(target instanceof HTMLCanvasElement) || this.#drawn.has(target)) continue;
      if (isIntersecting) this.#waiting.add(target);
      else this.#waiting.delete(target);
    }
    this.#drawInTurns();
  }

  /** A few charts at a time, so that the page stays responsive. */
  #drawInTurns(): void {
    clearTimeout(this.#turn);
    const endMs = performance.now() + TURN_MS;
    for (const canvas of this.#waiting) {
      if (performance.now() >= endMs) break;
      this.#drawNow(canvas);
    }
    if (this.#waiting.size > 0) this.#turn = setTimeout(() => this.#drawInTurns());
    else this.#settle();
  }

  #settle(): void {
    document.documentElement.dataset.charts = "drawn";
  }

  #drawNow(canvas: HTMLCanvasElement): void {
    this.#waiting.delete(canvas);
    this.#observer.unobserve(canvas);
    this.#drawn.get(canvas)?.destroy();
    const chart = chartOf(canvas.id);
    const drawing = chart && this.#draw(canvas, chart, this.#theme);
    if (drawing) this.#drawn.set(canvas, drawing);
    else this.#drawn.delete(canvas);
  }

  #renew(): void {
    this.#theme = readTheme();
    for (const canvas of this.#drawn.keys()) this.#drawNow(canvas);
  }

  /** Paper has its own width and no dark; sharper canvases, too. */
  #print(printing: boolean): void {
    document.documentElement.classList.toggle("printing", printing);
    fitTables(printing);
    Drawing.defaults.devicePixelRatio = printing ? Math.max(2, devicePixelRatio) : devicePixelRatio;
    this.#theme = readTheme();
    for (const canvas of document.querySelectorAll("canvas")) {
      if (canvas.checkVisibility()) this.#drawNow(canvas);
    }
  }
}

function isOnScreen(canvas: HTMLCanvasElement): boolean {
  const { top, bottom } = canvas.getBoundingClientRect();
  return top < innerHeight && bottom > 0;
}

/**
 * Scales each table that is too wide for paper, which scrolls nothing and would shrink the whole page for it;
 * `false` undoes that.
 */
function fitTables(printing: boolean): void {
  for (const table of document.querySelectorAll<HTMLElement>(".scroll table")) {
    table.style.zoom = "";
    const room = table.parentElement?.clientWidth ?? 0;
    const width = table.offsetWidth;
    if (printing && room > 0 && width > room) table.style.zoom = String(room / (width + 1));
  }
}
