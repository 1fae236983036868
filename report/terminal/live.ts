/**
 * The live view: the run in progress, as lines. A pure function of the state, the moment and the size of
 * the terminal; in a low terminal the parts at the end go first.
 */
import type { LiveAgent } from "../../runner/result/progress.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { latencySteps } from "../model/measurement.ts";
import {
  formatCount,
  formatDuration,
  formatMs,
  formatNumber,
  GLUE,
} from "../model/numbers/units.ts";
import { counted } from "../model/numbers/words.ts";
import { fitted, padStart, widthOf } from "../writing/columns.ts";
import type { Style, TerminalOptions, TextLine } from "../writing/terminal.ts";
import { barOf, sparkline } from "./latency.ts";
import { fleetLines } from "./fleet.ts";
import { cell, fittedLine } from "./line.ts";
import { cellText, leftText, type Live, type ProgressState } from "./progress.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface LiveViewOptions extends ScreenSize, Pick<TerminalOptions, "unicode"> {
  /** By the clock of the state. */
  readonly nowMs: number;
}

interface LiveLayout extends Pick<TerminalOptions, "unicode"> {
  readonly width: number;
}

/** Below the view stands the cursor; at the end of a line a terminal may echo ^C. */
const KEPT_ROWS = 1;
const ECHO_COLUMNS = 3;

/** None while no run is in progress. */
export function liveLines(state: ProgressState, options: LiveViewOptions): TextLine[] {
  const width = Math.max(1, options.columns - ECHO_COLUMNS);
  const live = state.intervals.at(-1);
  if (state.run === null && live === undefined) return [];
  const room = { width, unicode: options.unicode };
  const lines = [
    progressLine(state, options, width),
    ...runLines(state, { ...room, nowMs: options.nowMs }),
    ...(live === undefined ? [] : [
      ...figureLines(state.intervals, live, room),
      workersLine(live),
      ...fleetLines(live.agents ?? [], { ...room, labelColumns: LABEL_COLUMNS }),
      ...histogramLines(state.intervals, live, room),
    ]),
  ];
  return withinRows(lines, options.rows - KEPT_ROWS)
    .map((line) => fittedLine(line, width, options));
}

/** The view as far as whole parts of it fit: a histogram without its last steps would mislead. */
function withinRows(lines: readonly TextLine[], rows: number): TextLine[] {
  if (lines.length <= rows) return [...lines];
  const short = lines.slice(0, Math.max(1, lines.length - HISTOGRAM_ROWS));
  return short.slice(0, Math.max(1, rows));
}

const LEAST_BAR = 10;
/** With the words beside it narrower than most windows, as what a narrower one breaks takes more rows. */
const MOST_BAR = 40;

/** How much of the whole is done, as a bar and in words. */
function progressLine(
  state: ProgressState,
  { nowMs, unicode }: LiveViewOptions,
  width: number,
): TextLine {
  const { run } = state;
  const ratio = doneRatio(state);
  const words = [
    ...(ratio === null ? [] : [`${Math.floor(ratio * 100)}${GLUE}%`]),
    ...(run === null ? [elapsedText(state)] : [`run ${run.order} of ${run.runs}`]),
    ...leftTexts(state, nowMs),
  ];
  const text = words.filter(Boolean).join(", ");
  const bar = Math.min(MOST_BAR, width - widthOf(text) - 2);
  if (ratio === null || bar < LEAST_BAR) return [{ text, style: "bold" }];
  const [full, empty] = unicode ? ["━", "─"] : ["#", "."];
  const done = Math.round(ratio * bar);
  return [
    { text: full.repeat(done), style: "green" },
    { text: empty.repeat(bar - done), style: "dim" },
    { text: `  ${text}` },
  ];
}

/** Of all runs, or of the only one; null where it is unknown. */
function doneRatio({ run, intervals }: ProgressState): number | null {
  const live = intervals.at(-1);
  const ofRun = live === undefined ? 0 : ratioOf(live);
  return run === null ? ofRun : Math.min(1, (run.order - 1 + (ofRun ?? 0)) / run.runs);
}

