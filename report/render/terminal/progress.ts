/**
 * The progress of an experiment by its events: the run in progress, for the live view, and the lines that
 * stay. Pure; `live.ts` lays the view out, `view.ts` writes it.
 */
import type { CellProgress, Progress } from "../../../runner/result/progress.ts";
import type { Missing } from "../../../runner/result/result.ts";
import { cellKey } from "../../../base/figures/cells.ts";
import { trialSentence } from "../../subjects/capacity.ts";
import {
  boundText,
  formatCount,
  formatDuration,
  formatMs,
  formatNumber,
} from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { cellLabel } from "../../cells/cell_label.ts";
import { type Latent, percentileBounds, poolLatency } from "../../figures/pool.ts";
import type { TextSpan } from "../../writing/terminal.ts";
import { errorRatioOf, errorsOf } from "../../figures/errors.ts";

export type Starting = Extract<Progress, { kind: "starting" }>;
export type Live = Extract<Progress, { kind: "live" }>;

export interface ProgressState {
  /** The run in progress, and when it began by the view's clock. */
  readonly run: Starting | null;
  readonly beganMs: number;
  /** Its last intervals, the newest last, and when it came. */
  readonly intervals: readonly Live[];
  readonly receivedMs: number;
  /** Notes so far: each is printed once, not with every run. */
  readonly notes: readonly string[];
  /** Why parts of the plan were not measured, each reason once: many cells may have the same. */
  readonly reasons: readonly string[];
  readonly board: Board;
}

const EMPTY_BOARD: Board = {
  cells: 0,
  until: null,
  repetitions: 0,
  scenario: "",
  scenarios: new Map(),
};

export const NOTHING_YET: ProgressState = {
  run: null,
  beganMs: 0,
  intervals: [],
  receivedMs: 0,
  notes: [],
  reasons: [],
  board: EMPTY_BOARD,
};

/** As many as a wide terminal has columns. */
const MOST_INTERVALS = 400;

/** @param nowMs When the event came, by any clock that doesn't go back. */
export function advance(before: ProgressState, event: Progress, nowMs: number): ProgressState {
  const state = { ...before, board: advanceBoard(before.board, event) };
  switch (event.kind) {
    case "starting":
      return { ...withoutRun(state), run: event, beganMs: nowMs };
    case "note":
      return { ...state, notes: [...state.notes, event.text] };
    case "live": {
      const intervals = [...state.intervals.slice(1 - MOST_INTERVALS), event];
      return { ...state, intervals, receivedMs: nowMs };
    }
    case "missing":
      return withoutRun({ ...state, reasons: [...state.reasons, event.missing.reason] });
    case "measured":
      return withoutRun(state);
    default:
      return state;
  }
}

function withoutRun({ notes, reasons, board }: ProgressState): ProgressState {
  return { ...NOTHING_YET, notes, reasons, board };
}

/** The lines of an event, which stay; `state` is that before it. The live view has the time left below them. */
export function lastingLines(
  state: ProgressState,
  event: Progress,
  isLive: boolean,
): TextSpan[] {
  switch (event.kind) {
    case "planned":
      return [{ text: plannedText(event) }];
    case "note":
      // Of one line: an agent, whose notes these may be, begins none of its own.
      return state.notes.includes(event.text) ? [] : [{ text: event.text }];
    case "measured":
      // Without a run this is `bench`, which prints the whole measurement at its end.
      return state.run ? [measuredLine(state.run, event, isLive)] : [];
    case "missing":
      return missingLines(event, state.reasons);
    case "trial":
      return [{ text: trialSentence(event) }];
    default:
      return [];
  }
}

function plannedText(
  { cells, runs, expectedMs, mostRuns, mostMs }: Extract<Progress, { kind: "planned" }>,
): string {
  const least = `${counted(runs, "run")} of ${counted(cells, "cell")}, about ${
    timeText(expectedMs)
  }`;
  return mostRuns === runs
    ? least
    : `From ${least}, to ${counted(mostRuns, "run")}, about ${timeText(mostMs)}`;
}

function timeText(ms: number): string {
  return formatDuration(ms / 1_000);
}

type MeasuredEvent = Extract<Progress, { kind: "measured" }>;

function measuredLine(run: Starting, event: MeasuredEvent, isLive: boolean): TextSpan {
  const { measurement: { generator: { trust } } } = event;
  const rest = isLive ? "" : restText(event);
  return {
    text: `${placeText(run)} ${cellText(run)}: ${measuredText(event)}${rest}`,
    ...trust === "invalid" ? { style: "yellow" } : {},
  };
}

/** `[2/9]`, as wide for every run. */
function placeText({ order, runs }: Starting): string {
  return `[${String(order).padStart(String(runs).length)}/${runs}]`;
}

