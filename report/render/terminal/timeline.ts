/**
 * The run in progress as lines: rate and latencies over time, errors, the generator, and the latencies of the last
 * seconds. Pure.
 */
import type { LiveAgent } from "../../../runner/result/progress.ts";
import { mergeHistograms } from "../../../runner/stats/histogram/histogram.ts";
import { latencySteps } from "../../subjects/measurement.ts";
import { formatCount, formatDuration, formatMs, formatNumber, GLUE } from "../../writing/units.ts";
import { padStart, widthOf } from "../../writing/columns.ts";
import type { TerminalOptions, TextLine } from "../../writing/terminal.ts";
import { barOf, columnChart, sparkline } from "./latency.ts";
import { cell, lineOf } from "./line.ts";
import type { Live } from "./progress.ts";

export interface LiveLayout extends Pick<TerminalOptions, "unicode"> {
  readonly width: number;
  readonly rows: number;
}

/** Rows that it takes at least: requests/s, p50 and p99. */
export const TIMELINE_FIGURES = 3;
/** In narrower ones labels are shorter. */
export const NARROW_COLUMNS = 50;
const NARROW_LABEL_COLUMNS = 6;
export const LABEL_COLUMNS = 10;
const VALUE_COLUMNS = 9;
const GAP_COLUMNS = 2;

interface LiveFigure {
  readonly label: string;
  readonly short: string;
  readonly of: (interval: Live) => number | null;
  readonly text: (value: number) => string;
}

const RATE: LiveFigure = {
  label: "Requests/s",
  short: "Req/s",
  of: ({ ratePerSec }) => ratePerSec,
  text: (value) => formatNumber(value),
};
const P50: LiveFigure = {
  label: "p50",
  short: "p50",
  of: (live) => timeOf(live, live.p50Ms),
  text: formatMs,
};
const P99: LiveFigure = {
  label: "p99",
  short: "p99",
  of: (live) => timeOf(live, live.p99Ms),
  text: formatMs,
};

/** Rate and latencies over time, the newest at the right, each from 0 to the largest that is shown. */
export function timelineLines(
  intervals: readonly Live[],
  live: Live,
  { width, rows, unicode, hasAxis }: LiveLayout & { readonly hasAxis: boolean },
): TextLine[] {
  const figures = [RATE, P50, P99].filter((figure) => rows >= TIMELINE_FIGURES || figure !== P50)
    .slice(0, rows);
  const each = Math.max(1, Math.floor(rows / TIMELINE_FIGURES));
  const isNarrow = width < NARROW_COLUMNS;
  const labelColumns = isNarrow ? NARROW_LABEL_COLUMNS : LABEL_COLUMNS;
  const taken = labelColumns + VALUE_COLUMNS + 2 * GAP_COLUMNS;
  // Which intervals are shown depends on the room that their scale leaves: it gets that of the longest.
  const scales = figures.map((figure) => scaleTexts(intervals.map(figure.of), figure, each));
  const scale = Math.max(0, ...scales.flat().map(widthOf));
  const columns = Math.max(1, width - taken - scale - 1);
  const shown = stretched(intervals, live, columns);
  const charts = figures.flatMap((figure): TextLine[] => {
    const values = shown.map(figure.of);
    const texts = scaleTexts(values, figure, each);
    const value = figure.of(live);
    return columnChart(values, each, { unicode }).map((chart, row) => [
      cell(row > 0 ? "" : isNarrow ? figure.short : figure.label, labelColumns, "dim"),
      {
        text: `  ${
          padStart(row > 0 ? "" : value === null ? "–" : figure.text(value), VALUE_COLUMNS)
        }  `,
        style: "bold",
      },
      { text: `${padStart(texts[row], scale)} `, style: "dim" },
      { text: chart, style: "cyan" },
    ]);
  });
  return hasAxis
    ? [...charts, axisLine(shown, intervalMsOf(intervals), taken + scale + 1)]
    : charts;
}

/** Beside the rows of a chart: its ends, in one row both. */
function scaleTexts(
  values: readonly (number | null)[],
  { text }: Pick<LiveFigure, "text">,
  rows: number,
): string[] {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  if (most === 0) return Array<string>(rows).fill("");
  if (rows === 1) return [`0–${text(most)}`];
  return Array.from(
    { length: rows },
    (_, row) => row === 0 ? text(most) : row < rows - 1 ? "" : "0",
  );
}

