/**
 * The live view as lines: the current run, the cells so far, and the timeline of the run. A pure function of the state,
 * the time and the size of the terminal. The number of rows decides which parts are shown, and in how many rows.
 */
import type { LiveAgent } from "../../../runner/result/progress.ts";
import {
  atMostText,
  formatCount,
  formatDuration,
  formatNumber,
  GLUE,
} from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { fitted, widthOf } from "../../writing/columns.ts";
import type { TerminalOptions, TextLine, TextSpan } from "../../writing/terminal.ts";
import type { Live } from "../live_figures.ts";
import { boardLines, boardRows } from "./leaderboard.ts";
import { fittedLine, lineOf } from "./line.ts";
import { cellText, leftText, type ProgressState, type Starting } from "./progress.ts";
import { withoutCommon } from "./table.ts";
import {
  errorsLine,
  HISTOGRAM_ROWS,
  LABEL_COLUMNS,
  labelOf,
  type LiveLayout,
  recentLatencyLines,
  TIMELINE_FIGURES,
  timelineLines,
  workersLine,
} from "./timeline.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface LiveViewOptions extends ScreenSize, Pick<TerminalOptions, "unicode"> {
  /** The current time, by the same clock as the times in the state. */
  readonly nowMs: number;
}

/** Space kept free for the cursor below the view, and for the `^C` that a terminal may echo. */
const KEPT_ROWS = 1;
const ECHO_COLUMNS = 3;

/** The view; empty while no run is in progress. */
export function liveLines(state: ProgressState, options: LiveViewOptions): TextLine[] {
  const { columns, unicode, nowMs } = options;
  const { run, intervals, board } = state;
  const live = intervals.at(-1);
  if (run === null && live === undefined) return [];
  const layout = { width: Math.max(1, columns - ECHO_COLUMNS), color: false, unicode };
  const fleet = fleetLines(live?.agents ?? [], layout.width);
  const rows = allotted(options.rows - KEPT_ROWS, [
    { part: "progress", upTo: 1 },
    { part: "run", upTo: run === null ? 0 : 1 },
    { part: "timeline", upTo: TIMELINE_FIGURES },
    { part: "errors", upTo: 1 },
    { part: "generator", upTo: 1 },
    { part: "url", upTo: 1 },
    { part: "fleet", upTo: fleet.length, step: fleet.length },
    { part: "board", upTo: run === null ? 0 : Math.min(boardRows(board), LEAST_BOARD_ROWS) },
    { part: "timeline", upTo: 2 * TIMELINE_FIGURES, step: TIMELINE_FIGURES },
    { part: "board", upTo: run === null ? 0 : boardRows(board) },
    { part: "histogram", upTo: HISTOGRAM_ROWS, step: HISTOGRAM_ROWS },
    { part: "axis", upTo: 1 },
    { part: "timeline", upTo: MOST_FIGURE_ROWS * TIMELINE_FIGURES, step: TIMELINE_FIGURES },
  ]);
  const room = (part: ViewPart): LiveLayout => ({ ...layout, rows: rows.get(part) ?? 0 });
  const shown = (part: ViewPart, lines: readonly TextLine[]): readonly TextLine[] =>
    lines.slice(0, room(part).rows);
  const progress = shown("progress", [progressLine(state, nowMs, layout)]);
  const url = live ? shown("url", [lineOf(live.url, run === null ? "bold" : "dim")]) : [];
  const lines = [
    ...run === null ? [...url, ...progress] : [
      ...progress,
      ...shown("run", [runLine(run, state, { ...layout, nowMs })]),
      ...url,
      ...shown("board", boardLines(board, room("board").rows, layout)),
    ],
    ...live === undefined ? [] : [
      ...timelineLines(intervals, { ...room("timeline"), hasAxis: room("axis").rows > 0 }),
      ...shown("errors", [errorsLine(intervals, layout)]),
      ...shown("generator", [workersLine(live)]),
      ...shown("fleet", fleet),
      ...room("histogram").rows === 0
        ? []
        : shown("histogram", recentLatencyLines(intervals, layout)),
    ],
  ];
  return lines.map((line) => fittedLine(line, layout.width, options));
}

type ViewPart =
  | ("progress" | "run" | "url" | "board" | "timeline" | "axis")
  | ("errors" | "generator" | "fleet" | "histogram");

/**
 * How many rows a part of the view wants. The same part may be listed again with lower priority, to ask for more rows.
 */
interface RowsWanted {
  readonly part: ViewPart;
  readonly upTo: number;
  /**
   * Rows are allotted only in multiples of this. For example, a histogram with some of its rows missing would mislead.
   */
  readonly step?: number;
}

const LEAST_BOARD_ROWS = 4;
const MOST_FIGURE_ROWS = 8;

/**
 * Distributes the rows among the parts.
 * @param wanted The most important part first.
 */
function allotted(rows: number, wanted: readonly RowsWanted[]): Map<ViewPart, number> {
  const given = new Map<ViewPart, number>();
  let left = Math.max(1, rows);
  for (const { part, upTo, step = 1 } of wanted) {
    const before = given.get(part) ?? 0;
    const more = step === 0 ? 0 : Math.floor(Math.min(upTo - before, left) / step) * step;
    given.set(part, before + Math.max(0, more));
    left -= Math.max(0, more);
  }
  return given;
}

