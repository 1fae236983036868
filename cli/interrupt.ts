/** Ctrl-C: the first one ends the work in order, a second one ends it at once. */
import { EXIT } from "../scenarios/errors.ts";

/**
 * Does `work` until it is done or a signal (INT, TERM) asks it to finish early; then the exit code is
 * that of an interruption, whatever the work says.
 */
export async function interruptible(
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const abort = new AbortController();
  const onSignal = (): void => {
    if (abort.signal.aborted) Deno.exit(EXIT.interrupted);
    abort.abort();
  };
  for (const name of SIGNALS) Deno.addSignalListener(name, onSignal);
  try {
    const code = await work(abort.signal);
    return abort.signal.aborted ? EXIT.interrupted : code;
  } catch (error) {
    if (abort.signal.aborted && error === abort.signal.reason) return EXIT.interrupted;
    throw error;
  } finally {
    for (const name of SIGNALS) Deno.removeSignalListener(name, onSignal);
  }
}

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];