/** `static, express · connections 50`. */
export function cellText(run: Starting): string {
  return `${run.scenario}, ${cellLabel(run)}`;
}

function measuredText({ measurement }: MeasuredEvent): string {
  const { rate, requests: { dropped }, generator } = measurement;
  const wrong = errorsOf([measurement]).count - dropped;
  const errors = (wrong === 0 ? "" : `, ${formatCount(wrong)} failed or wrong`) +
    (dropped === 0 ? "" : `, ${formatCount(dropped)} never sent`);
  const doubt = generator.trust === "valid" ? "" : `, ${generator.trust}`;
  return `${formatNumber(rate)} requests/s, ${latencyText(measurement)}${errors}${doubt}`;
}

function latencyText(measurement: Latent): string {
  const { count, percentile } = poolLatency([measurement]);
  if (count === 0) return "no latency";
  return [50, 99].map((p) => {
    const { value, isAtLeast } = percentile(p);
    return `p${p} ${boundText(formatMs(value), isAtLeast)}`;
  }).join(", ");
}

function restText({ remainingMs = 0 }: MeasuredEvent): string {
  return remainingMs > 0 ? ` (${leftText(remainingMs)})` : "";
}

export function leftText(ms: number): string {
  return `${formatDuration(Math.ceil(ms / 1_000))} left`;
}

/** With what its program printed last, unless another cell had the same reason. */
function missingLines(
  { missing }: Extract<Progress, { kind: "missing" }>,
  reasons: readonly string[],
): TextSpan[] {
  const { scenario, repetition, kind, reason, evidence } = missing;
  const run = repetition === null ? "" : `, run ${repetition}`;
  const what = `${kind}: ${scenario}, ${cellLabel(missing)}${run}`;
  if (reasons.includes(reason)) return [{ text: `${what}: for the same reason`, style: "yellow" }];
  return [
    { text: `${what}: ${reason}`, style: "yellow" },
    ...evidence.map((line): TextSpan => ({ text: `  ${line}`, style: "dim" })),
  ];
}

// The cells so far.

/** A cell with a run that ended. */
export interface BoardCell {
  readonly label: string;
  readonly figure: CellProgress["figure"];
  /** Null where no run was measured, or none has the figure. */
  readonly value: number | null;
  readonly isAtLeast: boolean;
  readonly interval: CellProgress["interval"];
  readonly halfWidth: number | null;
  readonly measured: number;
  readonly failed: number;
  /** Of its requests: `errorRatioOf`. */
  readonly wrongRatio: number;
  /** Runs that are not valid. */
  readonly doubted: number;
}

export interface Board {
  /** How many there will be. */
  readonly cells: number;
  readonly until: number | null;
  /** So far: of each cell. */
  readonly repetitions: number;
  /** That of the run in progress, or of the last one. */
  readonly scenario: string;
  /** In the order of their first results, each with its cells by key. */
  readonly scenarios: ReadonlyMap<string, ReadonlyMap<string, BoardCell>>;
}

function advanceBoard(board: Board, event: Progress): Board {
  switch (event.kind) {
    case "planned":
      return { ...board, cells: event.cells, until: event.until };
    case "starting":
      return { ...board, repetitions: event.repetitions, scenario: event.scenario };
    case "cell":
      return withCell(board, event.cell.runs[0], (before) => measuredCell(event.cell, before));
    case "missing":
      return event.missing.repetition === null ? board : withFailed(board, event.missing);
    default:
      return board;
  }
}

function withCell(
  board: Board,
  run: Pick<Missing, "target" | "scenario" | "parameters">,
  next: (before: BoardCell | undefined) => BoardCell,
): Board {
  const cells = new Map(board.scenarios.get(run.scenario));
  cells.set(cellKey(run), next(cells.get(cellKey(run))));
  return { ...board, scenarios: new Map(board.scenarios).set(run.scenario, cells) };
}

function measuredCell(
  { runs, figure, value, interval, halfWidth }: CellProgress,
  before: BoardCell | undefined,
): BoardCell {
  return {
    label: cellLabel(runs[0]),
    figure,
    value,
    isAtLeast: figure === "p99" && percentileBounds(runs, 99).isAtLeast,
    interval,
    halfWidth,
    measured: runs.length,
    failed: before?.failed ?? 0,
    wrongRatio: errorRatioOf(runs) ?? 0,
    doubted: runs.filter(({ generator }) => generator.trust !== "valid").length,
  };
}

function withFailed(board: Board, missing: Missing): Board {
  return withCell(board, missing, (before) => ({
    label: cellLabel(missing),
    figure: "rate",
    value: null,
    isAtLeast: false,
    interval: null,
    halfWidth: null,
    measured: 0,
    wrongRatio: 0,
    doubted: 0,
    ...before,
    failed: (before?.failed ?? 0) + 1,
  }));
}
