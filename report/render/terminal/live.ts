/**
 * The live view: the run in progress, the cells so far, and the timeline of the run, as lines. A pure function of the
 * state, the moment and the size of the terminal: each part gets more rows, or none, as there are.
 */
import type { LiveAgent } from "../../../runner/result/progress.ts";
import { formatCount, formatDuration, formatNumber, GLUE } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { fitted, padStart, widthOf } from "../../writing/columns.ts";
import type { TerminalOptions, TextLine, TextSpan } from "../../writing/terminal.ts";
import { boardLines, boardRows } from "./leaderboard.ts";
import { cell, fittedLine, lineOf } from "./line.ts";
import { cellText, leftText, type Live, type ProgressState } from "./progress.ts";
import { withoutCommon } from "./table.ts";
import {
  errorsLine,
  HISTOGRAM_ROWS,
  LABEL_COLUMNS,
  type LiveLayout,
  NARROW_COLUMNS,
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
  /** By the clock of the state. */
  readonly nowMs: number;
}

/** Below the view stands the cursor; at the end of a line a terminal may echo ^C. */
const KEPT_ROWS = 1;
const ECHO_COLUMNS = 3;

/** None while no run is in progress. */
export function liveLines(state: ProgressState, options: LiveViewOptions): TextLine[] {
  const width = Math.max(1, options.columns - ECHO_COLUMNS);
  const live = state.intervals.at(-1);
  if (state.run === null && live === undefined) return [];
  const fleet = live === undefined ? [] : fleetLines(live.agents ?? [], { ...options, width });
  const needed = { fleet: fleet.length, board: boardRows(state.board, width) };
  const rows = allotted(rowsWanted(state.run !== null, needed), options.rows - KEPT_ROWS);
  const room = (part: ViewPart): LiveLayout => ({ ...options, width, rows: rows.get(part) ?? 0 });
  const url = live === undefined ? [] : [lineOf(live.url, state.run === null ? "bold" : "dim")];
  const lines = [
    ...(state.run === null ? url.slice(0, room("url").rows) : []),
    ...[progressLine(state, options, width)].slice(0, room("progress").rows),
    ...(state.run === null ? [] : [
      ...runLines(state, { ...room("run"), nowMs: options.nowMs }).slice(0, room("run").rows),
      ...url.slice(0, room("url").rows),
      ...boardLines(state.board, room("board")),
    ]),
    ...(live === undefined ? [] : [
      ...timelineLines(state.intervals, live, {
        ...room("timeline"),
        hasAxis: room("axis").rows > 0,
      }),
      ...[errorsLine(state.intervals, live, room("errors"))].slice(0, room("errors").rows),
      ...[workersLine(live)].slice(0, room("generator").rows),
      ...fleet.slice(0, room("fleet").rows),
      ...(room("histogram").rows > 0
        ? recentLatencyLines(state.intervals, live, room("histogram"))
        : []),
    ]),
  ];
  return lines.map((line) => fittedLine(line, width, options));
}

type ViewPart =
  | "progress"
  | "run"
  | "url"
  | "board"
  | "timeline"
  | "axis"
  | "errors"
  | "generator"
  | "fleet"
  | "histogram";

interface RowsWanted {
  readonly part: ViewPart;
  readonly upTo: number;
  /** Rows come in as many at once: a histogram without its last steps would mislead. */
  readonly step?: number;
}

const LEAST_BOARD_ROWS = 4;
const MOST_FIGURE_ROWS = 8;

/** What parts get rows for, the most needed first; a part comes again with more than the others needed. */
function rowsWanted(
  isRun: boolean,
  { fleet, board }: { fleet: number; board: number },
): RowsWanted[] {
  return [
    { part: "progress", upTo: 1 },
    { part: "run", upTo: isRun ? 1 : 0 },
    { part: "timeline", upTo: TIMELINE_FIGURES },
    { part: "errors", upTo: 1 },
    { part: "generator", upTo: 1 },
    { part: "url", upTo: 1 },
    { part: "fleet", upTo: fleet, step: fleet },
    { part: "board", upTo: isRun ? Math.min(board, LEAST_BOARD_ROWS) : 0 },
    { part: "timeline", upTo: 2 * TIMELINE_FIGURES, step: TIMELINE_FIGURES },
    { part: "board", upTo: isRun ? board : 0 },
    { part: "histogram", upTo: HISTOGRAM_ROWS, step: HISTOGRAM_ROWS },
    { part: "axis", upTo: 1 },
    { part: "timeline", upTo: MOST_FIGURE_ROWS * TIMELINE_FIGURES, step: TIMELINE_FIGURES },
  ];
}

