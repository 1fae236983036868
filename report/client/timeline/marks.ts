/**
 * The marks of runs over time: a band with the name of each run, its steady part, detected changes, the discarded part,
 * planned moments, the selected range, the interval under the pointer, and the titles of the tracks. No text covers a
 * line of the chart.
 */
import type { Chart, Plugin } from "chart.js";
import type { TimelineMark, TimelineRun } from "../../chart.ts";
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { faded, strokeLines, type Theme } from "../charts/theme.ts";
import { intervalTimes, type RunMoment, type RunsAxis, startOf } from "./axis.ts";

/** The marks that change as the reader selects or points; they are redrawn without making a new chart. */
export interface Marks {
  range: TimeRange | null;
  /**
   * The moment under the pointer, or reached with the arrow keys, in any chart of the scenario; null if there is none,
   * and during a drag.
   */
  moment: RunMoment | null;
  /** The track under the pointer. If several targets share a frame, only the values of this track are shown. */
  track: string | null;
}

/** What is marked in runs that are shown side by side. Moments are in seconds from the start of each run. */
export interface MarkedRuns extends RunsAxis {
  readonly marks: readonly TimelineMark[];
  readonly runs:
    readonly (Pick<TimelineRun, "label" | "t" | "steadyFrom" | "changes" | "discardedS">)[];
  /** Whether the chart leaves room for labels. */
  readonly isLabelled: boolean;
  /** Tracks from the top. Each id is that of the track's axis. */
  readonly tracks: readonly { readonly id: string; readonly title: string }[];
}

/** For runs narrower than this, only their number is shown. */
const LABEL_PX = 44;
const ROWS = 2;
const ROW_PX = 13;
const RUNS_PX = 14;
const TOP_PX = 4;

/**
 * Height of the room above the tracks: two rows for labels if there are any, and a row above them for the names of
 * runs.
 */
export function labelsPx({ isLabelled, runs }: MarkedRuns): number {
  return TOP_PX + (isLabelled ? ROWS * ROW_PX : 0) + (runs.length > 1 ? RUNS_PX : 0);
}

export function timelineMarks(data: MarkedRuns, theme: Theme, marks: Marks): Plugin<"line"> {
  const draw = (drawing: Chart, part: (made: MarksDrawing) => void): void => {
    drawing.ctx.save();
    part(new MarksDrawing(drawing, data, theme));
    drawing.ctx.restore();
  };
  return {
    id: "timelineMarks",
    beforeDatasetsDraw: (drawing) => draw(drawing, (made) => made.drawBehind()),
    afterDatasetsDraw: (drawing) => draw(drawing, (made) => made.drawAbove(marks)),
  };
}

/** Distance between the lines of the hatching, px. */
const HATCH_PX = 7;

class MarksDrawing {
  readonly #ctx: CanvasRenderingContext2D;
  readonly #top: number;
  readonly #height: number;

  constructor(
    private readonly drawing: Chart,
    private readonly data: MarkedRuns,
    private readonly theme: Theme,
  ) {
    const { ctx, chartArea: { top, bottom } } = drawing;
    [this.#ctx, this.#top, this.#height] = [ctx, top, bottom - top];
  }

  drawBehind(): void {
    this.data.runs.forEach((run, i) => {
      if (this.data.runs.length > 1) this.#drawRun(run.label, i);
      if (run.steadyFrom !== null && run.t.length > 0) {
        this.#drawSteady(i, { fromS: run.steadyFrom, toS: run.t[run.t.length - 1] });
      }
      if (run.discardedS !== undefined) this.#drawDiscarded(i, run.discardedS);
    });
  }

  drawAbove({ range, moment }: Marks): void {
    this.data.runs.forEach((run, i) => {
      this.#drawMoments(run, i);
      if (range !== null) this.#drawRange(i, range);
      this.#drawLabels(run, i);
    });
    if (moment !== null) this.#drawPointed(momentOf(this.data, moment));
    this.#drawTitles();
  }

  /** Position of a moment of run `index`, px. */
  #x(index: number, seconds: number): number {
    return this.drawing.scales.x.getPixelForValue(startOf(this.data, index) + seconds);
  }

