/**
 * Progress on standard error. What is shown is a pure function of the events so far; `startProgress`
 * is the thin writer: one line that changes on a terminal, plain lines elsewhere.
 */
import type { OnProgress, Progress } from "../../runner/progress.ts";
import { cellLabel } from "../cells.ts";
import { formatCount, formatDuration, formatMs, formatNumber } from "../units.ts";
import { counted } from "../words.ts";
import { encoded, fitted, harmless, type Style, styled } from "./text.ts";

type Starting = Extract<Progress, { kind: "starting" }>;
type Live = Extract<Progress, { kind: "live" }>;

export interface ProgressState {
  /** The run in progress, and its last interval. */
  readonly run: Starting | null;
  readonly live: Live | null;
}

export const NOTHING_YET: ProgressState = { run: null, live: null };

export function advance(state: ProgressState, event: Progress): ProgressState {
  switch (event.kind) {
    case "starting":
      return { run: event, live: null };
    case "live":
      return { ...state, live: event };
    case "measured":
    case "missing":
      return NOTHING_YET;
    default:
      return state;
  }
}

/** Lines that stay, told by an event; `state` is that before it. */
function lastingLines(state: ProgressState, event: Progress): Line[] {
  switch (event.kind) {
    case "planned":
      return [{ text: plannedText(event) }];
    case "note":
      return event.text.split("\n").map((text) => ({ text: harmless(text) }));
    case "measured":
      // Without a run this is `bench`, which prints the whole measurement at its end.
      return state.run
        ? [{ text: `${runText(state.run)} ${measuredText(event.measurement)}` }]
        : [];
    case "missing":
      return [{ text: missingText(event), style: "yellow" }];
    default:
      return [];
  }
}

interface Line {
  readonly text: string;
  readonly style?: Style;
}

function plannedText({ runs, cells, expectedMs }: Extract<Progress, { kind: "planned" }>): string {
  return `${counted(runs, "run")} of ${counted(cells, "cell")}, about ${
    formatDuration(expectedMs / 1_000)
  }`;
}

function runText(run: Starting): string {
  const place = String(run.order).padStart(String(run.runs).length);
  return `[${place}/${run.runs}] ${harmless(`${run.scenario}, ${cellLabel(run)}`)}:`;
}

type Measured = Extract<Progress, { kind: "measured" }>["measurement"];

function measuredText({ rate, latency, requests, checks, generator }: Measured): string {
  const wrong = requests.failed + checks.failed;
  const faults = wrong === 0 ? "" : `, ${formatCount(wrong)} failed or wrong`;
  const doubt = generator.trust === "valid" ? "" : `, ${generator.trust}`;
  return `${formatNumber(rate)} requests/s, p50 ${formatMs(latency.percentiles["50"])}, ` +
    `p99 ${formatMs(latency.percentiles["99"])}${faults}${doubt}`;
}

function missingText({ missing }: Extract<Progress, { kind: "missing" }>): string {
  const { scenario, repetition, kind, reason } = missing;
  const run = repetition === null ? "" : `, run ${repetition}`;
  return harmless(`${kind}: ${scenario}, ${cellLabel(missing)}${run}: ${reason}`);
}

const BAR_COLUMNS = 10;
/** At the end of the line: the terminal echoes ^C there, and what wraps can't be cleared. */
const ECHO_COLUMNS = 3;

/** The line that changes; "" while there is nothing to show. */
export function statusLine(state: ProgressState, columns: number): string {
  const { run, live } = state;
  if (run === null && live === null) return "";
  const parts = [
    ...(run === null ? [] : [barOf((run.order - 1 + doneRatio(live)) / run.runs), runText(run)]),
    live === null ? "starting" : liveText(live),
    leftText(state),
  ];
  return fitted(parts.filter(Boolean).join("  "), Math.max(1, columns - ECHO_COLUMNS));
}

function doneRatio(live: Live | null): number {
  return live?.durationMs ? Math.min(1, live.elapsedMs / live.durationMs) : 0;
}

function barOf(ratio: number): string {
  const full = Math.round(ratio * BAR_COLUMNS);
  return "█".repeat(full) + "░".repeat(BAR_COLUMNS - full);
}

function liveText({ ratePerSec, p99Ms, failed }: Live): string {
  const faults = failed === 0 ? "" : `, ${formatCount(failed)} failed`;
  return `${formatNumber(ratePerSec)} requests/s, p99 ${formatMs(p99Ms)}${faults}`;
}

function leftText({ run, live }: ProgressState): string {
  const leftMs = run
    ? run.remainingMs - (live?.elapsedMs ?? 0)
    : live?.durationMs
    ? live.durationMs - live.elapsedMs
    : 0;
  return leftMs > 0 ? `${formatDuration(Math.ceil(leftMs / 1_000))} left` : "";
}

export interface ProgressOutput {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  /** Asked at every line, as windows change. */
  readonly columns: () => number;
  readonly color: boolean;
  readonly unicode: boolean;
}

export interface ProgressView {
  readonly onProgress: OnProgress;
  /** Takes the changing line away. */
  stop(): void;
}

const CLEAR = "\r\x1b[2K";

export function startProgress(output: ProgressOutput): ProgressView {
  const { write, isTerminal, columns, color } = output;
  let state = NOTHING_YET;
  const onProgress = (event: Progress): void => {
    const lines = lastingLines(state, event)
      .map(({ text, style }) => (style ? styled(text, style, { color }) : text) + "\n");
    state = advance(state, event);
    const text = isTerminal
      ? [CLEAR, ...lines, statusLine(state, columns())].join("")
      : lines.join("");
    if (text) write(encoded(text, output));
  };
  const stop = (): void => {
    if (isTerminal) write(CLEAR);
  };
  return { onProgress, stop };
}
