/**
 * Writes progress to standard error: on a terminal, permanent lines with the live view below them; elsewhere, only the
 * lines. Clock, timer and stream are passed in.
 */
import type { OnProgress, Progress } from "../../../runner/result/progress.ts";
import type { liveLines, ScreenSize } from "./live.ts";
import { advance, lastingLines, NOTHING_YET } from "./progress.ts";
import {
  Screen,
  type TerminalOptions,
  type TextLine,
  writtenLines,
} from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { lineOf, paragraphLines } from "./line.ts";

interface ProgressOutput extends Pick<TerminalOptions, "color" | "unicode"> {
  readonly write: (text: Written<"terminal">) => void;
  /** Null without a live view, whose code is then not loaded, so that the load can start sooner. */
  readonly live: LiveOutput | null;
  /** Time by any monotonic clock. */
  readonly nowMs: () => number;
}

export interface LiveOutput {
  /** Size of the terminal, read each time because windows change. */
  readonly size: () => ScreenSize;
  readonly linesOf: typeof liveLines;
}

export interface ProgressView {
  readonly onProgress: OnProgress;
  /** Redraws the view, because time has passed or the window has another size. */
  redraw(): void;
  /** Shows the view again, after other code has written to the terminal. */
  resume(): void;
  /** Removes the live view for good. */
  stop(): void;
}

/** At most five frames a second, so that short intervals don't keep the terminal busy. */
const LEAST_REDRAW_MS = 200;

export function startProgress(output: ProgressOutput): ProgressView {
  const { write, nowMs, live } = output;
  const screen = new Screen(output);
  let state = NOTHING_YET;
  let drawnMs = -Infinity;
  let isOver = false;
  const draw = (above: readonly TextLine[] = []): void => {
    if (live === null) {
      if (above.length > 0) write(writtenLines(above, output));
      return;
    }
    const size = live.size();
    drawnMs = nowMs();
    const lines = isOver ? [] : live.linesOf(state, { ...output, ...size, nowMs: drawnMs });
    write(screen.changed(lines, size.columns, above));
  };
  const lasting = (event: Progress): TextLine[] =>
    lastingLines(state, event, live !== null).flatMap(({ text, style }) =>
      live === null ? [lineOf(text, style)] : paragraphLines(text, live.size().columns, style)
    );
  return {
    onProgress: (event) => {
      const above = lasting(event);
      state = advance(state, event, nowMs());
      if (event.kind !== "live" || nowMs() - drawnMs >= LEAST_REDRAW_MS) draw(above);
    },
    redraw: () => draw(),
    resume: () => {
      screen.forget();
      draw();
    },
    stop: () => {
      if (isOver) return;
      isOver = true;
      draw();
    },
  };
}
