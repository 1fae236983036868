/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The latency heatmaps of one scenario: made of its packed intervals, read by pointer and arrow keys, and as a table. */
import { Chart as Drawing } from "chart.js";
import type { Heatmap as HeatmapChart } from "../../chart.ts";
import {
  heatEdgesUs,
  type Heatmap,
  heatmapOf,
  type HeatPlace,
  heatText,
  rowText,
} from "../../subjects/charts/heatmap.ts";
import { formatCount } from "../../writing/units.ts";
import type { Drawings } from "../charts/drawings.ts";
import type { Theme } from "../charts/theme.ts";
import { link } from "../linked/elements.ts";
import { numberElement, rowHead, tableElement } from "../tables/element.ts";
import { equipTable } from "../tables/tables.ts";
import { intervalText, momentAt, type RunMoment } from "./axis.ts";
import { type Heat, heatAxis, heatConfig } from "./heat_drawing.ts";
import type { Steps } from "./selection.ts";
import { type View, WHOLE } from "./view.ts";

interface HeatmapOptions {
  readonly drawings: Drawings;
  /** The packed intervals of the scenario, unpacked at first use. */
  readonly steps: () => Promise<Steps>;
  /** What the pointer or a key leads to in any heatmap; null where it leaves. */
  readonly onMoment: (moment: RunMoment | null) => void;
}

export class HeatmapFigure {
  readonly #options: HeatmapOptions;
  readonly #heats = new Map<HTMLCanvasElement, Heat>();
  #edgesUs: readonly number[] | null = null;
  #view: View = WHOLE;

