/**
 * The start of a process that Plateau runs, until it has responded once. The start fails when the process ends, time
 * runs out, or the user interrupts; then no process is left.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, StartError } from "../../base/errors.ts";
import type { Child } from "./child.ts";
import type { Exit } from "./launcher.ts";

/** The bounds of the pause between two attempts, which is a fiftieth of the time that the start has taken so far. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;

interface StartUp<Result> {
  readonly child: Child;
  /** Names the process and the request that it gets, for messages: "target express", "GET /static". */
  readonly what: string;
  readonly request: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Tries once, given the announcement; throws an error that says why there is no right response. */
  attempt(announcement: string): Promise<Result>;
  /** An explanation once time has run out: the reason and its fix; null if nothing is known. */
  advice?(): string | null;
}

interface StartResult<Result> {
  readonly result: Result;
  /** The time from the start of the process to its first response, in ms. */
  readonly startUpMs: number;
}

/** The state of a target that is starting. */
interface StartProgress {
  /** The reason why there is no response yet. */
  reason: string;
  /** Aborted when the wait is over, however it ended. */
  readonly over: AbortSignal;
}

/** Waits until the process has responded. Throws a StartError, or the signal's reason when the user interrupts. */
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
      { signal: progress.over }, // throws when the wait is over
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
