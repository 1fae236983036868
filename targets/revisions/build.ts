/** Builds the targets of a revision: each step a command in the target's folder, with a time-out and a log. */
import { resolve } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import type { CommandStep } from "../../base/target/steps.ts";
import { ownEnv } from "../launch/environment.ts";
import { commandText, takeStep } from "../launch/step.ts";

export interface BuildRequest {
  readonly steps: readonly CommandStep[];
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
  const { steps, log, what, stage, signal, onStep } = request;
  const [env, cwd] = [ownEnv(), resolve(request.cwd)];
  using file = openLog(log);
  for (const step of steps) {
    signal.throwIfAborted();
    const command = commandText(step);
    onStep(command);
    file.write(new TextEncoder().encode(`$ ${command}\n`));
    const { why, evidence } = await takeStep(step, {
      ...{ env, cwd, stage, signal },
      onOutput: (bytes) => file.write(bytes),
    });
    signal.throwIfAborted();
    if (why === null) continue;
    throw new TargetError(`Cannot build ${what}: ${why}; all it printed is in ${log}`, evidence);
  }
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
