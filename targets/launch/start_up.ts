/**
 * Waits until a process that Plateau has started responds for the first time. The start fails if the process ends, time
 * runs out or the user interrupts; in these cases the process is stopped.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, StartError } from "../../base/errors.ts";
import type { Child } from "./child.ts";
import type { Exit } from "./launcher.ts";

/** Bounds of the pause between two attempts. The pause is a fiftieth of the time that the start has taken so far. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;

interface StartUp<Result> {
  readonly child: Child;
  /**
   * For messages: the name of the process, such as "target express", and the request that it gets, such as "GET
   * /static".
   */
  readonly what: string;
  readonly request: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Tries once, given the text of the announcement. Throws an error that says why there is no valid response. */
  attempt(announcement: string): Promise<Result>;
  /** Explains, after time has run out, why there is no valid response and how to fix that; null if unknown. */
  advice?(): string | null;
}

interface StartResult<Result> {
  readonly result: Result;
  /** Milliseconds from the start of the process to its first response. */
  readonly startUpMs: number;
}

interface StartProgress {
  /** Why there is no response yet. */
  reason: string;
  /** Aborted when the wait ends, for whatever reason. */
  readonly over: AbortSignal;
}

/** Waits until the process responds. Throws a StartError, or the signal's reason if the user interrupts. */
export async function awaitStartUp<Result>(startUp: StartUp<Result>): Promise<StartResult<Result>> {
  const waiting = new AbortController();
  const progress = { reason: "it did not report that it is running", over: waiting.signal };
  try {
    return await Promise.race([firstResult(startUp, progress), failure(startUp, progress)]);
  } catch (error) {
    await startUp.child.stop();
    throw error;
  } finally {
    waiting.abort();
  }
}

async function firstResult<Result>(
  { child, attempt }: StartUp<Result>,
  progress: StartProgress,
): Promise<StartResult<Result>> {
  const { text, startedMs } = await child.announced;
  while (true) {
    try {
      return { result: await attempt(text), startUpMs: performance.now() - startedMs };
    } catch (error) {
      progress.reason = messageOf(error);
    }
    const pauseMs = (performance.now() - startedMs) / 50;
    await sleep(
      Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs)),
      undefined,
      { signal: progress.over }, // throws as soon as the wait ends
    );
  }
}

function failure(startUp: StartUp<unknown>, progress: StartProgress): Promise<never> {
  const { child, what, request, limitMs, signal, advice = () => null } = startUp;
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = (why: string): void =>
    reject(new StartError(`Cannot start ${what}: ${why}`, child.output.lastLines()));
  void child.exited.then((exit) => fail(`${describeExit(exit)} before it responded to ${request}`));
  const timer = setTimeout(() => {
    const known = advice();
    const reason = progress.reason + (known === null ? "" : `; ${known}`);
    fail(`no response to ${request} in ${limitMs / 1_000} s: ${reason}`);
  }, limitMs);
  progress.over.addEventListener("abort", () => clearTimeout(timer));
  signal.addEventListener("abort", () => reject(signal.reason), { signal: progress.over });
  if (signal.aborted) reject(signal.reason);
  return promise;
}

/** A clause such as "it exited with code 1" or "it was ended by SIGKILL". */
export function describeExit({ code, signal, isOfSupervisor }: Exit, who = "it"): string {
  if (signal === null) return `${who} exited with code ${code}`;
  if (!isOfSupervisor) return `${who} was ended by ${signal}`;
  const supervisor = who === "it" ? "its supervisor" : `the supervisor of ${who}`;
  return `${supervisor} (a process of Plateau) was ended by ${signal}`;
}