const LEAST_BAR = 10;
/**
 * Width of the longest bar, in columns. With the text next to it, the line still fits into most windows without
 * wrapping.
 */
const MOST_BAR = 40;

/** The progress of the whole plan, as a bar and in words. */
function progressLine(
  state: ProgressState,
  nowMs: number,
  { width, unicode }: TerminalOptions,
): TextLine {
  const { run, beganMs, intervals, receivedMs } = state;
  const live = intervals.at(-1);
  const ofRun = live === undefined ? null : ratioOf(live);
  const ratio = run === null
    ? ofRun
    : Math.min(1, (run.order - 1 + (run.partner ? 2 : 1) * (ofRun ?? 0)) / run.runs);
  // Time left for the whole plan. It was predicted when the current run began; for a single run
  // without a plan, it is estimated from the run's progress.
  const leftMs = run !== null
    ? run.remainingMs - (nowMs - beganMs)
    : live !== undefined && ofRun
    ? live.elapsedMs * (1 / ofRun - 1) - (nowMs - receivedMs)
    : 0;
  const text = [
    ratio === null ? "" : `${Math.floor(ratio * 100)}${GLUE}%`,
    run === null
      ? elapsedText(live)
      : `run ${run.order} of ${atMostText(`${run.runs}`, run.mayEndEarly)}`,
    leftMs > 0 ? leftText(leftMs, run) : "",
  ].filter(Boolean).join(", ");
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

/** Share of the run that is done, from 0 to 1; null if unknown. */
function ratioOf({ elapsedMs, durationMs, completed, requests }: Live): number | null {
  if (durationMs) return Math.min(1, elapsedMs / durationMs);
  return requests ? Math.min(1, completed / requests) : null;
}

function elapsedText(live: Live | undefined): string {
  if (live === undefined) return "";
  const { elapsedMs, durationMs, completed, requests } = live;
  if (requests) return `${formatCount(completed)} of ${counted(requests, "request")}`;
  const elapsed = formatDuration(Math.min(elapsedMs, durationMs ?? Infinity) / 1_000);
  return durationMs ? `${elapsed} of ${formatDuration(durationMs / 1_000)}` : elapsed;
}

const LEAST_NAME = 12;

function runLine(
  run: Starting,
  { beganMs, intervals }: ProgressState,
  { nowMs, width, unicode }: TerminalOptions & { readonly nowMs: number },
): TextLine {
  const startingS = Math.floor((nowMs - beganMs) / 1_000);
  const starting = startingS < 1 ? "starting" : `starting for ${formatDuration(startingS)}`;
  const doing = intervals.length > 0 ? elapsedText(intervals.at(-1)) : starting;
  const turns = run.partner === undefined ? "" : `, alternating with ${run.partner}`;
  const text = `  ${doing}, repetition ${run.repetition}${turns}`;
  const name = fitted(cellText(run), Math.max(LEAST_NAME, width - widthOf(text)), unicode);
  return [{ text: name, style: "bold" }, { text }];
}

/**
 * An agent that has sent nothing for this long is shown as silent. An agent that is still silent after the end of the
 * load soon counts as lost.
 */
const SILENT_MS = 2_000;
const MOST_SHOWN = 8;

/** The rate of each agent, if they all fit on one line; otherwise a summary with the slowest and the silent agents. */
function fleetLines(agents: readonly LiveAgent[], width: number): TextLine[] {
  if (agents.length === 0) return [];
  const names = withoutCommon(agents.map(({ name }) => name));
  const each = agents.flatMap((agent, i): TextSpan[] => [
    { text: `  ${names[i]} ` },
    isSilent(agent) ? { text: "silent", style: "red" } : { text: rateText(agent), style: "bold" },
  ]);
  const room = width - LABEL_COLUMNS;
  const isRoom = agents.length <= MOST_SHOWN &&
    each.reduce((sum, { text }) => sum + widthOf(text), 0) <= room;
  return [[labelOf("Agents"), ...isRoom ? each : summary(agents)]];
}

function isSilent({ silentMs }: LiveAgent): boolean {
  return silentMs >= SILENT_MS;
}

function rateText({ ratePerSec }: LiveAgent): string {
  return `${formatNumber(Math.round(ratePerSec))}/s`;
}

/** Example: `12 agents, slowest n7 900/s, 1 silent (n3 for 4 s)`. */
function summary(agents: readonly LiveAgent[]): TextSpan[] {
  const [longest, ...others] = agents.filter(isSilent).toSorted((a, b) => b.silentMs - a.silentMs);
  const [slowest] = agents.filter((agent) => !isSilent(agent))
    .toSorted((a, b) => a.ratePerSec - b.ratePerSec);
  const count = `  ${counted(agents.length, "agent")}`;
  if (slowest === undefined) return [{ text: count }, { text: ", all silent", style: "red" }];
  const known = { text: `${count}, slowest ${slowest.name} ${rateText(slowest)}` };
  if (longest === undefined) return [known];
  const since = formatDuration(Math.floor(longest.silentMs / 1_000));
  const text = `, ${others.length + 1} silent (${longest.name} for ${since})`;
  return [known, { text, style: "red" }];
}
