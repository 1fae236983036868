/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The latency heatmaps of one scenario: drawn as they come near the screen, read by pointer and arrow keys, and as a table. */
import { Chart as Drawing } from "chart.js";
import type { HeatmapChart } from "../../subjects/charts/over_time.ts";
import {
  heatEdgesUs,
  type Heatmap,
  heatmapOf,
  type HeatPlace,
  heatText,
} from "../../subjects/charts/heatmap.ts";
import type { Drawings } from "../charts/drawings.ts";
import { chartOf } from "../charts/page_data.ts";
import type { Theme } from "../charts/theme.ts";
import { equipTable } from "../tables/tables.ts";
import { link } from "../linked/elements.ts";
import { placeAt, type RunMoment } from "./axis.ts";
import { type Heat, heatAxis, heatConfig, heatTable } from "./heat_drawing.ts";
import type { Steps } from "./selection.ts";
import { type View, WHOLE } from "./view.ts";

export class HeatmapFigure {
  readonly #drawings: Drawings;
  readonly #steps: () => Promise<Steps>;
  readonly #heats = new Map<HTMLCanvasElement, Heat>();
  #edgesUs: Promise<readonly number[]> | null = null;
  #view: View = WHOLE;

  readonly #canvases: readonly HTMLCanvasElement[];
  readonly #onMoment: (moment: RunMoment | null) => void;

