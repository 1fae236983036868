/**
 * A worker isolate in one run: what is asked of it, what it has told so far, and its end if it does not answer.
 */
import { setPriority } from "node:os";
import type { FromWorker, JobShare, SoFarReport, ToWorker } from "./job.ts";

type Answer<Kind> = Extract<FromWorker, { kind: Kind }>;

const LOWEST_PRIORITY = 19;

export class PoolWorker {
  /** With its last interval; null before the first. */
  soFar: SoFarReport | null = null;
  lastIndex = 0;
  /** When it last said anything, or was last asked, by performance.now(). */
  heardMs = performance.now();
  wasEnded = false;
  /** Stops waiting for its answer; null when none is awaited. */
  #giveUp: (() => void) | null = null;
  #thread: number | null = null;

  constructor(private readonly isolate: Worker, readonly share: JobShare) {}

  get isAwaited(): boolean {
    return this.#giveUp !== null;
  }

  /** Posts `message` and waits for the answer of kind `kind`; null when the worker is ended before that. */
  ask<Kind extends "ready" | "finished">(
    message: ToWorker,
    kind: Kind,
    onInterval?: (told: Answer<"interval">) => void,
  ): Promise<Answer<Kind> | null> {
    if (this.wasEnded) return Promise.resolve(null);
    this.heardMs = performance.now();
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(null);
      this.isolate.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        this.#hear(data);
        if (data.kind === "interval") return onInterval?.(data);
        if (data.kind !== kind) return;
        this.#giveUp = null;
        resolve(data as Answer<Kind>);
      };
      this.isolate.onerror = (event) => {
        event.preventDefault();
        reject(new Error(`A load worker failed: ${event.message}`));
      };
      this.isolate.postMessage(message);
    });
  }

  #hear(told: FromWorker): void {
    this.heardMs = performance.now();
    if (told.kind === "ready") this.#thread = told.thread;
    if (told.kind !== "interval") return;
    this.soFar = told.soFar;
    this.lastIndex = told.part.index;
  }

  /**
   * Ends it, whatever holds it: what it says from now on is not heard. Deno 2.9 cannot stop an isolate whose
   * code never comes back, so its thread yields to all others until the program ends.
   */
  end(): void {
    this.wasEnded = true;
    this.isolate.onmessage = null;
    this.isolate.terminate();
    if (this.#thread !== null) yieldToOthers(this.#thread);
    this.#giveUp?.();
    this.#giveUp = null;
  }
}

/** Linux knows priorities of threads by their numbers. */
function yieldToOthers(thread: number): void {
  try {
    setPriority(thread, LOWEST_PRIORITY);
  } catch {
    // It is gone already.
  }
}
