/** A process of ours that serves HTTP, from its start to a target that can be measured. */
import { askStatus } from "./answer.ts";
import type { Child } from "./child.ts";
import type { LaunchContext, RunningTarget } from "./launcher.ts";
import { awaitStartUp } from "./start_up.ts";

/** A target that takes longer to its first answer is asked again. */
const ATTEMPT_MS = 5_000;

export interface Bringing {
  readonly child: Child;
  /** As `RunningTarget` has it. */
  readonly runtime: string | null;
  /** Path that answers with a status under 500 when the target is ready. */
  readonly path: string;
  /** Where it serves, given what it announced. */
  origin(announcement: string): string;
}

/** Throws a TargetError, or the signal's reason when the user interrupts; then no process is left. */
export async function bringUp(
  { child, runtime, path, origin }: Bringing,
  { name, readyTimeoutMs, signal }: LaunchContext,
): Promise<RunningTarget> {
  const { answer, startUpMs } = await awaitStartUp({
    child,
    what: `target ${name}`,
    question: `GET ${path}`,
    limitMs: readyTimeoutMs,
    signal,
    async ask(announcement: string): Promise<string> {
      const status = await askStatus(origin(announcement) + path, ATTEMPT_MS);
      if (status >= 500) throw new Error(`it answers with status ${status}`);
      return origin(announcement);
    },
  });
  const { pid, supervised, exited, stop, output } = child;
  const lastLines = (): string[] => output.lastLines();
  return {
    origin: answer,
    startUpMs,
    runtime,
    readyPath: path,
    pid,
    supervised,
    exited,
    stop,
    lastLines,
  };
}