  #fill(color: string, [left, right]: readonly number[]): void {
    this.#ctx.fillStyle = color;
    this.#ctx.fillRect(left, this.#top, right - left, this.#height);
  }

  #drawRun(label: string, i: number): void {
    const [left, right] = [this.#x(i, 0), this.#x(i, this.data.span)];
    this.#fill(faded(this.theme.muted, 0.07), [left, right]);
    this.#ctx.font = `11px ${this.theme.font}`;
    this.#ctx.textBaseline = "top";
    this.#ctx.fillStyle = this.theme.muted;
    const text = right - left > LABEL_PX ? label : label.replace(/\D+/, "");
    this.#ctx.fillText(text, left + 2, TOP_PX, right - left);
  }

  /** Shades the steady part, and draws a line along its foot. */
  #drawSteady(i: number, { fromS, toS }: TimeRange): void {
    const { latency: { top, bottom } } = this.drawing.scales;
    const [left, right] = [this.#x(i, fromS), this.#x(i, toS)];
    this.#ctx.fillStyle = faded(this.theme.steady, 0.1);
    this.#ctx.fillRect(left, top, right - left, bottom - top);
    this.#ctx.fillStyle = this.theme.steady;
    this.#ctx.fillRect(left, bottom - 2, right - left, 2);
  }

  #drawDiscarded(i: number, untilS: number): void {
    const [ctx, top, height] = [this.#ctx, this.#top, this.#height];
    const [left, right] = [this.#x(i, 0), this.#x(i, untilS)];
    this.#fill(faded(this.theme.muted, 0.1), [left, right]);
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, right - left, height);
    ctx.clip();
    ctx.strokeStyle = faded(this.theme.muted, 0.3);
    ctx.lineWidth = 1;
    const hatches = Math.ceil((right - left + height) / HATCH_PX);
    strokeLines(
      ctx,
      Array.from({ length: hatches }, (_, i) => left - height + i * HATCH_PX)
        .map((from) => [from, top + height, from + height, top]),
    );
    ctx.restore();
  }

  /** Draws vertical lines: solid ones at planned moments, dashed ones at detected changes. */
  #drawMoments({ changes }: MarkedRuns["runs"][number], i: number): void {
    const draw = (color: string, dash: number[], seconds: readonly number[]): void => {
      this.#ctx.lineWidth = 1;
      this.#ctx.setLineDash(dash);
      this.#ctx.strokeStyle = color;
      const places = seconds.map((atS) => this.#x(i, atS));
      strokeLines(this.#ctx, places.map((x) => [x, this.#top, x, this.#top + this.#height]));
    };
    draw(this.theme.muted, [3, 3], changes);
    draw(this.theme.ink, [], this.data.marks.map(({ atS }) => atS).filter((atS) => atS > 0));
  }

  /** Draws labels. Planned moments take precedence, then the discarded part, then what was detected. */
  #drawLabels({ steadyFrom, changes, discardedS }: MarkedRuns["runs"][number], i: number): void {
    const found: TimelineMark[] = [
      ...discardedS === undefined ? [] : [{ atS: 0, label: "discarded" }],
      ...steadyFrom === null ? [] : [{ atS: steadyFrom, label: "steady" }],
      ...changes.filter((atS) => atS !== steadyFrom).map((atS) => ({ atS, label: "change" })),
    ];
    this.#ctx.font = `11px ${this.theme.font}`;
    this.#ctx.textBaseline = "bottom";
    this.#ctx.fillStyle = this.theme.muted;
    const labels = [...this.data.marks, ...found].map(({ atS, label: text }) => ({
      ...{ text, width: this.#ctx.measureText(text).width, at: this.#x(i, atS) },
      ...{ left: this.#x(i, 0), right: this.#x(i, this.data.span) },
    }));
    for (const { text, left, row } of placedLabels(labels, ROWS)) {
      this.#ctx.fillText(text, left, this.#top - 1 - row * ROW_PX);
    }
  }

  /** Fades everything outside the selected range, and draws lines at its ends unless the runs are too narrow. */
  #drawRange(i: number, { fromS, toS }: TimeRange): void {
    const { theme } = this;
    const [start, left, right, end] = [0, fromS, toS, this.data.span].map((s) => this.#x(i, s));
    this.#fill(faded(theme.paper, 0.66), [start, left]);
    this.#fill(faded(theme.paper, 0.66), [right, end]);
    if (end - start < LABEL_PX) return;
    for (const at of [left, right]) this.#fill(theme.link, [at - 0.75, at + 0.75]);
  }

  /** Highlights the whole interval that contains the moment, because its values hold from its start to its end. */
  #drawPointed(moment: RunMoment): void {
    const times = intervalTimes(this.data, moment);
    if (times === null) return;
    const [left, right] = [times.fromS, times.toS].map((s) => this.#x(moment.run, s));
    this.#fill(faded(this.theme.ink, 0.14), [left, Math.max(left + 1, right)]);
  }

  #drawTitles(): void {
    const ctx = this.#ctx;
    ctx.font = `600 11px ${this.theme.font}`;
    ctx.fillStyle = this.theme.muted;
    ctx.textBaseline = "top";
    // A halo around the text keeps it readable where a mark crosses it.
    ctx.strokeStyle = this.theme.paper;
    ctx.lineWidth = 3;
    for (const { id, title } of this.data.tracks) {
      const { right, top } = this.drawing.scales[id];
      ctx.strokeText(title, right + 4, top + 3);
      ctx.fillText(title, right + 4, top + 3);
    }
  }
}

/**
 * The moment as a chart shows it. A chart with only one run, such as the median of all runs, shows the moments of every
 * run in that one.
 */
export function momentOf({ runs }: RunsAxis, moment: RunMoment): RunMoment {
  return runs.length === 1 ? { ...moment, run: 0 } : moment;
}

// Labels begin at their moments, in rows above the tracks, so that no label covers a line or
// another label. A label without room is left out, but its moment is still drawn, and planned
// moments are also named below the figure.

interface Label {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

/** The least gap between two labels in a row, px. */
const GAP_PX = 6;

/**
 * Places labels in rows, of which 0 is the lowest. The first labels are the most important, so they are placed first.
 * Labels for which there is no room are left out.
 * @param labels Each has the position of its moment (`at`), and the ends of the run (`left`, `right`) between which the
 * label must lie.
 */
export function placedLabels(
  labels: readonly (Label & { readonly width: number; readonly at: number })[],
  rows: number,
): (Label & { readonly row: number })[] {
  const placed: Label[][] = Array.from({ length: rows }, () => []);
  for (const { text, width, at, left, right } of labels) {
    const from = Math.max(left, Math.min(at, right - width));
    const label = { text, left: from, right: from + width };
    if (label.right > right) continue;
    const row = placed.find((others) =>
      others.every((other) => other.right + GAP_PX <= from || label.right + GAP_PX <= other.left)
    );
    row?.push(label);
  }
  return placed.flatMap((row, i) => row.map((label) => ({ ...label, row: i })));
}
