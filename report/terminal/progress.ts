/**
 * The progress of an experiment by its events: the run in progress, for the live view, and the lines that
 * stay. Pure; `live.ts` lays the view out, `view.ts` writes it.
 */
import type { Progress } from "../../runner/result/progress.ts";
import { trialSentence } from "../model/capacity.ts";
import {
  boundText,
  formatCount,
  formatDuration,
  formatMs,
  formatNumber,
} from "../model/numbers/units.ts";
import { counted } from "../model/numbers/words.ts";
import { cellLabel } from "../model/runs/cells.ts";
import { errorsOf } from "../model/runs/figures.ts";
import { type Latent, poolLatency } from "../model/runs/pool.ts";
import type { TextSpan } from "../writing/terminal.ts";

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
}

export const NOTHING_YET: ProgressState = {
  run: null,
  beganMs: 0,
  intervals: [],
  receivedMs: 0,
  notes: [],
};

/** As many as a wide terminal has columns. */
const MOST_INTERVALS = 400;

/** @param nowMs When the event came, by any clock that doesn't go back. */
export function advance(state: ProgressState, event: Progress, nowMs: number): ProgressState {
  switch (event.kind) {
    case "starting":
      return { ...NOTHING_YET, notes: state.notes, run: event, beganMs: nowMs };
    case "note":
      return { ...state, notes: [...state.notes, event.text] };
    case "live": {
      const intervals = [...state.intervals.slice(1 - MOST_INTERVALS), event];
      return { ...state, intervals, receivedMs: nowMs };
    }
    case "measured":
    case "missing":
      return { ...NOTHING_YET, notes: state.notes };
    default:
      return state;
  }
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
      return [{ text: missingText(event), style: "yellow" }];
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

function missingText({ missing }: Extract<Progress, { kind: "missing" }>): string {
  const { scenario, repetition, kind, reason } = missing;
  const run = repetition === null ? "" : `, run ${repetition}`;
  return `${kind}: ${scenario}, ${cellLabel(missing)}${run}: ${reason}`;
}
