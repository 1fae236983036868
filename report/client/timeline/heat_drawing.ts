/// <reference lib="dom" />
/** How a heatmap is drawn: a column an interval, a row a step of latency, a colour for the share of the interval's requests. */
import type { Chart, ChartConfiguration } from "chart.js";
import {
  type HeatColumn,
  type Heatmap,
  heatOf,
  type HeatPlace,
} from "../../subjects/charts/heatmap.ts";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import type { DisplayUnit } from "../../writing/units.ts";
import { TICKS_PX, valueScale } from "../charts/scales.ts";
import { strokeLines } from "../charts/strokes.ts";
import { faded, type Theme } from "../charts/theme.ts";
import { type RunMoment, type RunsAxis, startOf, timeScale } from "./axis.ts";

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

/** @param heat Null before the intervals are unpacked: then nothing is drawn. */
export function heatConfig(heat: Heat | null, theme: Theme): ChartConfiguration<"line"> {
  const empty = { type: "linear", display: false } as const;
  const scales = heat === null ? { x: empty, y: empty } : {
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
      ),
      afterFit: (scale: { width: number }): void =>
        void (scale.width = Math.max(scale.width, TICKS_PX)),
    },
  };
  return {
    type: "line",
    data: { datasets: [] },
    options: {
      events: [],
      layout: { padding: { top: 16, right: 4 } },
      scales,
    },
    plugins: [{
      id: "heatmap",
      afterDraw: (drawing) => {
        if (heat === null) return;
        drawing.ctx.save();
        drawHeat(drawing, heat, theme);
        drawing.ctx.restore();
      },
    }],
  };
}

function msOf({ unit }: Heat, us: number): number {
  return us / 1_000 / unit.size;
}

function drawHeat(
  { ctx, chartArea: { top, bottom }, scales: { x, y } }: Chart,
  heat: Heat,
  theme: Theme,
): void {
  const { map, shown, place, moment, repetitions, range } = heat;
  const axis = heatAxis(heat);
  const rows = map.edgesUs.map((us) => rounded(y.getPixelForValue(msOf(heat, us))));
  const edgeOf = (run: number, seconds: number): number =>
    rounded(x.getPixelForValue(startOf(axis, run) + seconds));
  shown.forEach((position, run) => {
    const columns = map.runs[position];
    for (const column of columns) {
      const [left, right] = [edgeOf(run, column.fromS), edgeOf(run, column.toS)];
      drawColumn(ctx, theme, column, { left, width: Math.max(1, right - left), rows });
    }
    const [start, end] = [edgeOf(run, 0), edgeOf(run, axis.span)];
    // Below it nothing is counted: what was faster is in the row above it.
    ctx.strokeStyle = theme.muted;
    ctx.lineWidth = 2;
    ctx.setLineDash([2, 2]);
    strokeLines(ctx, [[start, rows[map.lowest] + 1, end, rows[map.lowest] + 1]]);
    ctx.setLineDash([]);
    if (shown.length > 1) {
      ctx.fillStyle = theme.muted;
      ctx.font = `11px ${theme.font}`;
      ctx.textBaseline = "bottom";
      ctx.fillText(`run ${repetitions[position]}`, start + 2, top - 2);
    }
    const at = place?.run === position ? columns[place.column] : undefined;
    if (place && at) {
      const [left, right] = [edgeOf(run, at.fromS), edgeOf(run, at.toS)];
      const upper = rows[place.row + 1];
      ctx.strokeStyle = theme.ink;
      ctx.strokeRect(left, upper, Math.max(2, right - left), rows[place.row] - upper);
    }
    if (range === null) return;
    ctx.fillStyle = faded(theme.paper, 0.66);
    ctx.fillRect(start, top, edgeOf(run, range.fromS) - start, bottom - top);
    ctx.fillRect(edgeOf(run, range.toS), top, end - edgeOf(run, range.toS), bottom - top);
  });
  if (moment === null || moment.run >= shown.length) return;
  const at = edgeOf(moment.run, Math.min(axis.span, moment.seconds));
  ctx.strokeStyle = theme.ink;
  ctx.lineWidth = 1;
  strokeLines(ctx, [[at, top, at, bottom]]);
}

/** Or neighbours would leave a seam, half of a pixel each. */
function rounded(pixel: number): number {
  return Math.round(pixel * devicePixelRatio) / devicePixelRatio;
}

// hot: a heatmap has thousands of places.
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
    // They took longer than that: an edge towards the longer times.
    ctx.fillStyle = theme.alarm;
    ctx.fillRect(left, top, width, Math.min(2, height));
  }
}
