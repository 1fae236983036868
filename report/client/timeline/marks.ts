/**
 * The marks of runs over time: bands behind the runs with their names, where each is steady, where it changes, what of
 * it is discarded, what was planned to happen, the selected range, the interval under the pointer, the names of the
 * tracks. Texts stand above the lines, never on them.
 */
import type { Chart, Plugin } from "chart.js";
import type { TimelineMark, TimelineRun } from "../../chart.ts";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { strokeLines } from "../charts/strokes.ts";
import { faded, type Theme } from "../charts/theme.ts";
import { intervalTimes, type RunMoment, type RunsAxis, startOf } from "./axis.ts";

/** The marks that change with the selection; drawn anew without a new chart. */
export interface Marks {
  range: TimeRange | null;
  /** Under the pointer, in any chart of the scenario; null while something is dragged. */
  moment: RunMoment | null;
  /** The track under the pointer: where many targets share a frame, only its values are shown. */
  track: string | null;
}

/** What is marked: seconds from the start of each run. */
export interface MarkedRuns extends RunsAxis {
  readonly marks: readonly TimelineMark[];
  readonly runs:
    readonly (Pick<TimelineRun, "label" | "t" | "steadyFrom" | "changes" | "discardedS">)[];
  /** Whether there is room for labels. */
  readonly isLabelled: boolean;
}

/** Of tracks, by the names of their scales. */
export type TrackTitles = Readonly<Record<string, string>>;

/** Narrower runs have only their number. */
const LABEL_PX = 44;
const ROWS = 2;
const ROW_PX = 13;
const RUNS_PX = 14;
const TOP_PX = 4;

/** Room above the tracks: two rows of labels where there are any, above them the names of the runs. */
export function labelsPx({ isLabelled, runs }: MarkedRuns): number {
  return TOP_PX + (isLabelled ? ROWS * ROW_PX : 0) + (runs.length > 1 ? RUNS_PX : 0);
}

interface MarksFrame {
  readonly drawing: Chart;
  readonly data: MarkedRuns;
  readonly theme: Theme;
}

export function timelineMarks(
  data: MarkedRuns,
  theme: Theme,
  { marks, titles }: { readonly marks: Marks; readonly titles: TrackTitles },
): Plugin<"line"> {
  return {
    id: "timelineMarks",
    beforeDatasetsDraw(drawing): void {
      const frame = { drawing, data, theme };
      drawing.ctx.save();
      if (data.runs.length > 1) drawRuns(frame);
      drawSteady(frame);
      drawDiscarded(frame);
      drawing.ctx.restore();
    },
    afterDatasetsDraw(drawing): void {
      const frame = { drawing, data, theme };
      drawing.ctx.save();
      drawMoments(frame);
      if (marks.range !== null) drawRange(frame, marks.range);
      drawLabels(frame);
      if (marks.moment !== null) drawPointed(frame, momentOf(data, marks.moment));
      drawTitles(frame, titles);
      drawing.ctx.restore();
    },
  };
}

function drawRuns(frame: MarksFrame): void {
  const { drawing: { ctx, chartArea: { top, bottom } }, data, theme } = frame;
  ctx.font = `11px ${theme.font}`;
  ctx.textBaseline = "top";
  data.runs.forEach(({ label }, i) => {
    const [left, right] = edges(frame, i, { fromS: 0, toS: data.span });
    ctx.fillStyle = faded(theme.muted, 0.07);
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.fillStyle = theme.muted;
    const text = right - left > LABEL_PX ? label : label.replace(/\D+/, "");
    ctx.fillText(text, left + 2, TOP_PX, right - left);
  });
}

/** Shaded, with a line along its foot. */
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

/** From one line of the hatching to the next, pixels. */
const HATCH_PX = 7;

function drawDiscarded(frame: MarksFrame): void {
  const { drawing: { ctx, chartArea: { top, bottom } }, data, theme } = frame;
  data.runs.forEach(({ discardedS }, i) => {
    if (discardedS === undefined) return;
    const [left, right] = edges(frame, i, { fromS: 0, toS: discardedS });
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, right - left, bottom - top);
    ctx.fillStyle = faded(theme.muted, 0.1);
    ctx.fill();
    ctx.clip();
    ctx.strokeStyle = faded(theme.muted, 0.3);
    ctx.lineWidth = 1;
    const height = bottom - top;
    const hatches = Math.ceil((right - left + height) / HATCH_PX);
    strokeLines(
      ctx,
      Array.from({ length: hatches }, (_, i) => left - height + i * HATCH_PX)
        .map((from) => [from, bottom, from + height, top]),
    );
    ctx.restore();
  });
}

