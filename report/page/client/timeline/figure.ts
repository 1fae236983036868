/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The timelines of one scenario: which cells, runs and percentiles are shown, which range of time is selected,
 * and the figures recomputed for it.
 */
import { Chart as Drawing } from "chart.js";
import { type Axis, sectionOf, type TimelineChart } from "../../../model/charts/charts.ts";
import type { Drawings } from "../charts/drawings.ts";
import { chartOf } from "../charts/page_data.ts";
import type { Theme } from "../charts/theme.ts";
import { isShownLabel } from "../linked/choice.ts";
import { indexOf, momentAt, placeAt } from "./axis.ts";
import { timelineConfig } from "./chart.ts";
import type { Marks } from "./marks.ts";
import {
  selectedElements,
  selectedOf,
  selectedSentence,
  type Steps,
  stepsOf,
} from "./selection.ts";
import { latencyAxisOf, linkTo, readLink, shownOf, type View, WHOLE } from "./view.ts";
import { ViewForm } from "./view_form.ts";

/** After the last change so long, the figures are read out and the link is renewed. */
const REST_MS = 300;

class TimelineFigure {
  readonly section: string;
  readonly #element: HTMLElement;
  readonly #canvases: readonly HTMLCanvasElement[];
  readonly #drawings: Drawings;
  readonly #form: ViewForm;
  readonly #percentiles: readonly string[];
  readonly #marks: Marks = { range: null, isDragged: false };
  #view: View = WHOLE;
  #axis: Axis | null = null;
  #moment: string | null = null;
  #steps: Promise<Steps> | null = null;
  #frame = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement, form: HTMLFormElement, drawings: Drawings) {
    this.section = sectionOf(element.id);
    this.#element = element;
    this.#drawings = drawings;
    this.#canvases = [...element.querySelectorAll("canvas")];
    this.#percentiles = [...form.querySelectorAll<HTMLInputElement>("input[name=percentile]")]
      .map((box) => box.parentElement?.textContent?.trim() ?? "");
    this.#form = new ViewForm(form, this.#percentiles, (view) => this.#show(view));
    element.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.#view.range !== null) {
        this.show({ ...this.#view, range: null });
      }
    });
    for (const canvas of this.#canvases) this.#listen(canvas);
  }

  /** Shows the view of a link, or that after a drag. */
  show(view: View): void {
    this.#form.view = view;
    this.#show(this.#form.view);
  }

  scrollIntoView(): void {
    this.#element.scrollIntoView();
  }

  draw(canvas: HTMLCanvasElement, chart: TimelineChart, theme: Theme): Drawing {
    const onHover = (index: number | null): void => this.#hover(canvas, index);
    const shown = { ...shownOf(chart, this.#view), latency: this.#axis ?? chart.latency };
    return new Drawing(canvas, timelineConfig(shown, { theme, marks: this.#marks, onHover }));
  }

  #show(view: View): void {
    const before = this.#view;
    this.#view = view;
    this.#marks.range = view.range;
    const choices = ({ runs, percentiles }: View) => [runs, percentiles].join(";");
    if (choices(before) !== choices(view)) {
      this.#axis = this.#fittedAxis();
      for (const canvas of this.#canvases) this.#drawings.renew(canvas);
    }
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      this.#redraw();
      this.#recompute();
    });
  }

  /** The charts that are shown share it; null where everything is shown. */
  #fittedAxis(): Axis | null {
    const { runs, percentiles } = this.#view;
    const canvases = this.#canvases.filter((canvas) => isShownLabel(labelOf(canvas)));
    const isAll = canvases.length === this.#canvases.length;
    if (runs === null && percentiles === null && isAll) return null;
    const shown = canvases.flatMap((canvas) => this.#shown(canvas) ?? []);
    return shown.length === 0 ? null : latencyAxisOf(shown, shown[0].latency.unit);
  }

  /** Other targets are shown, or compared with; the charts are drawn anew anyway. */
  followChoice(): void {
    this.#axis = this.#fittedAxis();
    if (this.#steps !== null) this.#recompute();
    this.#element.querySelector(".range a")?.setAttribute("href", linkTo(this.section, this.#view));
  }

  #redraw(): void {
    for (const canvas of this.#canvases) this.#drawings.of(canvas)?.draw();
  }

  async #recompute(): Promise<void> {
    this.#steps ??= stepsOf(this.section);
    const selected = selectedOf(await this.#steps, this.#view, this.#percentiles);
    this.#element.querySelector(".selected")?.replaceChildren(...selectedElements(selected));
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      const status = this.#element.querySelector(":scope > [role=status]");
      if (status) status.textContent = selectedSentence(selected);
      this.#link();
    }, REST_MS);
  }

  #link(): void {
    const link = linkTo(this.section, this.#view);
    this.#element.querySelector(".range a")?.setAttribute("href", link);
    history.replaceState(null, "", link);
  }

  #listen(canvas: HTMLCanvasElement): void {
    brush(canvas, {
      at: (offsetPx, run) => {
        const value = this.#drawings.of(canvas)?.scales.x.getValueForPixel(offsetPx);
        const chart = this.#shown(canvas);
        return value === undefined || chart === null ? null : placeAt(chart, value, run);
      },
      onStart: () => {
        this.#marks.isDragged = true;
        this.#hover(null, null);
      },
      onMove: (fromS, toS) => this.#select(fromS, toS),
      onEnd: () => this.#marks.isDragged = false,
    });
    canvas.addEventListener("pointerleave", () => this.#hover(canvas, null));
  }

  /** The whole steps that the pointer touched. */
  #select(fromS: number, toS: number): void {
    const { stepS } = this.#form;
    const first = Math.floor(fromS / stepS + 1e-6);
    const range = {
      fromS: first * stepS,
      toS: Math.max(first + 1, Math.ceil(toS / stepS - 1e-6)) * stepS,
    };
    this.show({ ...this.#view, range });
  }

  #shown(canvas: HTMLCanvasElement): TimelineChart | null {
    const chart = chartOf(canvas.id);
    return chart?.kind === "timeline" ? shownOf(chart, this.#view) : null;
  }

  /** Every chart shows the interval under the pointer, not only the chart that it is on; null ends it. */
  #hover(source: HTMLCanvasElement | null, index: number | null): void {
    const from = source && this.#shown(source);
    const moment = from && index !== null ? momentAt(from, index) : null;
    const name = moment && `${moment.run}:${moment.interval}`;
    if (name === this.#moment) return;
    this.#moment = name;
    for (const canvas of this.#canvases) {
      const drawing = this.#drawings.of(canvas);
      const chart = this.#shown(canvas);
      if (!drawing || canvas === source || chart === null) continue;
      const at = moment && indexOf(chart, moment);
      const active = at === null
        ? []
        : drawing.data.datasets.map((_, datasetIndex) => ({ datasetIndex, index: at }));
      if (active.length === 0 && drawing.getActiveElements().length === 0) continue;
      drawing.setActiveElements(active);
      const { top = 0 } = drawing.chartArea;
      drawing.tooltip?.setActiveElements(active, { x: 0, y: top });
      drawing.draw();
    }
  }
}

/** What the cell of a chart is called. */
function labelOf(canvas: HTMLCanvasElement): string {
  return canvas.closest(".panel")?.querySelector("h4")?.textContent ?? "";
}

/** Figures of timelines of the page, by their section. */
type TimelineFigures = ReadonlyMap<string, TimelineFigure>;

/** @param known Those that stood in the page before. */
export function timelineFigures(
  drawings: Drawings,
  known: TimelineFigures = new Map(),
): TimelineFigures {
  const figures = [...document.querySelectorAll<HTMLElement>("figure.timelines")].flatMap(
    (element) => {
      const form = element.querySelector<HTMLFormElement>("form.view");
      const before = known.get(sectionOf(element.id));
      return form ? [before ?? new TimelineFigure(element, form, drawings)] : [];
    },
  );
  return new Map(figures.map((figure) => [figure.section, figure]));
}

/** Shows the view in the page's address, if it holds one. */
export function followLink(figures: TimelineFigures): void {
  const link = readLink(location.hash);
  const figure = link && figures.get(link.section);
  if (!link || !figure) return;
  figure.show(link.view);
  history.scrollRestoration = "manual"; // or a browser that reloads scrolls back, after us
  figure.scrollIntoView();
}

/// <reference lib="dom" />
// Dragging over a chart, by mouse, pen or finger; a finger that moves up or down still scrolls the page.

interface Brush {
  /** Seconds of the run under the pointer; `run` null looks it up, and the rest of the drag stays in it. */
  at(
    offsetPx: number,
    run: number | null,
  ): { readonly run: number; readonly seconds: number } | null;
  onStart(): void;
  onMove(fromS: number, toS: number): void;
  onEnd(): void;
}

/** A press that moves less is a click. */
const LEAST_PX = 4;

export function brush(canvas: HTMLCanvasElement, { at, onStart, onMove, onEnd }: Brush): void {
  let start: { x: number; run: number; seconds: number } | null = null;
  let isDragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    const place = event.isPrimary && event.button === 0 ? at(event.offsetX, null) : null;
    start = place && { ...place, x: event.offsetX };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (start === null || !event.isPrimary) return;
    if (!isDragged) {
      if (Math.abs(event.offsetX - start.x) < LEAST_PX) return;
      isDragged = true;
      canvas.setPointerCapture(event.pointerId);
      onStart();
    }
    const seconds = at(event.offsetX, start.run)?.seconds ?? start.seconds;
    onMove(Math.min(start.seconds, seconds), Math.max(start.seconds, seconds));
  });
  const end = (): void => {
    start = null;
    if (isDragged) onEnd();
    isDragged = false;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
}
