/**
 * The worker isolates of this process. They are kept from run to run, so that later runs meet code that
 * is already compiled; each run gives every worker its own job and one common moment to start.
 */
import { epochNowMs, momentOf } from "./clock.ts";
import type { FromWorker, Job, SoFarReport, ToWorker, WorkerReport } from "./job.ts";
import type { Health } from "./health.ts";
import type { IntervalPart } from "./intervals.ts";

/** Time for the start message to reach every worker. */
const START_DELAY_MS = 5;
/** In an open loop also for dialing: a local connection takes some 50 µs. */
const DIAL_MS = 0.2;
const LONGEST_DELAY_MS = 3_000;

export interface PoolHooks {
  /** So many workers are ready. */
  readonly onReady?: (workers: number) => void;
  /**
   * Asked once all are ready: when to start, milliseconds since the epoch. Absent: after `delayMs`, which is
   * how long it takes the workers to be told and to dial.
   */
  readonly startMoment?: (delayMs: number) => Promise<number>;
  /** An interval of worker `worker` (its index in the jobs) has ended. */
  readonly onInterval: (worker: number, part: IntervalPart, health: Health) => void;
  /** Called right after `onInterval`. When given, the workers tell how they would end, at each interval. */
  readonly onSoFar?: (worker: number, report: SoFarReport) => void;
  /** The load starts at this moment, milliseconds since the epoch. */
  readonly onStart: (atMs: number) => void;
  /** At the end: a worker could not write all of its request log, and why. */
  readonly onLostLog?: (why: string) => void;
  readonly signal: AbortSignal;
}

/** A job but for what the pool adds itself. */
export type JobShare = Omit<Job, "stop" | "tellsSoFar">;

let begun: Worker | null = null;

/** Begins the first worker before its job is known: it loads while the command line is read. */
export function beginWorker(): void {
  begun ??= newWorker();
}

function newWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}

function takeWorker(): Worker {
  const worker = begun ?? newWorker();
  begun = null;
  return worker;
}

export class WorkerPool {
  readonly #workers: Worker[] = [];

  /**
   * Runs one job on each worker, all from one moment; when the signal aborts they end early. After an error the
   * next run has new workers.
   */
  async run(shares: readonly JobShare[], hooks: PoolHooks): Promise<WorkerReport[]> {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const tellsSoFar = hooks.onSoFar !== undefined;
    const onAbort = (): void => void Atomics.store(stop, 0, 1);
    hooks.signal.addEventListener("abort", onAbort);
    if (hooks.signal.aborted) onAbort();
    try {
      const workers = shares.map((_, index) => this.#worker(index));
      await Promise.all(
        shares.map((share, i) =>
          ask(workers[i], { kind: "prepare", job: { ...share, stop, tellsSoFar } }, "ready")
        ),
      );
      hooks.onReady?.(workers.length);
      const at = await (hooks.startMoment ?? soon)(delayMsOf(shares)).catch(async (error) => {
        onAbort();
        await release(workers);
        throw error;
      });
      hooks.onStart(at);
      const moment = momentOf(at);
      const finished = workers.map((worker, index) =>
        ask(worker, { kind: "start", at: moment }, "finished", ({ part, health, soFar }) => {
          hooks.onInterval(index, part, health);
          if (soFar !== null) hooks.onSoFar?.(index, soFar);
        })
      );
      return (await Promise.all(finished)).map(({ report, lostLog }) => {
        if (lostLog !== null) hooks.onLostLog?.(lostLog);
        return report;
      });
    } catch (error) {
      this.close(); // a worker that has failed takes no other job
      throw error;
    } finally {
      hooks.signal.removeEventListener("abort", onAbort);
    }
  }

  #worker(index: number): Worker {
    return this.#workers[index] ??= takeWorker();
  }

  close(): void {
    for (const worker of this.#workers.splice(0)) worker.terminate();
  }
}

/** Starts workers that were told to stop: they end at once, and close what they opened for the run. */
async function release(workers: readonly Worker[]): Promise<void> {
  const at = momentOf(epochNowMs());
  await Promise.all(workers.map((worker) => ask(worker, { kind: "start", at }, "finished")));
}

function soon(delayMs: number): Promise<number> {
  return Promise.resolve(epochNowMs() + delayMs);
}

function delayMsOf(shares: readonly JobShare[]): number {
  const dials = shares.reduce(
    (sum, { supply, connections, script }) =>
      supply.kind === "open" && script.kind === "requests" ? sum + connections : sum,
    0,
  );
  return Math.min(START_DELAY_MS + dials * DIAL_MS, LONGEST_DELAY_MS);
}

type Answer<Kind> = Extract<FromWorker, { kind: Kind }>;

/** Posts `message` and waits for the answer of kind `kind`, passing on the intervals told before it. */
function ask<Kind extends "ready" | "finished">(
  worker: Worker,
  message: ToWorker,
  kind: Kind,
  onInterval?: (told: Answer<"interval">) => void,
): Promise<Answer<Kind>> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "interval") onInterval?.(data);
      else if (data.kind === kind) resolve(data as Answer<Kind>);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(`A load worker failed: ${event.message}`));
    };
    worker.postMessage(message);
  });
}
