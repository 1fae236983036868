/**
 * `plateau setup frameworks [NAME…]`: installs the servers of the frameworks study, and the runtimes that they may run
 * on.
 */
import * as z from "zod";
import { EXIT, TargetError } from "../../base/errors.ts";
import { frameworkNames, installedRuntimeNames } from "../../base/target/app_settings.ts";
import { prompt, textLines } from "../../report/writing/terminal.ts";
import type { Written } from "../../report/writing/written.ts";
import { missingFrameworks } from "../../runner/experiment/missing_prerequisites.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { install, installable, type InstallableName } from "../../targets/frameworks/install.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { interruptible } from "../terminal/process.ts";
import { print, printError } from "../terminal/terminal.ts";

export const setupCommand = defineCommand({
  parts: {
    what: {
      operand: "<WHAT>",
      about: "What to install: frameworks",
      schema: z.literal("frameworks"),
    },
    names: {
      operand: "[NAMES...]",
      about: `Which ones: ${frameworkNames.join(", ")} (default: all of these), or runtimes: ${
        installedRuntimeNames.join(", ")
      }`,
      schema: z.array(z.enum([...frameworkNames, ...installedRuntimeNames])).default([]),
    },
  },
  more:
    "Servers are installed into plateau/frameworks in your cache folder (XDG_CACHE_HOME, or else\n" +
    "~/.cache), unless they are there already.",
  run({ names }): Promise<number> {
    const wanted = names.length === 0 ? frameworkNames : [...new Set(names)];
    return interruptible(async (signal) => {
      const missed: InstallableName[] = [];
      for (const name of wanted) {
        if (!await setUp(name, { signal, write: print })) missed.push(name);
      }
      if (missed.length > 0) throw notAll(missed, wanted.length);
      return EXIT.done;
    });
  },
});

function notAll(missed: readonly InstallableName[], wanted: number): TargetError {
  return new TargetError(
    `Cannot install ${missed.length} of ${wanted} frameworks, for the reasons above: ${
      missed.join(", ")
    }`,
  );
}

/**
 * Offers to install missing frameworks if a person is at the terminal. Throws the signal's reason if the user
 * interrupts.
 */
export async function offerFrameworks(cells: readonly Cell[], signal: AbortSignal): Promise<void> {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return;
  const missing = missingFrameworks(cells);
  if (missing.length === 0) return;
  const [theyAre, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
  printError(prompt(`${missing.join(", ")} ${theyAre} not installed. Install ${them} now? [y/N] `));
  if (!/^y(?:es)?$/i.test(await readLine(signal))) return;
  for (const name of missing) await setUp(name, { signal, write: printError });
}

/** Reads one line from standard input, without its line break. Throws the signal's reason if the user interrupts. */
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

interface SettingUp {
  readonly signal: AbortSignal;
  /** Receives whole lines about the progress. */
  readonly write: (text: Written) => void | Promise<void>;
}

/** Installs a framework or runtime, and reports success or why it failed. Resolves with false if it failed. */
async function setUp(
  name: InstallableName,
  { signal, write }: SettingUp,
): Promise<boolean> {
  const title = `${name.padEnd(16)}${installable(name).version.padEnd(9)}`;
  const startMs = performance.now();
  try {
    const { fresh, folder } = await install(name, signal);
    const tookS = (performance.now() - startMs) / 1_000;
    const what = fresh ? `installed in ${tookS.toFixed(1)} s` : "already installed";
    await write(textLines([`${title}${what}: ${folder}`]));
    return true;
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const [first, ...evidence] = error.lines;
    await write(textLines([`${title}skipped: ${first}`, ...evidence]));
    return false;
  }
}
