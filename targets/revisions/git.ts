/**
 * Calls of git, none of which changes the user's repository: no lock, no hook, no prompt. What a repository holds (names,
 * paths, refs) is never a part of an option: it stands behind `--` or `--end-of-options`, or in the environment.
 */
import { TargetError } from "../../base/errors.ts";
import { startSupervised } from "../launch/child.ts";
import { cleanEnv, findProgram } from "../launch/environment.ts";
import { outputOfProgram } from "../launch/step.ts";

/** Settings with which git runs no other program of the user's, and leaves none in the background. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "gc.auto=0",
  // Files of a repository may look like another repository, with a configuration that runs programs.
  "safe.bareRepository=explicit",
];
/** Arguments for quiet calls, without optional locks, so that a status writes no index. */
const QUIET = ["--no-optional-locks", ...SETTINGS.flatMap((setting) => ["-c", setting])];

export interface GitOutput {
  readonly success: boolean;
  /** The output without its last line break. */
  readonly text: string;
  /** The last line of git's error output. */
  readonly why: string;
}

export interface GitPlace {
  /** The folder in which git is called. */
  readonly folder: string;
  /** Ends the call when aborted. */
  readonly signal: AbortSignal;
  /** Variables added to a clean environment, in which no GIT_DIR names another repository. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Settings for one call, as git-config(1) takes them from the environment. Unlike in `-c key=value`, where the first
 * `=` ends the key, a key may contain any character here.
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

/** Calls git for a short task. Throws a TargetError if there is no git, or the signal's reason on abort. */
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

/** Calls git, which must succeed, and returns its output. Throws a TargetError that says what could not be done. */
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
  /** A folder that is removed when the call fails, or this process is killed meanwhile. */
  readonly stage: string;
  /** The task, such as `check out a1b2c3d`. */
  readonly what: string;
}

/**
 * Calls git for a task that may take long; git ends when this process does. Throws a TargetError, or the signal's
 * reason.
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
