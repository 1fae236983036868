/// <reference lib="dom" />
/** How a heatmap is drawn: a column an interval, a row a step of latency, a colour for the share of the interval's requests. */
import type { Chart, ChartConfiguration } from "chart.js";
import {
  type HeatColumn,
  type Heatmap,
  heatOf,
  type HeatPlace,
  rowText,
} from "../../subjects/charts/heatmap.ts";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { type DisplayUnit, formatCount } from "../../writing/units.ts";
import { TICKS_PX, valueScale } from "../charts/scales.ts";
import { faded, type Theme } from "../charts/theme.ts";
import { numberElement, rowHead, tableElement } from "../tables/element.ts";
import { intervalText, type RunMoment, type RunsAxis, startOf, timeScale } from "./axis.ts";

/** What a heatmap shows, and what of it. */
export interface Heat {
  readonly label: string;
  readonly map: Heatmap;
  /** Of the latencies. */
  readonly unit: DisplayUnit;
  readonly repetitions: readonly number[];
  /** Positions of the runs that are shown. */
  shown: readonly number[];
  range: TimeRange | null;
  /** Under the pointer, or where the arrow keys led. */
  place: HeatPlace | null;
  /** Under the pointer in another chart of the scenario. */
  moment: RunMoment | null;
}

/** The shown runs side by side. */
export function heatAxis({ map, shown, repetitions }: Heat): RunsAxis {
  const runs = shown.map((i) => ({
    label: `run ${repetitions[i]}`,
    t: map.runs[i].map(({ toS }) => toS),
  }));
  return { span: Math.max(1e-3, ...runs.map(({ t }) => t.at(-1) ?? 0)), runs };
}

/** @param heatOf Null before the intervals are unpacked: then nothing is drawn. */
export function heatConfig(current: () => Heat | null, theme: Theme): ChartConfiguration<"line"> {
  const heat = current();
  const scales = heat === null ? { x: { display: false }, y: { display: false } } : {
    x: timeScale(heatAxis(heat), theme),
    y: {
      ...valueScale(
        {
          unit: heat.unit.name,
          scale: "log",
          min: msOf(heat, heat.map.edgesUs[0]),
          max: msOf(heat, heat.map.edgesUs[heat.map.edgesUs.length - 1]),
        },
        theme,
        6,
      ),
      afterFit: (scale: { width: number }): void =>
        void (scale.width = Math.max(scale.width, TICKS_PX)),
    },
  };
  return {
    type: "line",
    data: { datasets: [] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      events: [],
      layout: { padding: { top: 16, right: 4 } },
      scales,
    },
    plugins: [{
      id: "heatmap",
      afterDraw: (drawing) => {
        const heat = current();
        if (heat === null) return;
        drawing.ctx.save();
        drawHeat({ drawing, heat, theme });
        drawing.ctx.restore();
      },
    }],
  };
}

function msOf({ unit }: Heat, us: number): number {
  return us / 1_000 / unit.size;
}

interface HeatFrame {
  readonly drawing: Chart;
  readonly heat: Heat;
  readonly theme: Theme;
}

function drawHeat(frame: HeatFrame): void {
  const { drawing: { ctx, chartArea, scales: { x } }, heat, theme } = frame;
  const { map, shown, place, moment, repetitions, range } = heat;
  const axis = heatAxis(heat);
  const rows = map.edgesUs.map((us) =>
    rounded(frame.drawing.scales.y.getPixelForValue(msOf(heat, us)))
  );
  const edgeOf = (run: number, seconds: number): number =>
    rounded(x.getPixelForValue(startOf(axis, run) + seconds));
  shown.forEach((position, run) => {
    const columns = map.runs[position];
    for (const column of columns) {
      const [left, right] = [edgeOf(run, column.fromS), edgeOf(run, column.toS)];
      drawColumn(frame, column, { left, width: Math.max(1, right - left), rows });
    }
    drawFloor(frame, { left: edgeOf(run, 0), right: edgeOf(run, axis.span), y: rows[map.lowest] });
    if (shown.length > 1) drawRun(frame, `run ${repetitions[position]}`, edgeOf(run, 0));
    const at = place?.run === position ? columns[place.column] : undefined;
    if (place && at) {
      const [left, right] = [edgeOf(run, at.fromS), edgeOf(run, at.toS)];
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 2;
      ctx.strokeRect(
        left,
        rows[place.row + 1],
        Math.max(2, right - left),
        rows[place.row] - rows[place.row + 1],
      );
    }
    if (range === null) return;
    ctx.fillStyle = faded(theme.paper, 0.66);
    const { top, bottom } = chartArea;
    const [start, end] = [edgeOf(run, 0), edgeOf(run, axis.span)];
    ctx.fillRect(start, top, edgeOf(run, range.fromS) - start, bottom - top);
    ctx.fillRect(edgeOf(run, range.toS), top, end - edgeOf(run, range.toS), bottom - top);
  });
  if (moment !== null && moment.run < shown.length) {
    const at = edgeOf(moment.run, Math.min(axis.span, moment.seconds));
    drawCrosshair(frame, at);
  }
}

