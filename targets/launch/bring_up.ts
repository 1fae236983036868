/** A process of ours that serves HTTP, from its start to a target that can be measured. */
import { askStatus } from "./answer.ts";
import { messageOf } from "../../base/errors.ts";
import { originAt } from "../listen.ts";
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
  /** Where it listens; null: it announces its origin itself. */
  readonly port: number | null;
  /** What to do when nobody answers there. */
  readonly advice?: string;
}

/** Throws a TargetError, or the signal's reason when the user interrupts; then no process is left. */
export async function bringUp(
  { child, runtime, path, port, advice }: Bringing,
  { name, host, readyTimeoutMs, signal }: LaunchContext,
): Promise<RunningTarget> {
  const { answer, startUpMs } = await awaitStartUp({
    child,
    what: `target ${name}`,
    question: `GET ${path}`,
    limitMs: readyTimeoutMs,
    signal,
    async ask(announcement: string): Promise<string> {
      const origin = originAt(host, port ?? Number(new URL(announcement).port));
      const status = await askStatus({ origin, path }, ATTEMPT_MS).catch((error: unknown) => {
        throw new Error(messageOf(error) + (advice === undefined ? "" : `; ${advice}`));
      });
      if (status >= 500) throw new Error(`it answers with status ${status}`);
      return origin;
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