  /**
   * @param steps The packed intervals of its scenario, unpacked at first use.
   * @param onMoment Of what the pointer or a key leads to in any heatmap; null where it leaves.
   */
  constructor(
    element: HTMLElement,
    drawings: Drawings,
    { steps, onMoment }: {
      readonly steps: () => Promise<Steps>;
      readonly onMoment: (moment: RunMoment | null) => void;
    },
  ) {
    this.#drawings = drawings;
    this.#steps = steps;
    this.#onMoment = onMoment;
    this.#canvases = [...element.querySelectorAll("canvas")];
    for (const canvas of this.#canvases) this.#listen(canvas);
    const details = element.querySelector<HTMLDetailsElement>("details.heats");
    details?.addEventListener("toggle", () => this.#fill(details));
  }

  /** Empty until the intervals are unpacked. */
  draw(canvas: HTMLCanvasElement, chart: HeatmapChart, theme: Theme): Drawing {
    const heat = this.#heats.get(canvas) ?? null;
    if (heat === null) void this.#load(canvas, chart);
    return new Drawing(canvas, heatConfig(() => this.#heats.get(canvas) ?? null, theme));
  }

  /** Unpacks the intervals of those that are shown but were never near the screen: a printer waits for nothing. */
  async prepare(): Promise<void> {
    for (const canvas of this.#canvases) {
      const chart = canvas.checkVisibility() ? chartOf(canvas.id) : undefined;
      if (chart?.kind === "heatmap") await this.#load(canvas, chart);
    }
  }

  /** Shows the runs of a view, and its range. */
  show(view: View): void {
    this.#view = view;
    for (const [canvas, heat] of this.#heats) {
      const runs = view.runs;
      const isOther = heat.shown.join() !== shownRuns(heat, runs).join();
      heat.range = view.range;
      heat.shown = shownRuns(heat, runs);
      heat.place = null;
      if (isOther) this.#drawings.renew(canvas);
      else this.#drawings.of(canvas)?.draw();
    }
  }

  /** The moment that another chart of the scenario is read at; null ends it. */
  mark(moment: RunMoment | null): void {
    for (const [canvas, heat] of this.#heats) {
      if (heat.moment?.run === moment?.run && heat.moment?.seconds === moment?.seconds) continue;
      heat.moment = moment;
      this.#drawings.of(canvas)?.draw();
    }
  }

  async #load(canvas: HTMLCanvasElement, { cell }: HeatmapChart): Promise<void> {
    if (this.#heats.has(canvas)) return;
    const heat = await this.#heatOf(cell);
    if (this.#heats.has(canvas)) return;
    this.#heats.set(canvas, heat);
    this.#drawings.renew(canvas);
    canvas.dataset.heat = "drawn";
  }

  async #heatOf(cell: number): Promise<Heat> {
    const { cells, unit } = await this.#steps();
    this.#edgesUs ??= Promise.resolve(heatEdgesUs(cells.map(({ runs }) => runs)));
    const map: Heatmap = heatmapOf(cells[cell].runs, await this.#edgesUs);
    const { label, repetitions } = cells[cell];
    const heat: Heat = {
      label,
      map,
      unit,
      repetitions,
      shown: [],
      range: this.#view.range,
      place: null,
      moment: null,
    };
    heat.shown = shownRuns(heat, this.#view.runs);
    return heat;
  }

  #listen(canvas: HTMLCanvasElement): void {
    const group = canvas.parentElement;
    const output = canvas.closest(".panel")?.querySelector("output");
    const show = (place: HeatPlace | null): void => {
      const heat = this.#heats.get(canvas);
      if (heat === undefined) return;
      heat.place = place;
      this.#drawings.of(canvas)?.draw();
      const labels = heat.repetitions.map((repetition) => `run ${repetition}`);
      this.#onMoment(place && momentOf(heat, place));
      if (output) output.textContent = place ? heatText(heat.map, place, { ...heat, labels }) : "";
    };
    const follow = ({ offsetX, offsetY }: PointerEvent): void =>
      show(this.#placeAt(canvas, offsetX, offsetY));
    canvas.addEventListener("pointermove", follow);
    canvas.addEventListener("pointerdown", follow);
    canvas.addEventListener("pointerleave", () => this.#onMoment(null));
    group?.addEventListener("keydown", (event) => {
      const heat = this.#heats.get(canvas);
      const place = heat && moved(heat, event.key);
      if (!place) return;
      event.preventDefault();
      show(place);
    });
  }

  #placeAt(canvas: HTMLCanvasElement, x: number, y: number): HeatPlace | null {
    const heat = this.#heats.get(canvas);
    const drawing = this.#drawings.of(canvas);
    const value = drawing?.scales.x.getValueForPixel(x);
    const latency = drawing?.scales.y.getValueForPixel(y);
    if (!heat || value === undefined || latency === undefined) return null;
    const { run, seconds } = placeAt(heatAxis(heat), value, null);
    const position = heat.shown[run];
    const columns = heat.map.runs[position];
    const column = columns.findIndex(({ toS }) => seconds <= toS);
    const us = latency * heat.unit.size * 1_000;
    const row = heat.map.edgesUs.findLastIndex((edge) => edge <= us);
    if (column < 0 || row < 0 || row >= heat.map.edgesUs.length - 1) return null;
    return { run: position, column, row };
  }

  async #fill(details: HTMLDetailsElement): Promise<void> {
    if (details.querySelector("table") || details.dataset.filled) return;
    details.dataset.filled = "yes";
    const { cells } = await this.#steps();
    for (const [cell, { label }] of cells.entries()) {
      const table = heatTable(await this.#heatOf(cell));
      link(table, label);
      details.append(table);
      equipTable(table);
    }
  }
}

/** Positions of the runs that are shown: all where none of the chosen ones is among them. */
function shownRuns({ repetitions }: Heat, runs: View["runs"]): number[] {
  const all = [...repetitions.keys()];
  const chosen = all.filter((i) => runs?.includes(repetitions[i]) ?? true);
  return chosen.length === 0 ? all : chosen;
}

/** The middle of a column. */
function momentOf({ map, shown }: Heat, { run, column }: HeatPlace): RunMoment {
  const { fromS, toS } = map.runs[run][column];
  return { run: shown.indexOf(run), seconds: (fromS + toS) / 2 };
}

/** Where an arrow key leads; null for another key. */
function moved({ map, shown, place }: Heat, key: string): HeatPlace | null {
  const [right, up] =
    { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ??
      [0, 0];
  if (right === 0 && up === 0) return null;
  const columns = shown.flatMap((run) => map.runs[run].map((_, column) => ({ run, column })));
  const at = columns.findIndex(({ run, column }) => run === place?.run && column === place.column);
  const next = columns[Math.max(0, Math.min(columns.length - 1, at + right))];
  if (next === undefined) return null;
  const rows = map.edgesUs.length - 1;
  const row = place === null ? fullest(map, next) : place.row + up;
  return { ...next, row: Math.max(map.lowest, Math.min(rows - 1, row)) };
}

/** The row of a column with the most requests. */
function fullest({ runs }: Heatmap, { run, column }: Omit<HeatPlace, "row">): number {
  const { counts } = runs[run][column];
  return counts.indexOf(Math.max(...counts));
}
