/**
 * The progress of an experiment, computed from its events: the current run and the cells so far, for the live view, and
 * the permanent lines above it. Pure; `live.ts` lays out the view, and `view.ts` writes it.
 */
import type { CellProgress, Progress } from "../../../runner/result/progress.ts";
import type { Measurement, Missing } from "../../../runner/result/result.ts";
import { cellKey } from "../../../base/figures/cells.ts";
import { trialSentence } from "../../subjects/capacity.ts";
import { atMostText, formatCount, formatDuration, formatNumber } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { cellLabel } from "../../cells/cell_label.ts";
import { poolLatency } from "../../figures/pool.ts";
import type { Live } from "../live_figures.ts";
import { leadOf, timeTexts } from "../../findings/lead.ts";
import type { TextSpan } from "../../writing/terminal.ts";
import { errorRatioOf, errorsOf } from "../../figures/errors.ts";

type EventOf<Kind extends Progress["kind"]> = Extract<Progress, { kind: Kind }>;
export type Starting = EventOf<"starting">;

export interface ProgressState {
  /** The current run, and when it began, by the clock of the view. */
  readonly run: Starting | null;
  readonly beganMs: number;
  /** The last intervals of the run, newest last, and when the newest arrived. */
  readonly intervals: readonly Live[];
  readonly receivedMs: number;
  /** Notes so far, so that each is printed only once and not for every run. */
  readonly notes: readonly string[];
  /**
   * Reasons so far why parts of the plan were not measured. A reason that several cells share is printed in full only
   * once.
   */
  readonly reasons: readonly string[];
  readonly board: Board;
}

/** The cells of all scenarios so far. */
export interface Board {
  /** Half width of the interval, as a share, at which repetition stops; null if the number of repetitions is fixed. */
  readonly until: number | null;
  /** Number of repetitions planned for each cell, at least until a stopping rule is checked again. */
  readonly repetitions: number;
  /** The scenario of the current run or, between runs, of the last one. */
  readonly scenario: string;
  /** Scenarios in the order of their first results, each with its cells by key. */
  readonly scenarios: ReadonlyMap<string, ReadonlyMap<string, BoardCell>>;
}

/** A cell with at least one finished run. It has no value if no run could be measured, or if no run has the figure. */
export interface BoardCell extends Omit<CellProgress, "runs"> {
  readonly label: string;
  readonly isAtLeast: boolean;
  readonly measured: number;
  readonly failed: number;
  /** Share of the cell's requests that count as errors. */
  readonly wrongRatio: number;
  /** Number of runs that are not valid. */
  readonly doubted: number;
}

const NO_RUN = { run: null, beganMs: 0, intervals: [], receivedMs: 0 } as const;
export const NOTHING_YET: ProgressState = {
  ...NO_RUN,
  notes: [],
  reasons: [],
  board: { until: null, repetitions: 0, scenario: "", scenarios: new Map() },
};

/** The most intervals that are kept: one for each column of a wide terminal. */
const MOST_INTERVALS = 400;

/**
 * The state after an event.
 * @param nowMs When the event arrived, by any monotonic clock.
 */
export function advance(before: ProgressState, event: Progress, nowMs: number): ProgressState {
  const state = { ...before, board: advanceBoard(before.board, event) };
  switch (event.kind) {
    case "starting":
      return { ...state, ...NO_RUN, run: event, beganMs: nowMs };
    case "note":
      return { ...state, notes: [...state.notes, event.text] };
    case "live": {
      const intervals = [...state.intervals.slice(1 - MOST_INTERVALS), event];
      return { ...state, intervals, receivedMs: nowMs };
    }
    case "missing":
      return { ...state, ...NO_RUN, reasons: [...state.reasons, event.missing.reason] };
    case "measured":
      return { ...state, ...NO_RUN };
    default:
      return state;
  }
}

function advanceBoard(board: Board, event: Progress): Board {
  switch (event.kind) {
    case "planned":
      return { ...board, until: event.until };
    case "starting":
      return { ...board, repetitions: event.repetitions, scenario: event.scenario };
    case "cell": {
      const { runs, ...cell } = event.cell;
      return withCell(board, runs[0], {
        ...cell,
        isAtLeast: cell.figure === "p99" && poolLatency(runs).isAtLeast(99),
        measured: runs.length,
        wrongRatio: errorRatioOf(runs) ?? 0,
        doubted: runs.filter(({ generator }) => generator.trust !== "valid").length,
      });
    }
    case "missing":
      return event.missing.repetition === null ? board : withCell(board, event.missing, null);
    default:
      return board;
  }
}

const NOTHING_MEASURED: Omit<BoardCell, "label"> = {
  ...{ figure: "rate" as const, value: null, isAtLeast: false, interval: null, halfWidth: null },
  ...{ measured: 0, failed: 0, wrongRatio: 0, doubted: 0 },
};

/**
 * The board after another run of a cell.
 * @param measured The cell with the new run; null if the run failed.
 */
