/**
 * Calls git in ways that never change the user's repository: without locks, hooks or prompts. Names, paths and refs
 * from a repository are passed only after `--` or `--end-of-options`, or in the environment, so they are never taken
 * for options.
 */
import { TargetError } from "../../base/errors.ts";
import { startSupervised } from "../launch/child.ts";
import { cleanEnv, findProgram } from "../launch/environment.ts";
import { outputOfProgram } from "../launch/step.ts";

/** Settings that keep git from running other programs, such as hooks, and from leaving any in the background. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "gc.auto=0",
  // The files of a repository may contain another repository, whose configuration runs programs.
  "safe.bareRepository=explicit",
];
/** Arguments of every call. Optional locks are off, so `git status` does not write the index. */
const QUIET = ["--no-optional-locks", ...SETTINGS.flatMap((setting) => ["-c", setting])];

export interface GitOutput {
  readonly success: boolean;
  /** The standard output without its last line break. */
  readonly text: string;
  /** The last line of the standard error. */
  readonly why: string;
}

export interface GitPlace {
  /** The folder in which git runs. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Variables that are added to a clean environment, which has no GIT_DIR to point at another repository. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Settings for one call, passed in the environment as described in git-config(1). In these, keys may contain any
 * character, unlike in `-c key=value`, where the key ends at the first `=`.
 */
export function gitSettings(
  settings: readonly (readonly [key: string, value: string])[],
): Record<string, string> {
  const entries = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(entries) };
}

/** Calls git for a short task. Throws a TargetError if git is not installed, or the signal's reason if aborted. */
export async function gitOutput(
  { folder, signal, env = {} }: GitPlace,
  args: readonly string[],
): Promise<GitOutput> {
  const { success, stdout, stderr } = await outputOfProgram(
    [gitProgram(), ...QUIET, "-C", folder, ...args],
    { env: { ...gitEnv(), ...env }, signal },
  );
  const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trimEnd());
  return { success, text, why: errors.split("\n").at(-1) ?? "" };
}

/**
 * Calls git and returns its output. Throws a TargetError if the call fails.
 * @param what What can't be done if the call fails, such as "read the commits".
 */
export async function gitText(
  place: GitPlace,
  args: readonly string[],
  what: string,
): Promise<string> {
  const { success, text, why } = await gitOutput(place, args);
  if (success) return text;
  throw new TargetError(`Cannot ${what}: ${why}`);
}

interface LongCall extends GitPlace {
  /** A folder that is removed if the call fails, or this process is killed during it. */
  readonly stage: string;
  /** The task in words, such as `check out a1b2c3d`. */
  readonly what: string;
}

/**
 * Calls git for a task that may take long; git is stopped when this process ends. Throws a TargetError if the call
 * fails, or the signal's reason if aborted.
 */
export async function runGit(
  { folder, signal, env = {}, stage, what }: LongCall,
  args: readonly string[],
): Promise<void> {
  signal.throwIfAborted();
  const command = [gitProgram(), ...QUIET, "-C", folder, ...args];
  const child = startSupervised(command, { env: { ...gitEnv(), ...env }, cwd: folder, stage });
  const stop = (): void => void child.stop();
  signal.addEventListener("abort", stop);
  const { code } = await child.exited;
  signal.removeEventListener("abort", stop);
  await child.stop();
  signal.throwIfAborted();
  if (code !== 0) throw new TargetError(`Cannot ${what}`, child.output.lastLines());
}

function gitProgram(): string {
  const { PATH = "" } = cleanEnv();
  const program = findProgram("git", { path: PATH, cwd: Deno.cwd() });
  if (program !== null) return program;
  throw new TargetError("Cannot compare commits: there is no git on PATH");
}

function gitEnv(): Record<string, string> {
  return cleanEnv({ GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" });
}
