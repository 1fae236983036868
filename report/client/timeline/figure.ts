/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * The timelines of one scenario: which cells, runs and percentiles are shown, which range of time is selected,
 * and the figures recomputed for it.
 */
import { Chart as Drawing } from "chart.js";
import { type Axis, type Heatmap, type Overlay, sectionOf, type Timeline } from "../../chart.ts";
import type { Drawings } from "../charts/drawings.ts";
import { chartOf } from "../charts/page_data.ts";
import type { Theme } from "../charts/theme.ts";
import { isShownLabel, linkedItems, markTarget } from "../linked/choice.ts";
import { indexOf, middleOf, momentAt, type RunMoment, type RunsAxis } from "./axis.ts";
import { timelineConfig } from "./chart.ts";
import { type Marks, momentOf } from "./marks.ts";
import { HeatmapFigure } from "./heatmap.ts";
import { overlaidRuns, overlayConfig, type ShownTarget, targetAt } from "./overlay.ts";
import {
  partOf,
  selectedElements,
  selectedOf,
  selectedSentence,
  type Steps,
  stepsOf,
} from "./selection.ts";
import { followSelection } from "./whole_run.ts";
import { latencyAxisOf, linkTo, readLink, shownOf, type View, WHOLE } from "./view.ts";
import { brush, ViewForm } from "./view_form.ts";

/** After the last change so long, the figures are read out and the link is renewed. */
const REST_MS = 300;

