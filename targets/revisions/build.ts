/**
 * Builds a target at a revision. Each build step is a command that runs in the target's folder, with a time limit; its
 * output is logged.
 */
import { resolve } from "node:path";
import { CarefulFile } from "../../base/careful_file.ts";
import { messageOf, TargetError } from "../../base/errors.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import type { CommandStep } from "../../base/target/steps.ts";
import { ownEnv } from "../launch/environment.ts";
import { commandText, takeStep } from "../launch/step.ts";

export interface BuildRequest {
  readonly steps: readonly CommandStep[];
  readonly cwd: string;
  /** The checkout, which is removed if a step fails or this process is killed during the build. */
  readonly stage: string;
  /** The file to which all output of the steps is written. */
  readonly log: string;
  /** What is built, such as `express at a1b2c3d`. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly onStep: (command: string) => void;
}

/** The maximum output to log for all steps together, in bytes, because a build may print without end. */
const MOST_LOGGED_BYTES = 4_000_000;

/**
 * Builds a checkout. Throws a TargetError with the last lines of output of the step that failed, or the signal's reason
 * if aborted. In both cases the checkout is removed, usually by the step's supervisor.
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
  using file = new BuildLog(log);
  for (const step of steps) {
    signal.throwIfAborted();
    const command = commandText(step);
    onStep(command);
    file.begin(command);
    const { why, evidence } = await takeStep(step, {
      ...{ env, cwd, stage, signal },
      onOutput: (bytes) => file.write(bytes),
    });
    signal.throwIfAborted();
    if (why === null) continue;
    throw new TargetError(
      `Cannot build ${what}: ${why}; all output of the build is in ${log}`,
      evidence,
    );
  }
}

/**
 * Logs the output of the steps. Only whole lines are written, because secrets are masked line by line, and a secret in
 * two pieces would be missed.
 */
class BuildLog implements Disposable {
  readonly #file: CarefulFile;
  #left = MOST_LOGGED_BYTES;
  /** The output since the last line break. */
  #begun = new Uint8Array();

  /** Opens the log. Throws a TargetError if the file cannot be written. */
  constructor(path: string) {
    this.#file = opened(path);
  }

  begin(command: string): void {
    this.#endLine();
    this.#append(`$ ${command}\n`);
  }

  write(bytes: Uint8Array): void {
    if (this.#left === 0) return;
    const part = bytes.subarray(0, this.#left);
    this.#left -= part.length;
    const all = new Uint8Array(this.#begun.length + part.length);
    all.set(this.#begun);
    all.set(part, this.#begun.length);
    const end = all.lastIndexOf(LINE_FEED) + 1;
    this.#append(new TextDecoder().decode(all.subarray(0, end)));
    // A truncated line is not logged, because it could end within a secret, which would then not be
    // recognized.
    this.#begun = this.#left === 0 ? new Uint8Array() : all.slice(end);
    if (this.#left === 0) this.#append("… the rest is left out\n");
  }

  #endLine(): void {
    if (this.#begun.length > 0) this.#append(`${new TextDecoder().decode(this.#begun)}\n`);
    this.#begun = new Uint8Array();
  }

  #append(text: string): void {
    const bytes = new TextEncoder().encode(withoutSecrets(text));
    try {
      this.#file.append(bytes);
    } catch {
      this.#left = 0; // the disk may be full, which the build may report itself
    }
  }

  [Symbol.dispose](): void {
    this.#endLine();
    this.#file[Symbol.dispose]();
  }
}

const LINE_FEED = 0x0a;

function opened(path: string): CarefulFile {
  try {
    return CarefulFile.toAppend(path);
  } catch (error) {
    throw new TargetError(`Cannot write the log of the build to ${path}: ${messageOf(error)}`);
  }
}
