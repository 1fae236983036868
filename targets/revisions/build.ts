/** Builds the targets of a revision: each step a command in the target's folder, with a time-out and a log. */
import { resolve } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import { durationText } from "../../base/quantity.ts";
import type { BuildStep } from "../../base/target/build_steps.ts";
import { startSupervised } from "../launch/child.ts";
import { findProgram, ownEnv } from "../launch/environment.ts";
import { describeExit } from "../launch/start_up.ts";

export interface BuildRequest {
  readonly steps: readonly BuildStep[];
  /** Where its commands run. */
  readonly cwd: string;
  /** The checkout: removed when a step fails, or we are killed meanwhile. */
  readonly stage: string;
  /** A file for all that the steps print. */
  readonly log: string;
  /** Such as `express at a1b2c3d`. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly onStep: (command: string) => void;
}

/** Of all steps: a build may print without end. */
const MOST_LOGGED_BYTES = 4_000_000;

/**
 * Throws a TargetError with the last lines of the step that failed, the signal's reason on abort. Then the checkout is
 * gone: its supervisor removes it, unless that ended before it had begun.
 */
export async function build(request: BuildRequest): Promise<void> {
  try {
    await takeSteps(request);
  } catch (error) {
    await Deno.remove(request.stage, { recursive: true }).catch(() => {});
    throw error;
  }
}

async function takeSteps(request: BuildRequest): Promise<void> {
  const { steps, log, what, signal, onStep } = request;
  using file = openLog(log);
  for (const step of steps) {
    signal.throwIfAborted();
    const command = step.command.join(" ");
    onStep(command);
    file.write(new TextEncoder().encode(`$ ${command}\n`));
    const { why, evidence } = await take(step, request, file);
    signal.throwIfAborted();
    if (why === null) continue;
    throw new TargetError(`Cannot build ${what}: ${why}; all it printed is in ${log}`, evidence);
  }
}

async function take(
  { command: [name, ...args], timeout, env: extra }: BuildStep,
  { cwd, stage, signal }: BuildRequest,
  log: Log,
): Promise<{ readonly why: string | null; readonly evidence: readonly string[] }> {
  const env = { ...ownEnv(), ...extra };
  const program = findProgram(name, { path: env.PATH ?? "", cwd });
  if (program === null) return { why: `there is no program "${name}" on PATH`, evidence: [] };
  const child = startSupervised([program, ...args], {
    ...{ env, cwd: resolve(cwd), stage },
    onOutput: (bytes) => log.write(bytes),
  });
  const late = AbortSignal.timeout(timeout);
  const stop = (): void => void child.stop();
  for (const ending of [signal, late]) ending.addEventListener("abort", stop);
  const exit = await child.exited;
  for (const ending of [signal, late]) ending.removeEventListener("abort", stop);
  await child.stop();
  const evidence = child.output.lastLines();
  const shown = [name, ...args].join(" ");
  if (late.aborted) return { why: `${shown} took over ${durationText(timeout)}`, evidence };
  if (exit.code === 0) return { why: null, evidence };
  return { why: describeExit(exit).replace(/^it/, shown), evidence };
}

interface Log extends Disposable {
  readonly write: (bytes: Uint8Array) => void;
}

function openLog(path: string): Log {
  const file = opened(path);
  let left = MOST_LOGGED_BYTES;
  return {
    write: (bytes) => {
      const part = bytes.subarray(0, Math.max(0, left));
      left -= part.length;
      try {
        if (part.length > 0) file.writeSync(part);
      } catch {
        left = 0; // the disk is full: the build may say so itself
      }
    },
    [Symbol.dispose]: () => file.close(),
  };
}

function opened(path: string): Deno.FsFile {
  try {
    return Deno.openSync(path, { create: true, append: true });
  } catch (error) {
    throw new TargetError(`Cannot write the log of the build to ${path}: ${messageOf(error)}`);
  }
}