/** Or neighbours would leave a seam, half of a pixel each. */
function rounded(pixel: number): number {
  return Math.round(pixel * devicePixelRatio) / devicePixelRatio;
}

interface ColumnPlace {
  readonly left: number;
  readonly width: number;
  /** Pixels of the edges, from the lowest latency up. */
  readonly rows: readonly number[];
}

// hot: a heatmap has thousands of places.
/** The line that timelines have at the moment under the pointer. */
function drawCrosshair({ drawing: { ctx, chartArea }, theme }: HeatFrame, x: number): void {
  ctx.strokeStyle = theme.ink;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(x, chartArea.top);
  ctx.lineTo(x, chartArea.bottom);
  ctx.stroke();
}

function drawColumn(
  { drawing: { ctx }, theme }: HeatFrame,
  { counts, bounds, total }: HeatColumn,
  { left, width, rows }: ColumnPlace,
): void {
  for (let row = 0; row < counts.length; row++) {
    const heat = heatOf(counts[row], total);
    if (heat < 0) continue;
    const top = rows[row + 1];
    const height = rows[row] - top;
    ctx.fillStyle = theme.heat(heat);
    ctx.fillRect(left, top, width, height);
    if (bounds[row] === 0) continue;
    // They took longer than that: an edge towards the longer times.
    ctx.fillStyle = theme.alarm;
    ctx.fillRect(left, top, width, Math.min(2, height));
  }
}

/** Below it nothing is counted: what was faster is in the row above it. */
function drawFloor(
  { drawing: { ctx }, theme }: HeatFrame,
  { left, right, y }: { readonly left: number; readonly right: number; readonly y: number },
): void {
  ctx.strokeStyle = theme.muted;
  ctx.lineWidth = 2;
  ctx.setLineDash([2, 2]);
  ctx.beginPath();
  ctx.moveTo(left, y + 1);
  ctx.lineTo(right, y + 1);
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawRun(
  { drawing: { ctx, chartArea: { top } }, theme }: HeatFrame,
  text: string,
  left: number,
): void {
  ctx.fillStyle = theme.muted;
  ctx.font = `11px ${theme.font}`;
  ctx.textBaseline = "bottom";
  ctx.fillText(text, left + 2, top - 2);
}

/** A row an interval, a column a step of latency that any request took. */
export function heatTable({ label, map, unit, repetitions }: Heat): HTMLElement {
  const all = map.runs.flat();
  const rows = [...map.edgesUs.keys()].slice(1).map((edge) => edge - 1)
    .filter((row) => all.some(({ counts }) => counts[row] > 0));
  const heads = [
    { label: "Run", unit: "" },
    { label: "Interval", unit: "" },
    ...rows.map((row) => ({
      label: rowText(map.edgesUs, row, unit, row === map.lowest),
      unit: "",
    })),
    { label: "Lower bounds", unit: "" },
  ];
  const body = map.runs.flatMap((columns, run) =>
    columns.map((column) => [
      rowHead(`run ${repetitions[run]}`),
      numberElement({ text: intervalText(column), value: column.fromS }),
      ...rows.map((row) => countElement(column.counts[row])),
      countElement(column.bounds.reduce((sum, count) => sum + count, 0)),
    ])
  );
  return tableElement(`Requests of ${label} by moment and latency`, heads, body);
}

function countElement(count: number): HTMLTableCellElement {
  return numberElement({ text: formatCount(count), value: count });
}
