/**
 * The marks of a timeline: bands behind the runs with their names, where each is steady and where it
 * changes, the selected range, the moment under the pointer, the names of the tracks.
 */
import type { Chart, Plugin } from "chart.js";
import type { TimelineChart } from "../../../model/charts/charts.ts";
import type { TimeRange } from "../../../model/charts/time_range.ts";
import { faded, type Theme } from "../charts/theme.ts";
import { startOf } from "./axis.ts";

/** The marks that change with the selection; drawn anew without a new chart. */
export interface Marks {
  range: TimeRange | null;
  /** While it is dragged, no tooltip is in the way. */
  isDragged: boolean;
}

/** Narrower runs have only their number. */
const LABEL_PX = 44;
/** Narrower parts of a run have no name. */
const NAME_PX = 52;

interface MarksFrame {
  readonly drawing: Chart;
  readonly data: TimelineChart;
  readonly theme: Theme;
}

export function timelineMarks(data: TimelineChart, theme: Theme, marks: Marks): Plugin<"line"> {
  return {
    id: "timelineMarks",
    beforeDatasetsDraw(drawing): void {
      const frame = { drawing, data, theme };
      drawing.ctx.save();
      if (data.runs.length > 1) drawRuns(frame);
      drawSteady(frame);
      drawing.ctx.restore();
    },
    afterDatasetsDraw(drawing): void {
      const frame = { drawing, data, theme };
      drawing.ctx.save();
      drawChanges(frame);
      if (marks.range !== null) drawRange(frame, marks.range);
      drawNames(frame);
      if (!marks.isDragged) drawMoment(frame);
      drawTitles(frame);
      drawing.ctx.restore();
    },
  };
}

function drawRuns({ drawing, data, theme }: MarksFrame): void {
  const { ctx, chartArea: { top, bottom } } = drawing;
  ctx.font = `11px ${theme.font}`;
  data.runs.forEach(({ label }, i) => {
    const [left, right] = edges({ drawing, data, theme }, i, { fromS: 0, toS: data.span });
    ctx.fillStyle = faded(theme.muted, 0.07);
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.fillStyle = theme.muted;
    const text = right - left > LABEL_PX ? label : label.replace(/\D+/, "");
    ctx.fillText(text, left + 2, top - 5, right - left);
  });
}

/** Shaded, with a line along its foot, and its name where there is room. */
function drawSteady(frame: MarksFrame): void {
  const { drawing: { ctx, scales: { latency } }, data, theme } = frame;
  data.runs.forEach(({ steadyFrom, t }, i) => {
    if (steadyFrom === null || t.length === 0) return;
    const [left, right] = edges(frame, i, { fromS: steadyFrom, toS: t[t.length - 1] });
    ctx.fillStyle = faded(theme.steady, 0.1);
    ctx.fillRect(left, latency.top, right - left, latency.bottom - latency.top);
    ctx.fillStyle = theme.steady;
    ctx.fillRect(left, latency.bottom - 2, right - left, 2);
  });
}

function drawChanges(frame: MarksFrame): void {
  const { drawing: { ctx, chartArea: { top, bottom } }, data, theme } = frame;
  ctx.setLineDash([3, 3]);
  ctx.lineWidth = 1;
  ctx.strokeStyle = theme.muted;
  data.runs.forEach(({ changes }, i) => {
    for (const fromS of changes) {
      const [x] = edges(frame, i, { fromS, toS: fromS });
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, bottom);
      ctx.stroke();
    }
  });
  ctx.setLineDash([]);
}

/** What each part of a run is called, where its name has room. */
function drawNames(frame: MarksFrame): void {
  const { drawing: { ctx, scales: { latency } }, data, theme } = frame;
  ctx.font = `11px ${theme.font}`;
  data.runs.forEach(({ steadyFrom, changes }, i) => {
    const name = (fromS: number, toS: number, text: string): void => {
      const [left, right] = edges(frame, i, { fromS, toS });
      if (right - left > NAME_PX) drawHaloed(frame, text, left + 4, latency.bottom - 16);
    };
    changes.forEach((change, k) => {
      if (change !== steadyFrom) name(change, changes[k + 1] ?? data.span, "change");
    });
    if (steadyFrom !== null) name(steadyFrom, data.span, "steady");
  });
}

/** What is not selected is veiled; the ends are lines where runs are not too narrow for them. */
function drawRange(frame: MarksFrame, range: TimeRange): void {
  const { drawing: { ctx, chartArea: { top, bottom } }, data, theme } = frame;
  data.runs.forEach((_, i) => {
    const [start, end] = edges(frame, i, { fromS: 0, toS: data.span });
    const [left, right] = edges(frame, i, range);
    ctx.fillStyle = faded(theme.paper, 0.66);
    ctx.fillRect(start, top, left - start, bottom - top);
    ctx.fillRect(right, top, end - right, bottom - top);
    if (end - start < LABEL_PX) return;
    ctx.fillStyle = theme.link;
    ctx.fillRect(left - 0.75, top, 1.5, bottom - top);
    ctx.fillRect(right - 0.75, top, 1.5, bottom - top);
  });
}

function drawMoment({ drawing, theme }: MarksFrame): void {
  const { ctx, chartArea: { top, bottom } } = drawing;
  const active = drawing.getActiveElements().at(0);
  if (active === undefined) return;
  ctx.fillStyle = theme.muted;
  ctx.fillRect(active.element.x - 0.5, top, 1, bottom - top);
}

function drawTitles(frame: MarksFrame): void {
  const { drawing: { ctx, scales }, data, theme } = frame;
  const tracks = [
    ["latency", `Latency, ${data.latency.unit}`],
    ["rate", "Requests/s"],
    ["cpu", `CPU, ${data.cpu?.unit}`],
    ["memory", `Memory, ${data.memory?.unit}`],
  ];
  ctx.font = `600 11px ${theme.font}`;
  for (const [track, title] of tracks) {
    const scale = scales[track];
    if (scale) drawHaloed(frame, title, scale.right + 4, scale.top + 3);
  }
}

/** The halo keeps a text readable on a line. */
function drawHaloed(
  { drawing: { ctx }, theme }: MarksFrame,
  text: string,
  x: number,
  y: number,
): void {
  ctx.fillStyle = theme.muted;
  ctx.strokeStyle = theme.paper;
  ctx.lineWidth = 3;
  ctx.textBaseline = "top";
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

/** Where a range of run `index` begins and ends, in pixels. */
function edges(
  { drawing, data }: MarksFrame,
  index: number,
  { fromS, toS }: TimeRange,
): [number, number] {
  const { x } = drawing.scales;
  const start = startOf(data, index);
  return [x.getPixelForValue(start + fromS), x.getPixelForValue(start + toS)];
}