function allotted(wanted: readonly RowsWanted[], rows: number): Map<ViewPart, number> {
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
  const text = width < NARROW_COLUMNS ? `  ${doing}` : `  repetition ${run.repetition}, ${doing}`;
  const name = fitted(cellText(run), Math.max(LEAST_NAME, width - widthOf(text)), unicode);
  return [[{ text: name, style: "bold" }, { text }]];
}

// The agents of a fleet: each with its rate, or, of many, a summary.

/** As long as it takes until an agent counts as lost after the end. */
const SILENT_MS = 2_000;
const MOST_SHOWN = 8;
const MOST_LINES = 2;
const LEAST_AGENT_NAME = 4;
const GAP = 3;

function fleetLines(agents: readonly LiveAgent[], room: Omit<LiveLayout, "rows">): TextLine[] {
  if (agents.length === 0) return [];
  const rows = agents.length > MOST_SHOWN
    ? [summary(agents)]
    : agentRows(agents, room.width - LABEL_COLUMNS - 2, room.unicode);
  return rows.map((row, i) => [
    cell(i === 0 ? "Agents" : "", LABEL_COLUMNS, "dim"),
    { text: "  " },
    ...row,
  ]);
}

/** In columns, as many as fit; names are shortened where they would need more lines, first by their common beginning. */
function agentRows(agents: readonly LiveAgent[], width: number, unicode: boolean): TextSpan[][] {
  const values = agents.map(valueOf);
  const valueWidth = Math.max(...values.map(widthOf));
  const least = Math.ceil(agents.length / MOST_LINES);
  const most = Math.floor((width + GAP) / least) - GAP - valueWidth - 1;
  const whole = agents.map(({ name }) => name);
  const names = whole.some((name) => widthOf(name) > most) ? withoutCommon(whole) : whole;
  const nameWidth = Math.min(Math.max(...names.map(widthOf)), Math.max(LEAST_AGENT_NAME, most));
  const columns = Math.max(least, Math.floor((width + GAP) / (nameWidth + 1 + valueWidth + GAP)));
  const pieces = agents.map((agent, i): TextSpan[] => [
    cell(`${fitted(names[i], nameWidth, unicode)} `, nameWidth + 1),
    { text: padStart(values[i], valueWidth), style: isSilent(agent) ? "red" : "bold" },
    { text: " ".repeat(GAP) },
  ]);
  return Array.from(
    { length: Math.ceil(agents.length / columns) },
    (_, row) => pieces.slice(row * columns, (row + 1) * columns).flat(),
  );
}

function valueOf(agent: LiveAgent): string {
  return isSilent(agent) ? "silent" : `${formatNumber(Math.round(agent.ratePerSec))}/s`;
}

function isSilent({ silentMs }: LiveAgent): boolean {
  return silentMs >= SILENT_MS;
}

/** `12 agents, slowest n7 900/s, 1 silent (n3 for 4 s)` */
function summary(agents: readonly LiveAgent[]): TextSpan[] {
  const reporting = agents.filter((agent) => !isSilent(agent));
  const silent = agents.filter(isSilent);
  const count = { text: counted(agents.length, "agent") };
  if (reporting.length === 0) return [count, { text: ", all silent", style: "red" }];
  const slowest = reporting.reduce((a, b) => b.ratePerSec < a.ratePerSec ? b : a);
  const pieces: TextSpan[] = [
    count,
    { text: `, slowest ${slowest.name} ` },
    { text: valueOf(slowest), style: "bold" },
  ];
  if (silent.length === 0) return pieces;
  const longest = silent.reduce((a, b) => b.silentMs > a.silentMs ? b : a);
  const forText = `${longest.name} for ${formatDuration(Math.floor(longest.silentMs / 1_000))}`;
  return [...pieces, { text: `, ${silent.length} silent (${forText})`, style: "red" }];
}
