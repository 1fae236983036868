/** Runs profilers that are separate programs. They sample a process for a given time, and then exit. */
import { delimiter } from "node:path";
import { cleanEnv, findProgram } from "../launch/environment.ts";
import { settlesWithin } from "../launch/settles.ts";
import { startSupervised } from "../launch/child.ts";
import { outputOfProgram } from "../launch/step.ts";

/** The time that a tool may take beyond sampling: it reads symbols at the start, and writes its file at the end. */
const BEYOND_MS = 20_000;

/**
 * The full path of a profiler's program. Throws an Error if it is not installed.
 * @param interpreter The folder of the target's interpreter, which is searched before PATH; null to search only PATH.
 */
export function installedTool(
  name: string,
  get: string,
  interpreter: string | null = null,
): string {
  const { PATH = "" } = cleanEnv();
  const path = interpreter === null ? PATH : `${interpreter}${delimiter}${PATH}`;
  const program = findProgram(name, { path, cwd: Deno.cwd() });
  if (program !== null) return program;
  const found = interpreter === null ? "not" : "neither beside the target's interpreter nor";
  throw new Error(`${name} is ${found} on PATH (${get})`);
}

export interface RunningTool {
  /** Resolves when the tool has succeeded. Throws an Error with the last line of its output if it fails. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

/** @param forMs How long the tool will sample. */
export function startTool(
  command: readonly string[],
  { forMs, signal }: { readonly forMs: number; readonly signal: AbortSignal },
): RunningTool {
  const child = startSupervised(command, { env: cleanEnv() });
  const end = (): void => void child.stop();
  signal.addEventListener("abort", end);
  return {
    async ended(): Promise<void> {
      if (!await settlesWithin(child.exited, forMs + BEYOND_MS)) {
        await child.stop();
        throw new Error(`${command[0]} did not end in time`);
      }
      const { code } = await child.exited;
      if (code === 0) return;
      throw new Error(child.output.lastLines().at(-1) ?? `${command[0]} exited with code ${code}`);
    },
    async stop(): Promise<void> {
      signal.removeEventListener("abort", end);
      await child.stop();
    },
  };
}

/** Runs a tool and returns its standard output. Throws an Error if the tool fails. */
export async function outputOfTool(command: readonly string[]): Promise<Uint8Array> {
  const { success, stdout, stderr } = await outputOfProgram(command, { env: cleanEnv() });
  if (success) return stdout;
  const lines = new TextDecoder().decode(stderr).trim().split("\n");
  throw new Error(lines.at(-1) ?? `${command[0]} failed`);
}
