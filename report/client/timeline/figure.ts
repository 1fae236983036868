/// <reference lib="dom" />
/**
 * A scenario over time: its timelines and heatmaps, the range of time that is selected in them, and the figures
 * recomputed for that range.
 */
import { Chart as Drawing } from "chart.js";
import {
  axisOver,
  type Heatmap,
  LATENCY_LOG_FROM,
  type Overlay,
  sectionOf,
  type Timeline,
} from "../../chart.ts";
import { heatEdgesUs } from "../../subjects/charts/heatmap.ts";
import type { Drawings } from "../charts/drawings.ts";
import { chartOf } from "../charts/page_data.ts";
import type { Theme } from "../charts/theme.ts";
import { isShownLabel, linkedItems, markTarget } from "../linked/choice.ts";
import { link, linkElements } from "../linked/elements.ts";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import type { Table } from "../../subjects/tables/table.ts";
import { equipTable, tableNodes } from "../tables/tables.ts";
import { intervalTimes, momentAt, type RunMoment } from "./axis.ts";
import {
  framedRuns,
  framedTargets,
  frameTable,
  type OverTime,
  overTimeConfig,
  pointOut,
  targetAt,
} from "./frames.ts";
import {
  type Heat,
  heatConfig,
  heatOfCell,
  type HeatPlace,
  heatTable,
  placeAt,
  placeBeside,
  readAt,
} from "./heatmap.ts";
import type { Marks } from "./marks.ts";
import { brush, linkTo, RangeForm, readLink } from "./range.ts";
import { greyRest, partTable, type Steps, stepsOf } from "./selection.ts";

/** The selection is announced, and written into the link, once it has not changed for this long. */
const REST_MS = 300;

