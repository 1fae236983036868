/// <reference lib="dom" />
/**
 * Decides when charts are drawn: those on the screen immediately, and all others in idle time, so that a screenshot or
 * a printout of the whole page has them. All are redrawn if colours change.
 */
import { Chart as Drawing } from "chart.js";
import type { Chart } from "../../chart.ts";
import { linkedChart } from "./linked_charts.ts";
import { chartOf } from "./page_data.ts";
import { type Theme, useTheme } from "./theme.ts";

type DrawChart = (canvas: HTMLCanvasElement, chart: Chart, theme: Theme) => Drawing | null;

/** Waiting charts within this distance of the screen are drawn before all others. */
const NEAR_PX = 400;
const TURN_MS = 40;
const PAPER_PIXEL_RATIO = 2;

export class Drawings {
  readonly #drawn = new Map<HTMLCanvasElement, Drawing>();
  readonly #waiting = new Set<HTMLCanvasElement>();
  /** Observes canvases to notice when one appears or disappears. Chart.js itself adapts drawn charts to a new size. */
  readonly #shown = new ResizeObserver((entries) => this.#onShown(entries));
  #theme: Theme = useTheme();
  #turn: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly drawingOf: DrawChart) {}

  start(): void {
    this.restart();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.#theme = useTheme();
      for (const canvas of this.#drawn.keys()) this.draw(canvas);
    });
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  /**
   * Draws every canvas of the page after canvases were replaced or the choice of targets changed. Those on the screen
   * are drawn immediately, so that nothing flickers.
   */
  restart(): void {
    // Hide charts of which all targets are hidden.
    for (const canvas of document.querySelectorAll("canvas")) {
      const chart = chartOf(canvas.id);
      canvas.parentElement?.toggleAttribute("hidden", chart && linkedChart(chart) === null);
    }
    for (const canvas of this.#drawn.keys()) if (!canvas.isConnected) this.#forget(canvas);
    for (const canvas of document.querySelectorAll("canvas")) {
      this.#shown.observe(canvas);
      if (isNearScreen(canvas, 0)) this.draw(canvas);
      else this.#waiting.add(canvas);
    }
    this.#drawInTurns();
  }

  /** The drawing on a canvas; undefined if there is none yet. */
  of(canvas: HTMLCanvasElement): Drawing | undefined {
    return this.#drawn.get(canvas);
  }

  /** Repaints the charts on the screen with the data that they already have. */
  redraw(): void {
    for (const [canvas, drawing] of this.#drawn) if (isNearScreen(canvas, 0)) drawing.draw();
  }

  #onShown(entries: readonly ResizeObserverEntry[]): void {
    for (const { target, contentRect: { width, height } } of entries) {
      if (!(target instanceof HTMLCanvasElement)) continue;
      if (!target.isConnected) this.#forget(target);
      else if (width === 0 || height === 0) this.#waiting.delete(target);
      else if (!this.#drawn.has(target)) this.#waiting.add(target);
    }
    this.#drawInTurns();
  }

  /**
   * Draws charts near the screen first and all others in idle time, a few at a time, so that the page stays responsive.
   */
  #drawInTurns(): void {
    clearTimeout(this.#turn);
    const endMs = performance.now() + TURN_MS;
    const near = [...this.#waiting].filter((canvas) => isNearScreen(canvas, NEAR_PX));
    for (const canvas of near.length > 0 ? near : this.#waiting) {
      if (performance.now() >= endMs) break;
      this.draw(canvas);
    }
    if (near.some((canvas) => this.#waiting.has(canvas))) {
      this.#turn = setTimeout(() => this.#drawInTurns());
      return;
    }
    // Tells the style sheet that all charts near the screen are drawn.
    document.documentElement.dataset.charts = "drawn";
    if (this.#waiting.size > 0) inIdleTime(() => this.#drawInTurns());
  }

  #forget(canvas: HTMLCanvasElement): void {
    this.#shown.unobserve(canvas);
    this.#waiting.delete(canvas);
    this.#drawn.get(canvas)?.destroy();
    this.#drawn.delete(canvas);
  }

  /** Draws a chart. One that has been hidden meanwhile is drawn when it is next shown. */
  draw(canvas: HTMLCanvasElement): void {
    this.#waiting.delete(canvas);
    this.#drawn.get(canvas)?.destroy();
    const whole = canvas.checkVisibility() ? chartOf(canvas.id) : undefined;
    const chart = whole && linkedChart(whole);
    const drawing = chart && this.drawingOf(canvas, chart, this.#theme);
    if (drawing) this.#drawn.set(canvas, drawing);
    else this.#drawn.delete(canvas);
  }

  /** Switches to or from printing: paper has another width, no dark mode, and needs sharper canvases. */
  #print(printing: boolean): void {
    document.documentElement.classList.toggle("printing", printing);
    fitTables(printing);
    Drawing.defaults.devicePixelRatio = Math.max(
      printing ? PAPER_PIXEL_RATIO : 1,
      devicePixelRatio,
    );
    this.#theme = useTheme();
    for (const canvas of document.querySelectorAll("canvas")) this.draw(canvas);
  }
}

function isNearScreen(canvas: HTMLCanvasElement, px: number): boolean {
  const { top, bottom, width } = canvas.getBoundingClientRect();
  return width > 0 && top < innerHeight + px && bottom > -px;
}

/** Runs work in idle time. Safari can't tell when it is idle, so there the work runs after a short delay. */
function inIdleTime(work: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: 200 });
  else setTimeout(work, 50);
}

/**
 * Scales down each table that is too wide for paper, because the browser would otherwise shrink the whole page. If
 * `printing` is false, restores the original size.
 */
function fitTables(printing: boolean): void {
  for (const table of document.querySelectorAll<HTMLElement>(".scroll table")) {
    table.style.zoom = "";
    const room = table.parentElement?.clientWidth ?? 0;
    const width = table.offsetWidth;
    if (printing && room > 0 && width > room) table.style.zoom = String(room / (width + 1));
  }
}
