/// <reference lib="dom" />
/**
 * A latency heatmap: a column for each interval, a row for each step of latency, and a colour for the share of the
 * interval's requests. It can be read with the pointer, with the arrow keys, and as a table.
 */
import type { Chart, ChartConfiguration } from "chart.js";
import {
  type HeatColumn,
  type Heatmap,
  heatmapOf,
  heatOf,
  heatText,
  rowText,
} from "../../subjects/charts/heatmap.ts";
import * as column from "../../subjects/tables/column.ts";
import { type Table, tableOf, unitNamed } from "../../subjects/tables/table.ts";
import { sum } from "../../writing/spread.ts";
import type { DisplayUnit } from "../../writing/units.ts";
import { TICKS_PX, valueScale } from "../charts/scales.ts";
import { strokeLines, type Theme } from "../charts/theme.ts";
import { intervalText, momentAt, type RunMoment, startOf, timeScale } from "./axis.ts";
import { labelsPx, type MarkedRuns, type Marks, timelineMarks } from "./marks.ts";
import type { Steps } from "./selection.ts";

/** A cell's heatmap, with its runs side by side. */
export interface Heat extends MarkedRuns {
  readonly label: string;
  readonly map: Heatmap;
  /** Unit in which latencies are shown. */
  readonly unit: DisplayUnit;
  /** The place under the pointer, or the one that the arrow keys have reached. */
  place: HeatPlace | null;
}

/** A place in the heatmap, as indexes of its run, column and row. */
export interface HeatPlace {
  readonly run: number;
  readonly column: number;
  readonly row: number;
}

/** A cell's heatmap, with its runs side by side. @param edgesUs Edges of the rows, which all cells share. */
export function heatOfCell(
  { cells, unit }: Steps,
  cell: number,
  edgesUs: readonly number[],
): Heat {
  const { label, repetitions, runs } = cells[cell];
  const map = heatmapOf(runs, edgesUs);
  const t = map.runs.map((columns) => columns.map(({ toS }) => toS));
  return {
    ...{ label, map, unit, place: null, marks: [], isLabelled: false, tracks: [] },
    span: Math.max(1e-3, ...t.map((ends) => ends.at(-1) ?? 0)),
    runs: repetitions.map((repetition, i) => ({
      ...{ label: `run ${repetition}`, t: t[i], steadyFrom: null, changes: [] },
    })),
  };
}

export function heatConfig(
  heat: Heat,
  theme: Theme,
  marks: Marks,
): ChartConfiguration<"line"> {
  const { edgesUs } = heat.map;
  const [min, max] = [edgesUs[0], edgesUs[edgesUs.length - 1]].map((us) => shownAs(heat, us));
  return {
    type: "line",
    data: { datasets: [] },
    options: {
      events: [],
      layout: { padding: { top: Math.max(12, labelsPx(heat)), right: 4 } },
      scales: {
        x: timeScale(heat),
        y: {
          ...valueScale({ unit: heat.unit.name, scale: "log", min, max }),
          afterFit: (scale) => void (scale.width = Math.max(scale.width, TICKS_PX)),
        },
      },
    },
    plugins: [timelineMarks(heat, theme, marks), {
      id: "heatmap",
      beforeDatasetsDraw: (drawing) => drawHeat(drawing, heat, theme),
      afterDatasetsDraw: (drawing) => drawPlace(drawing, heat, theme),
    }],
  };
}

function shownAs({ unit }: Heat, us: number): number {
  return us / 1_000 / unit.size;
}

/** Pixel positions: y of each row's edge, and x of any moment. */
function gridOf({ scales: { x, y } }: Chart, heat: Heat): {
  readonly rows: readonly number[];
  readonly at: (run: number, seconds: number) => number;
} {
  // Rounded to whole pixels, because two neighbours that each cover half a pixel would leave a
  // visible seam.
  const whole = (pixel: number): number => Math.round(pixel * devicePixelRatio) / devicePixelRatio;
  return {
    rows: heat.map.edgesUs.map((us) => whole(y.getPixelForValue(shownAs(heat, us)))),
    at: (run, seconds) => whole(x.getPixelForValue(startOf(heat, run) + seconds)),
  };
}

function drawHeat(drawing: Chart, heat: Heat, theme: Theme): void {
  const { ctx } = drawing;
  const { rows, at } = gridOf(drawing, heat);
  ctx.save();
  heat.map.runs.forEach((columns, run) => {
    for (const column of columns) {
      const left = at(run, column.fromS);
      const width = Math.max(1, at(run, column.toS) - left);
      drawColumn(ctx, theme, column, { left, width, rows });
    }
    // The lowest row also counts all faster requests, so a dotted line marks its foot.
    const foot = rows[heat.map.lowest] + 1;
    ctx.strokeStyle = theme.muted;
    ctx.lineWidth = 2;
    ctx.setLineDash([2, 2]);
    strokeLines(ctx, [[at(run, 0), foot, at(run, heat.span), foot]]);
    ctx.setLineDash([]);
  });
  ctx.restore();
}