/** The interval of each column: those of a run that is shorter are as wide as makes it fill the columns at its end. */
function stretched(
  intervals: readonly Live[],
  { durationMs }: Live,
  columns: number,
): readonly Live[] {
  const intervalMs = intervalMsOf(intervals);
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

/** When the first of the shown intervals began, and the last one ended. */
function axisLine(shown: readonly Live[], intervalMs: number, margin: number): TextLine {
  const [from, to] = [shown[0].elapsedMs - intervalMs, shown[shown.length - 1].elapsedMs]
    .map((ms) => formatDuration(ms / 1_000));
  const gap = shown.length - widthOf(from) - widthOf(to);
  const text = gap < 1 ? to : from + " ".repeat(gap) + to;
  return lineOf(" ".repeat(margin) + text, "dim");
}

/** With those of the intervals as a sparkline, where there are any. */
export function errorsLine(
  intervals: readonly Live[],
  live: Live,
  { width, unicode }: LiveLayout,
): TextLine {
  const labelColumns = width < NARROW_COLUMNS ? NARROW_LABEL_COLUMNS : LABEL_COLUMNS;
  const columns = Math.max(1, width - labelColumns - VALUE_COLUMNS - 2 * GAP_COLUMNS);
  const failed = stretched(intervals, live, columns).map((interval) => interval.failed);
  const isError = failed.some(Boolean);
  return [
    cell("Errors", labelColumns, "dim"),
    {
      text: `  ${padStart(formatCount(live.failed), VALUE_COLUMNS)}`,
      style: isError ? "red" : "bold",
    },
    ...(isError ? [{ text: `  ${sparkline(failed, { unicode })}`, style: "red" as const }] : []),
  ];
}

/** Null without a response: there is no latency then. */
function timeOf({ latency }: Live, ms: number): number | null {
  return latency.count === 0 ? null : ms;
}

export function workersLine({ workers: { count, cpuRatio, lateMs }, agents = [] }: Live): TextLine {
  const busiest = agents.length > 1 ? ` (agent ${busiestOf(agents)})` : "";
  const workers = count === 1 ? "1 worker," : `${count} workers, busiest${busiest}`;
  const cpu = `${Math.round(cpuRatio * 100)}${GLUE}% CPU`;
  const text = `  ${workers} ${cpu}, up to ${formatMs(lateMs)} late`;
  return [cell("Generator", LABEL_COLUMNS, "dim"), { text }];
}

function busiestOf(agents: readonly LiveAgent[]): string {
  return agents.reduce((a, b) => b.cpuRatio > a.cpuRatio ? b : a).name;
}

const LAST_MS = 3_000;
const STEPS = 8;
export const HISTOGRAM_ROWS = STEPS + 1;
const MOST_STEP_COLUMNS = 50;

/** Latencies of the last seconds, each bar a step of equal ratio. */
export function recentLatencyLines(
  intervals: readonly Live[],
  live: Live,
  room: LiveLayout,
): TextLine[] {
  const last = intervals.filter(({ elapsedMs }) => elapsedMs > live.elapsedMs - LAST_MS);
  const histogram = mergeHistograms(last.map(({ latency }) => latency));
  const spanMs = Math.min(LAST_MS, live.elapsedMs);
  const heading = `Latency of the last ${formatDuration(spanMs / 1_000)}`;
  if (histogram.count === 0) return [[{ text: heading, style: "dim" }]];
  const steps = latencySteps(histogram, STEPS);
  const bounds = Math.max(...steps.map(({ upTo }) => widthOf(upTo)));
  const most = Math.max(...steps.map(({ share }) => share));
  const columns = Math.max(8, Math.min(MOST_STEP_COLUMNS, room.width - bounds - 14));
  return [
    [{ text: heading, style: "dim" }],
    ...steps.map(({ upTo, share, text }): TextLine => [
      { text: `  ${padStart(upTo, bounds)}  ` },
      cell(barOf(share / most * columns, room), columns, "cyan"),
      { text: `  ${padStart(text, 8)}` },
    ]),
  ];
}
