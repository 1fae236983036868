/** What `plateau run` does about frameworks that are not installed: on a terminal it asks, elsewhere nothing. */
import { prompt } from "../report/writing/terminal.ts";
import { missingFrameworks } from "../runner/experiment/missing_prerequisites.ts";
import type { Cell } from "../scenarios/plan/plan.ts";
import { setUp } from "./setup.ts";
import { printError } from "./terminal.ts";

/** Installs them if the user says yes. Throws the signal's reason when the user interrupts. */
export async function offerFrameworks(cells: readonly Cell[], signal: AbortSignal): Promise<void> {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return;
  const missing = missingFrameworks(cells);
  if (missing.length === 0) return;
  const [theyAre, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
  printError(prompt(`${missing.join(", ")} ${theyAre} not installed. Install ${them} now? [y/N] `));
  if (!/^y(?:es)?$/i.test(await readLine(signal))) return;
  for (const name of missing) await setUp(name, { signal, tell: printError });
}

/** What is typed, without the end of the line. */
async function readLine(signal: AbortSignal): Promise<string> {
  const bytes = new Uint8Array(256);
  const interrupted = Promise.withResolvers<never>();
  const onAbort = (): void => interrupted.reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    const length = await Promise.race([Deno.stdin.read(bytes), interrupted.promise]);
    return new TextDecoder().decode(bytes.subarray(0, length ?? 0)).trim();
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