// hot: a heatmap has thousands of places, each of which is one interval and one row.
function drawColumn(
  ctx: CanvasRenderingContext2D,
  theme: Theme,
  { counts, bounds, total }: HeatColumn,
  { left, width, rows }: {
    readonly left: number;
    readonly width: number;
    readonly rows: readonly number[];
  },
): void {
  for (let row = 0; row < counts.length; row++) {
    const heat = heatOf(counts[row], total);
    if (heat < 0) continue;
    const top = rows[row + 1];
    const height = rows[row] - top;
    ctx.fillStyle = theme.heat(heat);
    ctx.fillRect(left, top, width, height);
    if (bounds[row] === 0) continue;
    // A line along the upper edge marks places with lower bounds: those requests took longer than
    // shown.
    ctx.fillStyle = theme.alarm;
    ctx.fillRect(left, top, width, Math.min(2, height));
  }
}

function drawPlace(drawing: Chart, heat: Heat, theme: Theme): void {
  const { place } = heat;
  const column = place && heat.map.runs[place.run]?.[place.column];
  if (!place || !column) return;
  const { rows, at } = gridOf(drawing, heat);
  const [left, right] = [column.fromS, column.toS].map((seconds) => at(place.run, seconds));
  const [bottom, top] = [rows[place.row], rows[place.row + 1]];
  drawing.ctx.strokeStyle = theme.ink;
  drawing.ctx.lineWidth = 2;
  drawing.ctx.strokeRect(left, top, Math.max(2, right - left), bottom - top);
}

/** The place at the pointer; null if the pointer is outside the rows and columns of the heatmap. */
export function placeAt(
  { scales }: Chart,
  heat: Heat,
  { offsetX, offsetY }: PointerEvent,
): HeatPlace | null {
  const { map: { edgesUs, runs }, unit } = heat;
  const { run, seconds } = momentAt(heat, scales.x.getValueForPixel(offsetX) ?? 0, null);
  const column = runs[run].findIndex(({ toS }) => seconds <= toS);
  const us = (scales.y.getValueForPixel(offsetY) ?? 0) * unit.size * 1_000;
  const row = edgesUs.findLastIndex((edge) => edge <= us);
  return column < 0 || row < 0 || row >= edgesUs.length - 1 ? null : { run, column, row };
}

const ARROWS: Readonly<Record<string, readonly [right: number, up: number]>> = {
  ...{ ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] },
};

/** The place that an arrow key leads to; null for other keys, or if the heatmap has no columns. */
export function placeBeside(
  { map: { runs, lowest, edgesUs }, place }: Heat,
  key: string,
): HeatPlace | null {
  if (!Object.hasOwn(ARROWS, key)) return null;
  const [right, up] = ARROWS[key];
  const columns = runs.flatMap((own, run) =>
    own.map(({ counts }, column) => ({ run, column, counts }))
  );
  const at = columns.findIndex(({ run, column }) => run === place?.run && column === place.column);
  const next = columns[Math.max(0, Math.min(columns.length - 1, at + right))];
  if (next === undefined) return null;
  const { run, column, counts } = next;
  const row = place === null ? counts.indexOf(Math.max(...counts)) : place.row + up;
  return { run, column, row: Math.max(lowest, Math.min(edgesUs.length - 2, row)) };
}

/**
 * Describes a place: the middle of its interval, and a text such as `run 2, 4–4.25 s: 312 requests between 8 and 10 ms,
 * 12.4 % of 2,510.`
 */
export function readAt(
  heat: Heat,
  { run, column, row }: HeatPlace,
): { readonly moment: RunMoment; readonly text: string } {
  const own = heat.map.runs[run][column];
  const text = heatText(heat.map, own, { row, unit: heat.unit });
  return {
    moment: { run, seconds: (own.fromS + own.toS) / 2 },
    text: `${intervalText(heat, run, own)}: ${text}`,
  };
}

/** A table with a row for each interval, and a column for each step of latency in which there are any requests. */
export function heatTable({ label, map, unit, runs }: Heat): Table {
  const rows = map.runs.flatMap((columns, run) =>
    columns.map((column) => ({ ...column, name: runs[run].label }))
  );
  const taken = [...map.edgesUs.keys()].filter((at) => rows.some(({ counts }) => counts[at] > 0));
  return tableOf({ caption: `Requests of ${label} by time and latency` }, rows, [
    column.name("Run", ({ name }) => name),
    column.number("End", ({ toS }) => toS, unitNamed("s")),
    ...taken.map((at) =>
      column.number<HeatColumn>(rowText(map, at, unit), ({ counts }) => counts[at], "count")
    ),
    column.number("Lower bounds", ({ bounds }) => sum([...bounds], (one) => one), "count"),
  ]);
}
