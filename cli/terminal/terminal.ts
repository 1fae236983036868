/** Standard output and standard error, and what the terminal can show. Both streams accept only `Written` text. */
import { clearInterval, setInterval } from "node:timers";
import type { ScreenSize } from "../../report/render/terminal/live.ts";
import type { LiveOutput, ProgressView } from "../../report/render/terminal/view.ts";
import { type TerminalOptions, textLines } from "../../report/writing/terminal.ts";
import type { Written } from "../../report/writing/written.ts";
import { messageOf, TargetError } from "../../base/errors.ts";
import { variable } from "./process.ts";
import { secrets } from "../../base/secrets.ts";

const encoder = new TextEncoder();

/** Matches the error EIO of a closed terminal, for which Deno has no class. */
const HUNG_UP = /\(os error 5\)/;

/**
 * Writes all of the text to standard output. It is not an error if the reader has gone (`| head`, a closed terminal).
 * Throws a TargetError if the text can't be written for another reason, such as a full disk.
 */
export async function print(...texts: readonly Written[]): Promise<void> {
  const bytes = encoder.encode(secrets.form(texts.join("")));
  try {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || HUNG_UP.test(messageOf(error))) return;
    throw new TargetError(`Cannot write to standard output: ${messageOf(error)}`);
  }
}

/** Writes to standard error synchronously, so that the order of progress and other output is kept. Ignores errors. */
export function printError(...texts: readonly Written[]): void {
  writeError(secrets.sentence(texts.join("")));
}

const UNSHOWN =
  "Cannot show what went wrong. This is a defect of Plateau: please report it, with " +
  "the command that you ran, but without its secrets\n";

/**
 * Prints a constant line about a failure whose own message can't be printed, perhaps because secrets can't be removed
 * from it.
 */
export function printUnshown(): void {
  writeError(UNSHOWN);
}

function writeError(text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
  } catch {
    // There is no other place to report the error.
  }
}

/** The size that is assumed if no terminal reports its size. */
const DEFAULT_SIZE: ScreenSize = { columns: 100, rows: 24 };

/** A flag that every command accepts. */
const NO_COLOR = "--no-color";

/** What a stream can show; default: standard output. */
export function terminalOptions(stream: { isTerminal(): boolean } = Deno.stdout): TerminalOptions {
  const isTerminal = stream.isTerminal();
  return {
    width: isTerminal ? screenSize().columns : DEFAULT_SIZE.columns,
    color: isTerminal && !isDumb() && !variable("NO_COLOR") && !Deno.args.includes(NO_COLOR),
    unicode: isUnicode(),
  };
}

/**
 * Whether the locale is UTF-8. The variables are read in the order that POSIX defines. Terminals of Windows always are
 * UTF-8.
 */
function isUnicode(): boolean {
  if (Deno.build.os === "windows") return true;
  const [locale = ""] = ["LC_ALL", "LC_CTYPE", "LANG"].flatMap((name) => variable(name) || []);
  return /utf-?8/i.test(locale);
}

function isDumb(): boolean {
  return variable("TERM") === "dumb";
}

function screenSize(): ScreenSize {
  try {
    const { columns, rows } = Deno.consoleSize();
    return { columns: columns || DEFAULT_SIZE.columns, rows: rows || DEFAULT_SIZE.rows };
  } catch {
    return DEFAULT_SIZE;
  }
}

/** The progress output of a quiet command: only warnings, each only once. */
function warningsView(): ProgressView {
  const told = new Set<string>();
  const nothing = (): void => {};
  return {
    onProgress: (event) => {
      if (event.kind !== "note" || !event.isWarning || told.has(event.text)) return;
      told.add(event.text);
      printError(textLines([event.text], terminalOptions(Deno.stderr)));
    },
    redraw: nothing,
    resume: nothing,
    stop: nothing,
  };
}

/** Interval at which the time left is updated if nothing else happens. */
const REDRAW_MS = 1_000;

/** Shows progress on standard error: as a live view on a terminal, as lines elsewhere, and only warnings if `quiet`. */
export async function progressView(quiet: boolean): Promise<ProgressView> {
  if (quiet) return warningsView();
  const { startProgress } = await import("../../report/render/terminal/view.ts");
  const isLive = hasLiveView();
  const view = startProgress({
    ...terminalOptions(Deno.stderr),
    write: printError,
    live: isLive ? await liveOutput() : null,
    nowMs: () => performance.now(),
  });
  return isLive ? keptUp(view) : view;
}

async function liveOutput(): Promise<LiveOutput> {
  const { liveLines } = await import("../../report/render/terminal/live.ts");
  return { size: screenSize, linesOf: liveLines };
}

/**
 * Whether standard error is a terminal for a live view. False for a dumb terminal, which can't move back to an earlier
 * line; in CI, where the log would keep every frame; and with NO_COLOR, which asks for plain text.
 */
function hasLiveView(): boolean {
  return Deno.stderr.isTerminal() && !isDumb() && !variable("CI") && !variable("NO_COLOR");
}

/** Redraws the view regularly, and removes it when the program ends, even if that is early. */
function keptUp(view: ProgressView): ProgressView {
  const timer = setInterval(view.redraw, REDRAW_MS).unref();
  const signals: readonly [Deno.Signal, () => void][] = Deno.build.os === "windows" ? [] : [
    ["SIGWINCH", view.redraw],
    ["SIGCONT", view.resume], // after Ctrl-Z and `fg`, because the shell has written below the view
  ];
  for (const [name, heed] of signals) Deno.addSignalListener(name, heed);
  const stop = (): void => {
    clearInterval(timer);
    for (const [name, heed] of signals) Deno.removeSignalListener(name, heed);
    globalThis.removeEventListener("unload", stop);
    view.stop();
  };
  globalThis.addEventListener("unload", stop);
  return { ...view, stop };
}