  constructor(element: HTMLElement, options: HeatmapOptions) {
    this.#options = options;
    for (const canvas of element.querySelectorAll("canvas")) this.#listen(canvas);
    const details = element.querySelector<HTMLDetailsElement>("details.heats");
    details?.addEventListener("toggle", () => this.#fill(details));
  }

  /** Empty until the intervals are unpacked. */
  draw(canvas: HTMLCanvasElement, { cell }: HeatmapChart, theme: Theme): Drawing {
    const heat = this.#heats.get(canvas) ?? null;
    if (heat === null) void this.#load(canvas, cell);
    return new Drawing(canvas, heatConfig(heat, theme));
  }

  /** Shows the runs of a view, and its range. */
  show(view: View): void {
    this.#view = view;
    for (const [canvas, heat] of this.#heats) {
      heat.range = view.range;
      heat.shown = shownRuns(heat.repetitions, view.runs);
      heat.place = null;
      this.#options.drawings.renew(canvas);
    }
  }

  /** The moment that another chart of the scenario is read at; null ends it. */
  mark(moment: RunMoment | null): void {
    for (const [canvas, heat] of this.#heats) {
      if (heat.moment?.run === moment?.run && heat.moment?.seconds === moment?.seconds) continue;
      heat.moment = moment;
      this.#options.drawings.of(canvas)?.draw();
    }
  }

  async #load(canvas: HTMLCanvasElement, cell: number): Promise<void> {
    const heat = await this.#heatOf(cell);
    if (this.#heats.has(canvas)) return;
    this.#heats.set(canvas, heat);
    canvas.dataset.heat = "drawn";
    this.#options.drawings.renew(canvas);
  }

  async #heatOf(cell: number): Promise<Heat> {
    const { cells, unit } = await this.#options.steps();
    this.#edgesUs ??= heatEdgesUs(cells.map(({ runs }) => runs));
    const { label, repetitions, runs } = cells[cell];
    const { range, runs: chosen } = this.#view;
    return {
      ...{ label, map: heatmapOf(runs, this.#edgesUs), unit, repetitions },
      ...{ shown: shownRuns(repetitions, chosen), range, place: null, moment: null },
    };
  }

  #listen(canvas: HTMLCanvasElement): void {
    const output = canvas.closest(".panel")?.querySelector("output");
    const { drawings, onMoment } = this.#options;
    const show = (place: HeatPlace | null): void => {
      const heat = this.#heats.get(canvas);
      if (heat === undefined) return;
      heat.place = place;
      drawings.of(canvas)?.draw();
      onMoment(place && momentOf(heat, place));
      const labels = heat.repetitions.map((repetition) => `run ${repetition}`);
      if (output) output.textContent = place ? heatText(heat.map, place, { ...heat, labels }) : "";
    };
    const follow = ({ offsetX, offsetY }: PointerEvent): void =>
      show(this.#placeAt(canvas, offsetX, offsetY));
    canvas.addEventListener("pointermove", follow);
    canvas.addEventListener("pointerdown", follow);
    canvas.addEventListener("pointerleave", () => onMoment(null));
    canvas.parentElement?.addEventListener("keydown", (event) => {
      const heat = this.#heats.get(canvas);
      const place = heat && moved(heat, event.key);
      if (!place) return;
      event.preventDefault();
      show(place);
    });
  }

  /** Null where nothing is counted. */
  #placeAt(canvas: HTMLCanvasElement, x: number, y: number): HeatPlace | null {
    const heat = this.#heats.get(canvas);
    const drawing = this.#options.drawings.of(canvas);
    const value = drawing?.scales.x.getValueForPixel(x);
    const latency = drawing?.scales.y.getValueForPixel(y);
    if (!heat || value === undefined || latency === undefined) return null;
    const { map: { edgesUs, runs }, unit, shown } = heat;
    const { run, seconds } = momentAt(heatAxis(heat), value, null);
    const column = runs[shown[run]].findIndex(({ toS }) => seconds <= toS);
    const us = latency * unit.size * 1_000;
    const row = edgesUs.findLastIndex((edge) => edge <= us);
    if (column < 0 || row < 0 || row >= edgesUs.length - 1) return null;
    return { run: shown[run], column, row };
  }

  async #fill(details: HTMLDetailsElement): Promise<void> {
    if (details.dataset.filled) return;
    details.dataset.filled = "yes";
    const { cells } = await this.#options.steps();
    for (const [cell, { label }] of cells.entries()) {
      const table = heatTable(await this.#heatOf(cell));
      link(table, label);
      details.append(table);
      equipTable(table);
    }
  }
}

/** Positions of the runs that are shown: all where none of the chosen ones is among them. */
function shownRuns(repetitions: readonly number[], runs: View["runs"]): number[] {
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
  const row = place === null ? fullest(map, next) : place.row + up;
  return { ...next, row: Math.max(map.lowest, Math.min(map.edgesUs.length - 2, row)) };
}

/** The row of a column with the most requests. */
function fullest({ runs }: Heatmap, { run, column }: Omit<HeatPlace, "row">): number {
  const { counts } = runs[run][column];
  return counts.indexOf(Math.max(...counts));
}

/** A row an interval, a column a step of latency that any request took. */
function heatTable({ label, map, unit, repetitions }: Heat): HTMLElement {
  const all = map.runs.flat();
  const rows = [...map.edgesUs.keys()].slice(0, -1)
    .filter((row) => all.some(({ counts }) => counts[row] > 0));
  const heads = [
    "Run",
    "Interval",
    ...rows.map((row) => rowText(map.edgesUs, row, unit, row === map.lowest)),
    "Lower bounds",
  ].map((label) => ({ label, unit: "" }));
  const count = (value: number): HTMLTableCellElement =>
    numberElement({ text: formatCount(value), value });
  const body = map.runs.flatMap((columns, run) =>
    columns.map((column) => [
      rowHead(`run ${repetitions[run]}`),
      numberElement({ text: intervalText(column), value: column.fromS }),
      ...rows.map((row) => count(column.counts[row])),
      count(column.bounds.reduce((sum, bound) => sum + bound, 0)),
    ])
  );
  return tableElement(`Requests of ${label} by moment and latency`, heads, body);
}