function withCell(
  board: Board,
  run: Pick<Missing, "target" | "scenario" | "parameters">,
  measured: Omit<BoardCell, "label" | "failed"> | null,
): Board {
  const cells = new Map(board.scenarios.get(run.scenario));
  const before = { ...NOTHING_MEASURED, ...cells.get(cellKey(run)), label: cellLabel(run) };
  const failed = before.failed + (measured === null ? 1 : 0);
  cells.set(cellKey(run), { ...before, ...measured, failed });
  return { ...board, scenarios: new Map(board.scenarios).set(run.scenario, cells) };
}

/**
 * The permanent lines for an event.
 * @param state The state before the event.
 * @param isLive Whether a live view is shown below. The lines then leave out the time left, because the view has it.
 */
export function lastingLines(state: ProgressState, event: Progress, isLive: boolean): TextSpan[] {
  switch (event.kind) {
    case "planned":
      return [{ text: plannedText(event) }];
    case "note":
      // A note is always one line, whatever it contains. It may come from an agent, which must not
      // be able to forge other lines of this output.
      return state.notes.includes(event.text) ? [] : [{ text: event.text }];
    case "measured":
      // Without a planned run, the command is `bench`, which prints the whole measurement at its
      // end.
      return state.run === null ? [] : measuredLines(state.run, event, isLive);
    case "missing":
      return missingLines(event.missing, state.reasons);
    case "trial":
      return [{ text: trialSentence(event) }];
    default:
      return [];
  }
}

function plannedText(
  { cells, runs, expectedMs, mostRuns, mostMs, mayEndEarly }: EventOf<"planned">,
): string {
  const within = (ms: number): string => `about ${formatDuration(ms / 1_000)}`;
  const least = `${counted(runs, "run")} of ${counted(cells, "cell")}, ${within(expectedMs)}`;
  return mostRuns === runs
    ? `${mayEndEarly ? "At most " : ""}${least}`
    : `From ${least}, to ${counted(mostRuns, "run")}, ${within(mostMs)}`;
}

/** A line for the run, and one for its partner if it has one. The last line has the time left. */
function measuredLines(
  run: Starting,
  { measurement, partner, remainingMs = 0 }: EventOf<"measured">,
  isLive: boolean,
): TextSpan[] {
  const left = isLive || remainingMs <= 0 ? "" : ` (${leftText(remainingMs, run)})`;
  if (partner === undefined || run.partner === undefined) {
    return [measuredLine(run, measurement, left)];
  }
  const other = { ...run, order: run.order + 1, target: run.partner };
  return [measuredLine(run, measurement, ""), measuredLine(other, partner, left)];
}

/**
 * Example: `[2/9] static, express: 8,352 requests/s, p50 6.01 ms, p99 12.3 ms (54 s left)`. The run's number is padded
 * to the same width in every line.
 */
function measuredLine(run: Starting, measurement: Measurement, left: string): TextSpan {
  const { requests: { dropped }, generator: { trust } } = measurement;
  const lead = leadOf(measurement);
  const wrong = errorsOf([measurement]).count - dropped;
  const order = String(run.order).padStart(String(run.runs).length);
  const of = run.mayEndEarly ? ` of at most ${run.runs}` : `/${run.runs}`;
  const figures = [
    `${formatNumber(lead.ratePerSec)} ${lead.unit}/s`,
    ...timeTexts(lead, [50, 99]),
    ...wrong === 0 ? [] : [`${formatCount(wrong)} failed or wrong`],
    ...dropped === 0 ? [] : [`${formatCount(dropped)} never sent`],
    ...trust === "valid" ? [] : [trust],
  ].join(", ");
  return {
    text: `[${order}${of}] ${cellText(run)}: ${figures}${left}`,
    style: trust === "invalid" ? "yellow" : undefined,
  };
}

/** Example: `static, express · connections 50`. */
export function cellText(run: Starting): string {
  return `${run.scenario}, ${cellLabel(run)}`;
}

/** Example: `54 s left`, or `at most` that much if the run may end early. */
export function leftText(ms: number, run: Pick<Starting, "mayEndEarly"> | null): string {
  const time = formatDuration(Math.ceil(ms / 1_000));
  return `${atMostText(time, run?.mayEndEarly ?? false)} left`;
}

/**
 * The lines for a missing cell, with the last output of its program. The reason and the output are left out if another
 * cell had the same reason.
 */
function missingLines(missing: Missing, reasons: readonly string[]): TextSpan[] {
  const { scenario, repetition, kind, reason, evidence } = missing;
  const run = repetition === null ? "" : `, run ${repetition}`;
  const what = `${kind}: ${scenario}, ${cellLabel(missing)}${run}`;
  if (reasons.includes(reason)) {
    return [{ text: `${what}: for the same reason as above`, style: "yellow" }];
  }
  return [
    { text: `${what}: ${reason}`, style: "yellow" },
    ...evidence.map((line): TextSpan => ({ text: `  ${line}`, style: "dim" })),
  ];
}
