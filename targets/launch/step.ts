/** One step of a target's commands (`build`, `setup`, `before`, `after`, `teardown`), from its start to its end. */
import { durationText } from "../../base/quantity.ts";
import type { CommandStep } from "../../base/target/steps.ts";
import { startSupervised } from "./child.ts";
import { findProgram } from "./environment.ts";
import { describeExit } from "./start_up.ts";

interface StepContext {
  /** That of the step goes on top. */
  readonly env: Readonly<Record<string, string>>;
  /** A full path. */
  readonly cwd: string;
  /** A folder that is removed when the step fails, or we are killed meanwhile. */
  readonly stage?: string;
  /** Ends the step. */
  readonly signal: AbortSignal;
  /** Gets all that it prints, as it comes. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

interface StepOutcome {
  /** Null when it succeeded. */
  readonly why: string | null;
  /** The last lines that it printed, at most 20. */
  readonly evidence: readonly string[];
}

/**
 * When it resolves, nothing of the step is left, also of what it put in the background. After an abort the outcome
 * is that of a step that was ended.
 */
export async function takeStep(step: CommandStep, context: StepContext): Promise<StepOutcome> {
  const { cwd, stage, signal, onOutput } = context;
  const env = { ...context.env, ...step.env };
  const program = stepProgram(step, { env, cwd });
  if (program === null) return { why: noProgramText(step), evidence: [] };
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

/** Full path; null where there is none. @param env Its whole environment. */
export function stepProgram(
  { command: [name] }: CommandStep,
  { env, cwd }: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): string | null {
  return findProgram(name, { path: env.PATH ?? "", cwd });
}

export function noProgramText({ command: [name] }: CommandStep): string {
  return `there is no program "${name}" on PATH`;
}

/** In one line. */
export function commandText({ command }: CommandStep): string {
  return command.join(" ").replaceAll(/\s+/g, " ");
}