class ScenarioFigure {
  readonly section: string;
  readonly #timelines: readonly HTMLCanvasElement[];
  readonly #heatmaps: readonly HTMLCanvasElement[];
  readonly #form: RangeForm;
  readonly #marks: Marks = { range: null, moment: null, track: null };
  /** What each canvas of a timeline shows; null if all of its targets are hidden. */
  readonly #frames = new Map<HTMLCanvasElement, OverTime | null>();
  readonly #heats = new Map<HTMLCanvasElement, Heat>();
  #steps: Promise<Steps> | null = null;
  #isDragged = false;
  /** Whether figures have been recomputed for a range. */
  #isRecomputed = false;
  #frame = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly element: HTMLElement,
    form: HTMLFormElement,
    private readonly drawings: Drawings,
  ) {
    this.section = sectionOf(element.id);
    this.#form = new RangeForm(form, (range) => this.#show(range));
    element.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.#marks.range !== null) this.show(null);
    });
    const heatmaps = document.getElementById(`${this.section}-heatmap`);
    this.#timelines = [...element.querySelectorAll("canvas")];
    this.#heatmaps = [...heatmaps?.querySelectorAll("canvas") ?? []];
    for (const canvas of this.#timelines) this.#listen(canvas);
    for (const canvas of this.#heatmaps) this.#listenToHeat(canvas);
    this.#fillWhenOpened(element.querySelector("details.intervals"), () => this.#lineTables());
    this.#fillWhenOpened(heatmaps?.querySelector("details.heats"), () => this.#heatTables());
  }

  /** Selects a range that comes from a link, from a drag, or from Escape, which selects the whole run (null). */
  show(range: TimeRange | null): void {
    this.#form.range = range;
    this.#show(this.#form.range);
  }

  /** Draws a chart. Null if all of its targets are hidden, or if the intervals for a heatmap are not unpacked yet. */
  draw(
    canvas: HTMLCanvasElement,
    chart: Timeline | Overlay | Heatmap,
    theme: Theme,
  ): Drawing | null {
    if (chart.kind !== "heatmap") {
      const frame = this.#frameOf(canvas);
      return frame && new Drawing(canvas, overTimeConfig(frame, theme, this.#marks));
    }
    const heat = this.#heats.get(canvas);
    if (heat === undefined) {
      void this.#heat(canvas, chart);
      return null;
    }
    return new Drawing(canvas, heatConfig(heat, theme, this.#marks));
  }

  /**
   * Adapts everything except the charts, which `Drawings.restart` redraws, to the reader's choice of targets and base.
   */
  followChoice(): void {
    this.#frames.clear();
    if (this.#isRecomputed) this.#recompute();
    this.element.querySelector(".range a")
      ?.setAttribute("href", linkTo(this.section, this.#marks.range));
  }

  #show(range: TimeRange | null): void {
    this.#marks.range = range;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      for (const canvas of [...this.#timelines, ...this.#heatmaps]) {
        this.drawings.of(canvas)?.draw();
      }
      this.#recompute();
    });
  }

  async #recompute(): Promise<void> {
    this.#isRecomputed = true;
    const steps = await this.#unpacked();
    const charts = this.#timelines.map(({ id }) => chartOf(id));
    const percentiles = charts.find((chart) => chart?.kind === "timeline")?.percentiles ?? [];
    const table = partTable(steps, this.#marks.range, percentiles);
    this.element.querySelector(".selected")
      ?.replaceChildren(...tableNodes(table, `${this.section}-part`));
    greyRest(this.section, this.#marks.range !== null);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      const status = this.element.querySelector(":scope > [role=status]");
      if (status) {
        status.textContent = `${table.caption}: the table below the charts covers this part.`;
      }
      const link = linkTo(this.section, this.#marks.range);
      this.element.querySelector(".range a")?.setAttribute("href", link);
      history.replaceState(null, "", link);
    }, REST_MS);
  }

  /** The intervals of the scenario's runs, which are packed in the page and unpacked at first use. */
  #unpacked(): Promise<Steps> {
    return this.#steps ??= stepsOf(this.section);
  }

  #frameOf(canvas: HTMLCanvasElement): OverTime | null {
    const known = this.#frames.get(canvas);
    if (known !== undefined) return known;
    const frame = framed(canvas.id, (chart) => this.#fitted(chart));
    this.#frames.set(canvas, frame);
    return frame;
  }

  /** If some targets are hidden, replaces the latency axis with one that fits the targets that are shown. */
  #fitted(chart: Timeline): Timeline {
    const panels = this.#timelines.filter((canvas) => isShownLabel(labelOf(canvas)));
    if (panels.length === this.#timelines.length) return chart;
    const values = panels.flatMap(({ id }) => {
      const other = chartOf(id);
      return other?.kind === "timeline" ? other.runs.flatMap(({ latency }) => latency.flat()) : [];
    });
    const latency = axisOver(chart.latency.unit, values, { logFrom: LATENCY_LOG_FROM });
    return values.length === 0 ? chart : { ...chart, latency };
  }

  async #heat(canvas: HTMLCanvasElement, chart: Heatmap): Promise<void> {
    const steps = await this.#unpacked();
    this.#heats.set(canvas, this.#heatOf(steps, chart.cell));
    canvas.dataset.heat = "drawn";
    this.drawings.draw(canvas);
  }

  #heatOf(steps: Steps, cell: number): Heat {
    return heatOfCell(steps, cell, heatEdgesUs(steps.cells.map(({ runs }) => runs)));
  }

  #listen(canvas: HTMLCanvasElement): void {
    brush(canvas, {
      at: (offsetPx, run) => {
        const value = this.drawings.of(canvas)?.scales.x.getValueForPixel(offsetPx);
        const frame = this.#frameOf(canvas);
        return value === undefined || frame === null ? null : momentAt(frame, value, run);
      },
      onStart: () => {
        this.#isDragged = true;
        this.#point(null);
      },
      onMove: (fromS, toS) => this.show(this.#form.wholeSteps(fromS, toS)),
      onEnd: () => this.#isDragged = false,
    });
    const follow = (event: PointerEvent): void => this.#follow(canvas, event);
    canvas.addEventListener("pointermove", follow);
    canvas.addEventListener("pointerdown", follow);
    canvas.addEventListener("pointerleave", () => this.#point(null));
  }

  #follow(canvas: HTMLCanvasElement, { offsetX, offsetY }: PointerEvent): void {
    const drawing = this.drawings.of(canvas);
    const frame = this.#frameOf(canvas);
    if (!drawing || frame === null || this.#isDragged) return;
    const { x, ...others } = drawing.scales;
    const track = Object.values(others)
      .find(({ top, bottom }) => offsetY >= top && offsetY < bottom)?.id ?? null;
    const moment = momentAt(frame, x.getValueForPixel(offsetX) ?? 0, null);
    const times = intervalTimes(frame, moment);
    this.#point(times && { ...moment, seconds: (times.fromS + times.toS) / 2 }, track);
    if (chartOf(canvas.id)?.kind === "overlay") markTarget(targetAt(drawing, track, offsetY));
  }

  #listenToHeat(canvas: HTMLCanvasElement): void {
    const output = canvas.closest(".panel")?.querySelector("output");
    const read = (placeOf: (heat: Heat, drawing: Drawing) => HeatPlace | null): void => {
      const [heat, drawing] = [this.#heats.get(canvas), this.drawings.of(canvas)];
      if (!heat || !drawing) return;
      const place = placeOf(heat, drawing);
      heat.place = place;
      drawing.draw();
      const found = place && readAt(heat, place);
      this.#point(found && found.moment);
      if (output) output.textContent = found?.text ?? "";
    };
    const follow = (event: PointerEvent): void =>
      read((heat, drawing) => placeAt(drawing, heat, event));
    canvas.addEventListener("pointermove", follow);
    canvas.addEventListener("pointerdown", follow);
    canvas.addEventListener("pointerleave", () => this.#point(null));
    canvas.parentElement?.addEventListener("keydown", (event) =>
      read((heat) => {
        const next = placeBeside(heat, event.key);
        if (next !== null) event.preventDefault();
        return next ?? heat.place;
      }));
  }

  /** Makes all charts of the scenario show the interval under the pointer; null makes them show none. */
  #point(moment: RunMoment | null, track: string | null = null): void {
    const { moment: before } = this.#marks;
    const isSame = moment?.run === before?.run && moment?.seconds === before?.seconds;
    if (isSame && track === this.#marks.track) return;
    Object.assign(this.#marks, { moment, track });
    for (const canvas of this.#timelines) {
      const [drawing, frame] = [this.drawings.of(canvas), this.#frameOf(canvas)];
      if (drawing && frame) pointOut(drawing, frame, this.#marks);
    }
    for (const canvas of this.#heatmaps) this.drawings.of(canvas)?.draw();
  }

  /**
   * Fills the accessible form of the charts when it is first opened: tables, each linked to the target that its label
   * names.
   */
  #fillWhenOpened(
    details: Element | null | undefined,
    tablesOf: () => Promise<readonly (readonly [label: string, table: Table])[]>,
  ): void {
    details?.addEventListener("toggle", async () => {
      const kind = `${this.section}-${details.className}`;
      for (const [i, [label, table]] of (await tablesOf()).entries()) {
        details.append(...tableNodes(table, `${kind}-${i}`));
        const scroll = details.lastElementChild;
        if (!(scroll instanceof HTMLElement)) continue;
        link(scroll, label);
        equipTable(scroll);
      }
      linkElements();
    }, { once: true });
  }

  #lineTables(): Promise<[string, Table][]> {
    return Promise.resolve(this.#timelines.flatMap((canvas): [string, Table][] => {
      const frame = framed(canvas.id, (chart) => chart);
      return frame ? [[labelOf(canvas), frameTable(frame, chartOf(canvas.id)?.alt ?? "")]] : [];
    }));
  }

  async #heatTables(): Promise<[string, Table][]> {
    const steps = await this.#unpacked();
    return steps.cells.map(({ label }, i) => [label, heatTable(this.#heatOf(steps, i))]);
  }
}

/** What the canvas of a timeline shows; null if all of its targets are hidden. */
function framed(id: string, fitted: (chart: Timeline) => Timeline): OverTime | null {
  const chart = chartOf(id);
  if (chart?.kind === "timeline") return framedRuns(fitted(chart));
  if (chart?.kind !== "overlay") return null;
  const targets = linkedItems(chart.series).flatMap(({ label, of }) => {
    const own = chartOf(of);
    return own?.kind === "timeline" ? [{ label, chart: fitted(own) }] : [];
  });
  return targets.length === 0 ? null : framedTargets(targets);
}

/** The name of the cell that a chart shows. */
function labelOf(canvas: HTMLCanvasElement): string {
  return canvas.closest(".panel")?.querySelector("h3, h4")?.textContent ?? "";
}

/** Figures of the page's scenarios, by section. */
type ScenarioFigures = ReadonlyMap<string, ScenarioFigure>;

/** Makes the figures of all scenarios in the page. @param known Figures that already exist and are kept. */
export function scenarioFigures(
  drawings: Drawings,
  known: ScenarioFigures = new Map(),
): ScenarioFigures {
  const figures = [...document.querySelectorAll<HTMLElement>("figure.timelines")].flatMap(
    (element) => {
      const form = element.querySelector<HTMLFormElement>("form.view");
      const before = known.get(sectionOf(element.id));
      return form ? [before ?? new ScenarioFigure(element, form, drawings)] : [];
    },
  );
  return new Map(figures.map((figure) => [figure.section, figure]));
}

/**
 * Selects the range in the page's address, and scrolls to its figure, if the address names a figure.
 * @param isScrolled Whether the page is already scrolled to where the reader wants it, and must not be scrolled again.
 */
export function followLink(
  figures: ScenarioFigures,
  { isScrolled }: { readonly isScrolled: boolean },
): void {
  const link = readLink(location.hash);
  const figure = link && figures.get(link.section);
  if (!link || !figure) return;
  figure.show(link.range);
  if (!isScrolled) figure.element.scrollIntoView();
}