class TimelineFigure {
  readonly section: string;
  readonly #element: HTMLElement;
  readonly #canvases: readonly HTMLCanvasElement[];
  /** Those of the targets, one each, in the order of their positions. */
  readonly #panels: readonly HTMLCanvasElement[];
  readonly #drawings: Drawings;
  readonly #heatmaps: HeatmapFigure | null;
  readonly #form: ViewForm;
  readonly #percentiles: readonly string[];
  readonly #marks: Marks = { range: null, moment: null, track: null };
  #view: View = WHOLE;
  #axis: Axis | null = null;
  #isDragged = false;
  /** Whether the figures of a view have been looked at. */
  #isRecomputed = false;
  #steps: Promise<Steps> | null = null;
  #frame = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(element: HTMLElement, form: HTMLFormElement, drawings: Drawings) {
    this.section = sectionOf(element.id);
    this.#element = element;
    this.#drawings = drawings;
    this.#canvases = [...element.querySelectorAll("canvas")];
    this.#panels = [...element.querySelectorAll<HTMLCanvasElement>("canvas:not([id$=-overlay])")];
    this.#percentiles = [...form.querySelectorAll<HTMLInputElement>("input[name=percentile]")]
      .map((box) => box.parentElement?.textContent?.trim() ?? "");
    this.#form = new ViewForm(form, this.#percentiles, (view) => this.#show(view));
    element.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.#view.range !== null) {
        this.show({ ...this.#view, range: null });
      }
    });
    for (const canvas of this.#canvases) this.#listen(canvas);
    const heatmaps = document.getElementById(`${this.section}-heatmap`);
    this.#heatmaps = heatmaps && new HeatmapFigure(heatmaps, {
      drawings,
      steps: () => this.#unpacked(),
      onMoment: (moment) => this.#point(moment),
    });
  }

  /** Shows the view of a link, or that after a drag. */
  show(view: View): void {
    this.#form.view = view;
    this.#show(this.#form.view);
  }

  scrollIntoView(): void {
    this.#element.scrollIntoView();
  }

  /** Null where nothing of the chart is shown. */
  draw(
    canvas: HTMLCanvasElement,
    chart: Timeline | Overlay | Heatmap,
    theme: Theme,
  ): Drawing | null {
    if (chart.kind === "heatmap") return this.#heatmaps?.draw(canvas, chart, theme) ?? null;
    if (chart.kind === "timeline") {
      return new Drawing(canvas, timelineConfig(this.#fitted(chart), theme, this.#marks));
    }
    const shown = this.#targets(chart);
    return shown.length === 0
      ? null
      : new Drawing(canvas, overlayConfig(shown, theme, this.#marks));
  }

  #show(view: View): void {
    const before = this.#view;
    this.#view = view;
    this.#marks.range = view.range;
    this.#heatmaps?.show(view);
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
    const panels = this.#panels.filter((canvas) => isShownLabel(labelOf(canvas)));
    if (runs === null && percentiles === null && panels.length === this.#panels.length) return null;
    const shown = panels.flatMap(({ id }) => {
      const chart = chartOf(id);
      return chart?.kind === "timeline" ? [shownOf(chart, this.#view)] : [];
    });
    return shown.length === 0 ? null : latencyAxisOf(shown, shown[0].latency.unit);
  }

  /** Other targets are shown, or compared with; the charts are drawn anew anyway. */
  followChoice(): void {
    this.#axis = this.#fittedAxis();
    if (this.#isRecomputed) this.#recompute();
    this.#element.querySelector(".range a")?.setAttribute("href", linkTo(this.section, this.#view));
  }

  #redraw(): void {
    for (const canvas of this.#canvases) this.#drawings.of(canvas)?.draw();
  }

  async #recompute(): Promise<void> {
    this.#isRecomputed = true;
    const steps = await this.#unpacked();
    const selected = selectedOf(steps, this.#view, this.#percentiles);
    this.#element.querySelector(".selected")?.replaceChildren(...selectedElements(selected));
    followSelection(this.section, partOf(steps, this.#view), this.#drawings);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      const status = this.#element.querySelector(":scope > [role=status]");
      if (status) status.textContent = selectedSentence(selected);
      this.#link();
    }, REST_MS);
  }

  #unpacked(): Promise<Steps> {
    return this.#steps ??= stepsOf(this.section);
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
        const axis = this.#axisOf(canvas);
        return value === undefined || axis === null ? null : momentAt(axis, value, run);
      },
      onStart: () => {
        this.#isDragged = true;
        this.#point(null);
      },
      onMove: (fromS, toS) => this.#select(fromS, toS),
      onEnd: () => this.#isDragged = false,
    });
    const follow = (event: PointerEvent): void => this.#follow(canvas, event);
    canvas.addEventListener("pointermove", follow);
    canvas.addEventListener("pointerdown", follow);
    canvas.addEventListener("pointerleave", () => this.#point(null));
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

  #fitted(chart: Timeline): Timeline {
    return { ...shownOf(chart, this.#view), latency: this.#axis ?? chart.latency };
  }

  #targets({ series }: Overlay): ShownTarget[] {
    return linkedItems(series).flatMap(({ label, of }) => {
      const chart = chartOf(of);
      if (chart?.kind !== "timeline") return [];
      const shown = this.#fitted(chart);
      return shown.runs.length === 0 ? [] : [{ label, chart: shown }];
    });
  }

  /** Null where nothing of the chart is shown. */
  #axisOf({ id }: HTMLCanvasElement): RunsAxis | null {
    const chart = chartOf(id);
    if (chart?.kind === "timeline") return shownOf(chart, this.#view);
    const targets = chart?.kind === "overlay" ? this.#targets(chart) : [];
    return targets.length === 0 ? null : overlaidRuns(targets);
  }

  #follow(canvas: HTMLCanvasElement, { offsetX, offsetY }: PointerEvent): void {
    const drawing = this.#drawings.of(canvas);
    const axis = this.#axisOf(canvas);
    if (!drawing || axis === null || this.#isDragged) return;
    const { x, ...others } = drawing.scales;
    const value = x.getValueForPixel(offsetX);
    const track = Object.values(others).find(({ top, bottom }) =>
      offsetY >= top && offsetY < bottom
    );
    const moment = value === undefined ? null : middleOf(axis, momentAt(axis, value, null));
    this.#point(moment, track?.id);
    if (chartOf(canvas.id)?.kind === "overlay") markTarget(targetAt(drawing, track?.id, offsetY));
  }

  /** Every chart shows the interval under the pointer, not only the chart that it is on; null ends it. */
  #point(moment: RunMoment | null, track: string | null = null): void {
    const before = this.#marks;
    if (
      moment?.run === before.moment?.run && moment?.seconds === before.moment?.seconds &&
      track === before.track
    ) return;
    this.#marks.moment = moment;
    this.#marks.track = track;
    this.#heatmaps?.mark(moment);
    for (const canvas of this.#canvases) {
      const drawing = this.#drawings.of(canvas);
      const axis = this.#axisOf(canvas);
      if (!drawing || axis === null) continue;
      const at = moment && indexOf(axis, momentOf(axis, moment));
      const active = at === null
        ? []
        : drawing.data.datasets.flatMap(({ data }, datasetIndex) =>
          at < data.length ? [{ datasetIndex, index: at }] : []
        );
      drawing.setActiveElements(active);
      const { top = 0 } = drawing.chartArea;
      drawing.tooltip?.setActiveElements(active, { x: 0, y: top });
      drawing.draw();
    }
  }
}

/** What the cell of a chart is called. */
function labelOf(canvas: HTMLCanvasElement): string {
  return canvas.closest(".panel")?.querySelector("h3, h4")?.textContent ?? "";
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