function ratioOf({ elapsedMs, durationMs, completed, requests }: Live): number | null {
  if (durationMs) return Math.min(1, elapsedMs / durationMs);
  return requests ? Math.min(1, completed / requests) : null;
}

/** Of the whole, as was expected when the run began; of a single run, by how far it has come. */
function leftTexts(
  { run, beganMs, intervals, receivedMs }: ProgressState,
  nowMs: number,
): string[] {
  const live = intervals.at(-1);
  const ratio = live === undefined ? null : ratioOf(live);
  const leftMs = run
    ? run.remainingMs - (nowMs - beganMs)
    : live && ratio
    ? live.elapsedMs * (1 / ratio - 1) - (nowMs - receivedMs)
    : 0;
  return leftMs > 0 ? [leftText(leftMs)] : [];
}

function elapsedText({ intervals }: ProgressState): string {
  const live = intervals.at(-1);
  if (live === undefined) return "";
  const { elapsedMs, durationMs, completed, requests } = live;
  if (requests) return `${formatCount(completed)} of ${counted(requests, "request")}`;
  const elapsed = formatDuration(Math.min(elapsedMs, durationMs ?? Infinity) / 1_000);
  return durationMs ? `${elapsed} of ${formatDuration(durationMs / 1_000)}` : elapsed;
}

const LEAST_NAME = 12;

/** The run in progress; none for `bench`, whose one run is the whole. */
function runLines(
  state: ProgressState,
  { nowMs, width, unicode }: LiveLayout & Pick<LiveViewOptions, "nowMs">,
): TextLine[] {
  const { run, beganMs, intervals } = state;
  if (run === null) return [];
  const startingSec = Math.floor((nowMs - beganMs) / 1_000);
  const starting = startingSec < 1 ? "starting" : `starting for ${formatDuration(startingSec)}`;
  const doing = intervals.length > 0 ? elapsedText(state) : starting;
  const text = `  repetition ${run.repetition}, ${doing}`;
  const name = fitted(cellText(run), Math.max(LEAST_NAME, width - widthOf(text)), unicode);
  return [[{ text: name, style: "bold" }, { text }]];
}

const LABEL_COLUMNS = 10;
const VALUE_COLUMNS = 9;

/** Rate, latency and errors, each with its last intervals as a sparkline. */
function figureLines(intervals: readonly Live[], live: Live, room: LiveLayout): TextLine[] {
  const figures: [string, string, (interval: Live) => number | null, Style?][] = [
    ["Requests/s", formatNumber(live.ratePerSec), ({ ratePerSec }) => ratePerSec],
    ["p50", timeText(live, live.p50Ms), (interval) => timeOf(interval, interval.p50Ms)],
    ["p99", timeText(live, live.p99Ms), (interval) => timeOf(interval, interval.p99Ms)],
    ["Errors", formatCount(live.failed), ({ failed }) => failed],
  ];
  const columns = Math.max(0, room.width - LABEL_COLUMNS - VALUE_COLUMNS - 4);
  return figures.map(([label, text, of]) => {
    const shown = intervals.slice(-Math.max(1, columns)).map(of);
    const isError = label === "Errors" && shown.some(Boolean);
    return [
      cell(label, LABEL_COLUMNS, "dim"),
      { text: `  ${padStart(text, VALUE_COLUMNS)}  `, style: isError ? "red" : "bold" },
      { text: sparkline(shown, room), style: isError ? "red" : "cyan" },
    ];
  });
}

/** Null without a response: there is no latency then. */
function timeOf({ latency }: Live, ms: number): number | null {
  return latency.count === 0 ? null : ms;
}

function timeText(live: Live, ms: number): string {
  return timeOf(live, ms) === null ? "–" : formatMs(ms);
}

function workersLine({ workers: { count, cpuRatio, lateMs }, agents = [] }: Live): TextLine {
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
const HISTOGRAM_ROWS = STEPS + 1;
const MOST_STEP_COLUMNS = 50;

/** Latencies of the last seconds, each bar a step of equal ratio. */
function histogramLines(intervals: readonly Live[], live: Live, room: LiveLayout): TextLine[] {
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
