/** Where texts for people go, and what can be shown there. */
import type { ProgressView } from "../report/terminal/progress.ts";
import type { TerminalOptions } from "../report/terminal/text.ts";

/** Writes to standard output, to the last byte. A reader that has gone (`| head`) is no error. */
export async function print(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** Writes to standard error, at once: progress must not overtake what follows it. */
export function printError(text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** Columns where no terminal says how many it has. */
const DEFAULT_WIDTH = 100;

/** What standard output (or the given stream) can show. */
export function terminalOptions(stream: { isTerminal(): boolean } = Deno.stdout): TerminalOptions {
  const isTerminal = stream.isTerminal();
  return {
    width: isTerminal ? columns() : DEFAULT_WIDTH,
    color: isTerminal && !Deno.env.get("NO_COLOR") && Deno.env.get("TERM") !== "dumb",
    unicode: isUnicode(),
  };
}

/** By the locale, in the order in which POSIX reads it; Windows' terminals all are. */
function isUnicode(): boolean {
  if (Deno.build.os === "windows") return true;
  const [locale = ""] = ["LC_ALL", "LC_CTYPE", "LANG"].flatMap((name) => Deno.env.get(name) || []);
  return /utf-?8/i.test(locale);
}

function columns(): number {
  try {
    return Deno.consoleSize().columns || DEFAULT_WIDTH;
  } catch {
    return DEFAULT_WIDTH;
  }
}

const NO_PROGRESS: ProgressView = { onProgress: () => {}, stop: () => {} };

/** Progress on standard error, unless it is to be quiet. */
export async function progressView(quiet: boolean): Promise<ProgressView> {
  if (quiet) return NO_PROGRESS;
  const { startProgress } = await import("../report/terminal/progress.ts");
  const { color, unicode } = terminalOptions(Deno.stderr);
  return startProgress({
    write: printError,
    isTerminal: Deno.stderr.isTerminal(),
    columns,
    color,
    unicode,
  });
}
