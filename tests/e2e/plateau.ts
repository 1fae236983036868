/**
 * The program as users call it: from source, from the bundle whose main module PLATEAU_MAIN names, or the compiled
 * binary that PLATEAU_BINARY names.
 */
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { until } from "./patience.ts";

export const MAIN = Deno.env.get("PLATEAU_MAIN") ||
  join(import.meta.dirname ?? "", "../../main.ts");
const BINARY = Deno.env.get("PLATEAU_BINARY");

/** Program and first arguments. */
export const COMMAND: readonly [string, ...string[]] = BINARY
  ? [resolve(BINARY)]
  : [Deno.execPath(), "run", "--allow-all", MAIN];
const [PROGRAM, ...FIRST_ARGS] = COMMAND;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings extends Pick<Deno.CommandOptions, "cwd" | "env"> {
  /** A command that becomes the one that follows it, such as `ip netns exec NAME`. */
  readonly through?: readonly string[];
}

/** A started Plateau; the end of its `await using` scope kills it if it still runs. */
export class Plateau implements AsyncDisposable {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  readonly #child: Deno.ChildProcess;
  readonly #printed = { stdout: "", stderr: "" };
  #over = false;

  constructor(args: readonly string[], surroundings: Surroundings = {}) {
    const { through = [], ...options } = surroundings;
    const [program, ...before] = [...through, PROGRAM];
    this.#child = new Deno.Command(program, {
      args: [...before, ...FIRST_ARGS, ...args],
      ...options,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.pid = this.#child.pid;
    this.ended = this.#untilEnd();
  }

  /** What it has printed so far. */
  get printed(): Readonly<Pick<Ended, "stdout" | "stderr">> {
    return this.#printed;
  }

  /** Its end may not have been noticed here yet. */
  kill(signal: Deno.Signal): void {
    if (this.#over) return;
    try {
      this.#child.kill(signal);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** The first match of `pattern` in what it prints. */
  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return this.until(`it prints ${pattern}`, () => {
      const { stdout, stderr } = this.#printed;
      return pattern.exec(stdout) ?? pattern.exec(stderr);
    });
  }

  /** What `look` sees while it runs; fails with what it printed when it ends before. */
  until<T>(what: string, look: () => T | null | false): Promise<T> {
    return until(what, () => {
      const over = this.#over;
      const seen = look();
      if (over && (seen === null || seen === false)) {
        throw new Error(`Cannot wait until ${what}, as it ended: ${JSON.stringify(this.#printed)}`);
      }
      return seen;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.ended;
  }

  async #untilEnd(): Promise<Ended> {
    await Promise.all([this.#read("stdout"), this.#read("stderr")]);
    const { code } = await this.#child.status;
    this.#over = true;
    return { code, ...this.#printed };
  }

  async #read(stream: "stdout" | "stderr"): Promise<void> {
    for await (const text of this.#child[stream].pipeThrough(new TextDecoderStream())) {
      this.#printed[stream] += text;
    }
  }
}

/** Runs `plateau ARGS…` to its end. */
export function plateau(args: readonly string[], surroundings?: Surroundings): Promise<Ended> {
  return new Plateau(args, surroundings).ended;
}

/** Runs `plateau ARGS…` to its end, which has this code. */
export function exits(
  code: number,
  args: readonly string[],
  surroundings?: Surroundings,
): Promise<Ended>;
/** Waits for an end that has this code. */
export function exits<T extends Pick<Ended, "code" | "stderr">>(
  code: number,
  ended: Promise<T>,
): Promise<T>;
export async function exits(
  code: number,
  program: readonly string[] | Promise<Pick<Ended, "code" | "stderr">>,
  surroundings?: Surroundings,
): Promise<Pick<Ended, "code" | "stderr">> {
  const ended = await ("length" in program ? plateau(program, surroundings) : program);
  assert.equal(ended.code, code, ended.stderr || JSON.stringify(ended));
  return ended;
}

export interface Served extends AsyncDisposable {
  readonly origin: string;
  readonly program: Plateau;
}

/** Starts `plateau serve ARGS…` and waits until it says where it listens. */
export async function serve(...args: string[]): Promise<Served> {
  const program = new Plateau(["serve", ...args]);
  const [, origin] = await program.prints(/^listening (http:\/\/\S+)$/m);
  return { origin, program, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

/** An empty folder, removed with all that is in it at the end of its `using` scope. */
export function emptyFolder(): Disposable & { path: string } {
  const path = Deno.makeTempDirSync({ prefix: "plateau-test-" });
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}

const MOST_TRIES = 20;
const TRY_AGAIN_MS = 50;

/** It takes several tries where a program that was told to end still writes there. */
function removeFolder(path: string, tries = 1): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (tries === MOST_TRIES) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MS);
    removeFolder(path, tries + 1);
  }
}
