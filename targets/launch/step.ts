/**
 * Runs programs until they end: the steps of a target (`build`, `setup`, `before`, `after`, `teardown`), and programs
 * that Plateau needs itself.
 */
import { Buffer } from "node:buffer";
import { TargetError } from "../../base/errors.ts";
import { beyond, isWithin, type LimitName, oneMoreThan } from "../../base/limits.ts";
import { durationText } from "../../base/quantity.ts";
import type { CommandStep } from "../../base/target/steps.ts";
import { startSupervised } from "./child.ts";
import { findProgram, hideSecretVariables, joinEnv, whyNoProgram } from "./environment.ts";
import { describeExit } from "./start_up.ts";

interface StepContext {
  /** The environment to which the step's own variables are added. */
  readonly env: Readonly<Record<string, string>>;
  /** Full path of the folder in which the step runs. */
  readonly cwd: string;
  /** A folder that is removed if the step fails or this process is killed before the step ends. */
  readonly stage?: string;
  /** Ends the step when aborted. */
  readonly signal: AbortSignal;
  /** Called with all output of the step as it arrives. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

interface StepOutcome {
  /** Why the step failed; null if it succeeded. */
  readonly why: string | null;
  /** The last lines of the step's output, at most 20. */
  readonly evidence: readonly string[];
}

/**
 * Runs a step. When this resolves, no process of the step is left, not even in the background, except those that this
 * user is not allowed to end. An aborted step counts as killed.
 */
export async function takeStep(step: CommandStep, context: StepContext): Promise<StepOutcome> {
  const { cwd, stage, signal, onOutput } = context;
  const env = joinEnv([context.env, step.env]);
  hideSecretVariables(env);
  const program = stepProgram(step, { env, cwd });
  if (program === null) return { why: whyNoProgram(step.command[0], cwd), evidence: [] };
  const left: number[] = [];
  const child = startSupervised([program, ...step.command.slice(1)], {
    ...{ env, cwd, stage, isStep: true },
    onOutput,
    onLeft: (pids) => left.push(...pids),
  });
  const late = AbortSignal.timeout(step.timeout);
  const stop = (): void => void child.stop();
  for (const ending of [signal, late]) ending.addEventListener("abort", stop);
  if (signal.aborted) stop();
  const exit = await child.exited;
  const isLate = late.aborted;
  for (const ending of [signal, late]) ending.removeEventListener("abort", stop);
  await child.stop();
  const evidence = child.output.lastLines();
  const shown = commandText(step);
  if (isLate) return { why: `${shown} took over ${durationText(step.timeout)}`, evidence };
  if (left.length > 0) {
    const why = `${shown} left processes that this user may not end: ${left.join(", ")}`;
    return { why, evidence };
  }
  return { why: exit.code === 0 ? null : describeExit(exit, shown), evidence };
}

interface OwnProgram {
  /** All variables of the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The program's working folder; that of this process if absent. */
  readonly cwd?: string;
  /** Ends the program when aborted. */
  readonly signal?: AbortSignal;
  /** The limit for the program's total output; `toolOutput` if absent. */
  readonly limit?: LimitName;
}

interface ProgramOutput {
  readonly success: boolean;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/**
 * Returns the output of a program that Plateau runs for itself, such as git. When this resolves or rejects, no process
 * of the program is left; if this process is killed before, the program is ended soon after. Throws the signal's reason
 * on abort. Throws a TargetError if the program can't be started, if its output exceeds the limit, or if its supervisor
 * is killed.
 */
export async function outputOfProgram(
  command: readonly string[],
  { env, cwd, signal, limit = "toolOutput" }: OwnProgram,
): Promise<ProgramOutput> {
  signal?.throwIfAborted();
  const printed = { stdout: new Array<Uint8Array>(), stderr: new Array<Uint8Array>() };
  let printedBytes = 0;
  const keeper = (of: Uint8Array[]) => (bytes: Uint8Array): void => {
    const isOver = !isWithin(limit, printedBytes);
    printedBytes += bytes.length;
    if (isWithin(limit, printedBytes)) of.push(bytes);
    else if (!isOver) stop();
  };
  const onStreams = { stdout: keeper(printed.stdout), stderr: keeper(printed.stderr) };
  const child = startSupervised(command, {
    ...{ env: { ...env }, cwd, onStreams },
    isStep: true,
    isOurs: true,
  });
  const stop = (): void => void child.stop();
  signal?.addEventListener("abort", stop);
  const exit = await child.exited;
  signal?.removeEventListener("abort", stop);
  await child.stop();
  signal?.throwIfAborted();
  if (!isWithin(limit, printedBytes)) {
    throw new TargetError(
      `Cannot use ${command.join(" ")}: ${beyond(limit, oneMoreThan(limit))}`,
    );
  }
  if (exit.isOfSupervisor) throw new TargetError(describeExit(exit, command.join(" ")));
  const [stdout, stderr] = [printed.stdout, printed.stderr].map((chunks) => Buffer.concat(chunks));
  return { success: exit.code === 0, stdout, stderr };
}

/**
 * The full path of the step's program; null if there is none.
 *
 * @param env The step's complete environment.
 */
export function stepProgram(
  { command: [name] }: CommandStep,
  { env, cwd }: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): string | null {
  return findProgram(name, { path: env.PATH ?? "", cwd });
}

/** The command on a single line. */
export function commandText({ command }: CommandStep): string {
  return command.join(" ").replaceAll(/\s+/g, " ");
}