/** Solid: planned. Dashed: found. */
function drawMoments(frame: MarksFrame): void {
  const { drawing: { ctx, chartArea: { top, bottom } }, data, theme } = frame;
  const draw = (color: string, dash: number[], seconds: readonly number[], run: number): void => {
    ctx.lineWidth = 1;
    ctx.setLineDash(dash);
    ctx.strokeStyle = color;
    const places = seconds.map((fromS) => edges(frame, run, { fromS, toS: fromS })[0]);
    strokeLines(ctx, places.map((x) => [x, top, x, bottom]));
  };
  const planned = data.marks.map(({ atS }) => atS).filter((atS) => atS > 0);
  data.runs.forEach(({ changes }, i) => {
    draw(theme.muted, [3, 3], changes, i);
    draw(theme.ink, [], planned, i);
  });
  ctx.setLineDash([]);
}

/** What was planned first, then what is discarded, then what was found. */
function drawLabels(frame: MarksFrame): void {
  const { drawing: { ctx, chartArea: { top } }, data, theme } = frame;
  ctx.font = `11px ${theme.font}`;
  ctx.textBaseline = "bottom";
  ctx.fillStyle = theme.muted;
  data.runs.forEach((run, i) => {
    const [left, right] = edges(frame, i, { fromS: 0, toS: data.span });
    const labels = labelsOf(run, data.marks).map(({ atS, label: text }): MomentLabel => {
      const [at] = edges(frame, i, { fromS: atS, toS: atS });
      return { text, width: ctx.measureText(text).width, at, left, right };
    });
    for (const { text, left, row } of placedLabels(labels, ROWS)) {
      ctx.fillText(text, left, top - 1 - row * ROW_PX);
    }
  });
}

function labelsOf(
  { steadyFrom, changes, discardedS }: MarkedRuns["runs"][number],
  marks: readonly TimelineMark[],
): TimelineMark[] {
  return [
    ...marks,
    ...(discardedS === undefined ? [] : [{ atS: 0, label: "discarded" }]),
    ...(steadyFrom === null ? [] : [{ atS: steadyFrom, label: "steady" }]),
    ...changes.filter((atS) => atS !== steadyFrom).map((atS) => ({ atS, label: "change" })),
  ];
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

/** Runs that share a frame are one. */
export function momentOf({ runs }: RunsAxis, moment: RunMoment): RunMoment {
  return runs.length === 1 ? { ...moment, run: 0 } : moment;
}

/** The whole interval: its values hold from its start to its end. */
function drawPointed(frame: MarksFrame, moment: RunMoment): void {
  const { drawing: { ctx, chartArea: { top, bottom } }, data, theme } = frame;
  const times = intervalTimes(data, moment);
  if (times === null) return;
  const [left, right] = edges(frame, moment.run, times);
  ctx.fillStyle = faded(theme.ink, 0.14);
  ctx.fillRect(left, top, Math.max(1, right - left), bottom - top);
}

function drawTitles({ drawing: { ctx, scales }, theme }: MarksFrame, titles: TrackTitles): void {
  ctx.font = `600 11px ${theme.font}`;
  ctx.fillStyle = theme.muted;
  ctx.textBaseline = "top";
  // A halo, where a mark goes through.
  ctx.strokeStyle = theme.paper;
  ctx.lineWidth = 3;
  for (const [track, title] of Object.entries(titles)) {
    const scale = scales[track];
    if (!scale) continue;
    ctx.strokeText(title, scale.right + 4, scale.top + 3);
    ctx.fillText(title, scale.right + 4, scale.top + 3);
  }
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

// Labels begin at their moments, in rows above the tracks, so that none covers a line or another label. One without room
// is left out: its moment is still drawn, and what was planned is named below the figure.

interface MomentLabel {
  readonly text: string;
  /** Pixels. */
  readonly width: number;
  readonly at: number;
  /** Between which it may stand: the ends of its run. */
  readonly left: number;
  readonly right: number;
}

interface PlacedLabel {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** From 0, the lowest. */
  readonly row: number;
}

/** Blank between two labels of a row, pixels. */
const GAP_PX = 6;

/** In the order of importance: the first ones find room first. */
export function placedLabels(labels: readonly MomentLabel[], rows: number): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  for (const { text, width, at, left, right } of labels) {
    const from = Math.max(left, Math.min(at, right - width));
    if (from + width > right) continue;
    const row = Array.from({ length: rows }, (_, row) => row).find((row) =>
      placed.every((other) =>
        other.row !== row || other.right + GAP_PX <= from || from + width + GAP_PX <= other.left
      )
    );
    if (row !== undefined) placed.push({ text, left: from, right: from + width, row });
  }
  return placed;
}
