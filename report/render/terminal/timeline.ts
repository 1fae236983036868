/**
 * The current run as lines: rate and latencies over time, errors, the generator, and the latencies of the last seconds.
 * Pure.
 */
import { EMPTY, mergeHistograms } from "../../../runner/stats/histogram/histogram.ts";
import { histogramTable } from "../../subjects/tables/histogram.ts";
import { formatCount, formatDuration, formatMs, GLUE } from "../../writing/units.ts";
import { padEnd, padStart, widthOf } from "../../writing/columns.ts";
import type { TerminalOptions, TextLine, TextSpan } from "../../writing/terminal.ts";
import { type Live, type LiveFigure, liveFigures } from "../live_figures.ts";
import { columnChart, sparkline } from "./bars.ts";
import { lineOf } from "./line.ts";
import { tableLines } from "./table.ts";

export interface LiveLayout extends TerminalOptions {
  readonly rows: number;
}

export const LABEL_COLUMNS = 10;
const VALUE_COLUMNS = 9;
const GAP = "  ";
const BESIDE_COLUMNS = LABEL_COLUMNS + VALUE_COLUMNS + 2 * GAP.length;

export function labelOf(text: string): TextSpan {
  return { text: padEnd(text, LABEL_COLUMNS), style: "dim" };
}

/** The number of figures. With fewer rows than this, not all figures are shown. */
export const TIMELINE_FIGURES = 3;

/**
 * Charts of rate and latencies over time, the newest on the right. Each chart reaches from 0 to the largest value
 * shown.
 */
export function timelineLines(
  intervals: readonly Live[],
  { width, rows, unicode, hasAxis }: LiveLayout & { readonly hasAxis: boolean },
): TextLine[] {
  const live = intervals[intervals.length - 1];
  const figures = liveFigures(live)
    .filter((_, i) => rows >= TIMELINE_FIGURES || i !== 1)
    .slice(0, rows);
  const each = Math.max(1, Math.floor(rows / TIMELINE_FIGURES));
  // The width of the scale decides which intervals fit, and the shown intervals decide the scale. So the scale gets the
  // width that it needs for all intervals, shown or not.
  const scales = figures.flatMap((figure) => scaleTexts(intervals, figure, each));
  const scale = Math.max(0, ...scales.map(widthOf));
  const shown = stretched(intervals, width - BESIDE_COLUMNS - scale - 1);
  const charts = figures.flatMap((figure): TextLine[] => {
    const texts = scaleTexts(shown, figure, each);
    const value = figure.of(live);
    const now = value === null ? "–" : figure.text(value);
    return columnChart(shown.map(figure.of), each, { unicode }).map((chart, row) => [
      labelOf(row > 0 ? "" : figure.label),
      { text: GAP + padStart(row > 0 ? "" : now, VALUE_COLUMNS) + GAP, style: "bold" },
      { text: `${padStart(texts[row], scale)} `, style: "dim" },
      { text: chart, style: "cyan" },
    ]);
  });
  if (!hasAxis) return charts;
  // When the first shown interval began, and when the last one ended.
  const [from, to] = [shown[0].elapsedMs - intervalMsOf(intervals), live.elapsedMs]
    .map((ms) => formatDuration(ms / 1_000));
  const gap = shown.length - widthOf(from) - widthOf(to);
  const axis = gap < 1 ? to : from + " ".repeat(gap) + to;
  return [...charts, lineOf(" ".repeat(BESIDE_COLUMNS + scale + 1) + axis, "dim")];
}

/**
 * Labels of the scale beside a chart's rows: the maximum in the first row and 0 in the last, or both in the only row.
 */
function scaleTexts(
  intervals: readonly Live[],
  { of, text }: LiveFigure,
  rows: number,
): string[] {
  const most = Math.max(0, ...intervals.map((interval) => of(interval) ?? 0));
  const ends = most === 0 ? ["", ""] : [text(most), "0"];
  if (rows === 1) return [most === 0 ? "" : `0–${ends[0]}`];
  return [ends[0], ...Array<string>(rows - 2).fill(""), ends[1]];
}

/**
 * The interval that each column shows. If a run has fewer intervals than there are columns, each interval is stretched
 * over several columns, so that the run fills all columns when it ends.
 */
function stretched(intervals: readonly Live[], room: number): readonly Live[] {
  const columns = Math.max(1, room);
  const intervalMs = intervalMsOf(intervals);
  const { durationMs } = intervals[intervals.length - 1];
  const expected = durationMs === null || !(intervalMs > 0) ? columns : durationMs / intervalMs;
  if (expected >= columns || intervals.length > expected) return intervals.slice(-columns);
  const filled = Math.ceil(intervals.length / expected * columns);
  return Array.from(
    { length: Math.min(columns, filled) },
    (_, column) =>
      intervals[Math.min(intervals.length - 1, Math.floor(column / columns * expected))],
  );
}

function intervalMsOf([first, second]: readonly Live[]): number {
  return second === undefined ? first.elapsedMs : second.elapsedMs - first.elapsedMs;
}

/** Number of errors and, if there are any, a sparkline of the errors in each interval. */
export function errorsLine(
  intervals: readonly Live[],
  { width, unicode }: TerminalOptions,
): TextLine {
  const live = intervals[intervals.length - 1];
  const failed = stretched(intervals, width - BESIDE_COLUMNS).map(({ failed }) => failed);
  const style = failed.some(Boolean) ? "red" : "bold";
  return [
    labelOf("Errors"),
    { text: GAP + padStart(formatCount(live.failed), VALUE_COLUMNS), style },
    { text: style === "red" ? GAP + sparkline(failed, { unicode }) : "", style },
  ];
}

/**
 * The CPU use of the busiest worker, the agent to which it belongs if there are several, and the longest that an event
 * waited for any worker.
 */
export function workersLine({ workers: { count, cpuRatio, lateMs }, agents = [] }: Live): TextLine {
  const agent = agents.length > 1
    ? ` (agent ${agents.reduce((a, b) => b.cpuRatio > a.cpuRatio ? b : a).name})`
    : "";
  const workers = count === 1 ? "1 worker," : `${count} workers, busiest${agent}`;
  const cpu = `${Math.round(cpuRatio * 100)}${GLUE}% CPU`;
  const text = `${workers} ${cpu}, up to ${formatMs(lateMs)} late`;
  return [labelOf("Generator"), { text: GAP + text }];
}

const LAST_MS = 3_000;
const STEPS = 8;
export const HISTOGRAM_ROWS = STEPS + 1;

/**
 * Latencies of the last seconds, or times between messages, as one bar for each range of times. All ranges span the
 * same ratio.
 */
export function recentLatencyLines(
  intervals: readonly Live[],
  options: TerminalOptions,
): TextLine[] {
  const { elapsedMs, messages } = intervals[intervals.length - 1];
  const lead = messages?.lead ?? null;
  const last = intervals.filter((interval) => interval.elapsedMs > elapsedMs - LAST_MS);
  const histogram = mergeHistograms(
    last.map(({ latency, messages }) => lead === null ? latency : messages?.[lead].all ?? EMPTY),
  );
  const span = formatDuration(Math.min(LAST_MS, elapsedMs) / 1_000);
  const [what, time, counted] = lead === null
    ? ["response", "Latency", "Requests"]
    : ["message", lead === "gap" ? "Gaps" : "Latency", "Messages"];
  if (histogram.count === 0) return [lineOf(`No ${what} in the last ${span}`, "dim")];
  const label = `${time} of the last ${span}, up to`;
  return tableLines(histogramTable(histogram, { steps: STEPS, label, of: counted }), options);
}
