/**
 * The worker isolates of this process. They are kept from run to run, so that later runs meet code that
 * is already compiled; each run gives every worker its own job and one common moment to start. A worker
 * that is held is ended (`overdue.ts`), and what it had measured is kept.
 */
import type { EndedWorker } from "../result/generator.ts";
import { takeWorker } from "./begun_worker.ts";
import { epochNowMs, momentOf } from "./clock.ts";
import type { Health } from "./health.ts";
import type { IntervalPart } from "./intervals.ts";
import type { JobShare, SoFarReport, WorkerReport } from "./job.ts";
import { dueMsOf, Lateness, LOOK_MS } from "./overdue.ts";
import { PoolWorker } from "./pool_worker.ts";

/** Time for the start message to reach every worker. */
const START_DELAY_MS = 5;
/** In an open loop also for dialing: a local connection takes some 50 µs. */
const DIAL_MS = 0.2;
const LONGEST_DELAY_MS = 3_000;
/** Of a worker that was ended nobody knows how it fares. */
const IDLE: Health = { cpuRatio: 0, lateUs: 0 };

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
  /** Called right after `onInterval`: how the worker would have ended then. */
  readonly onSoFar?: (worker: number, report: SoFarReport) => void;
  /** The load starts at this moment, milliseconds since the epoch. */
  readonly onStart: (atMs: number) => void;
  /** At the end: a worker could not write all of its request log, and why. */
  readonly onLostLog?: (why: string) => void;
  readonly signal: AbortSignal;
}

export interface PoolReports {
  /** Of each worker. */
  readonly reports: readonly WorkerReport[];
  /** Those that did not end in time. */
  readonly ended: EndedWorker[];
}

export class WorkerPool {
  readonly #isolates: (Worker | undefined)[] = [];

  /** @param make Gives a worker that speaks as `worker.ts` does. */
  constructor(private readonly make: () => Worker = takeWorker) {}

  /**
   * Runs one job on each worker, all from one moment; when the signal aborts they end early. After an error, or
   * in place of a worker that was ended, the next run has new workers.
   */
  async run(shares: readonly JobShare[], hooks: PoolHooks): Promise<PoolReports> {
    const workers = shares.map((share, i) =>
      new PoolWorker(this.#isolates[i] ??= this.make(), share)
    );
    const run = new PoolRun(workers, hooks);
    try {
      return await run.toItsEnd();
    } catch (error) {
      this.close(); // a worker that has failed takes no other job
      throw error;
    } finally {
      run.close();
      workers.forEach(({ wasEnded }, i) => wasEnded && delete this.#isolates[i]);
    }
  }

  close(): void {
    for (const isolate of this.#isolates.splice(0)) isolate?.terminate();
  }
}

/** One run of a pool. */
class PoolRun {
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  /** By performance.now(), as is the interruption. */
  #startMs: number | null = null;
  #interruptedMs: number | null = null;
  readonly #watch: ReturnType<typeof setInterval>;

  constructor(private readonly workers: readonly PoolWorker[], private readonly hooks: PoolHooks) {
    const lateness = workers.map(() => new Lateness(performance.now()));
    this.#watch = setInterval(() => this.#endHeld(lateness), LOOK_MS);
    hooks.signal.addEventListener("abort", this.#interrupt);
    if (hooks.signal.aborted) this.#interrupt();
  }

  readonly #interrupt = (): void => {
    this.#interruptedMs ??= performance.now();
    Atomics.store(this.#stop, 0, 1);
  };

  #endHeld(lateness: readonly Lateness[]): void {
    const nowMs = performance.now();
    this.workers.forEach((worker, i) => {
      const { share, heardMs, isAwaited } = worker;
      const course = { share, heardMs, startMs: this.#startMs, interruptedMs: this.#interruptedMs };
      if (lateness[i].look(isAwaited ? dueMsOf(course) : Infinity, nowMs)) worker.end();
    });
  }

  async toItsEnd(): Promise<PoolReports> {
    const { workers, hooks } = this;
    await Promise.all(
      workers.map((worker) =>
        worker.ask({ kind: "prepare", job: { ...worker.share, stop: this.#stop } }, "ready")
      ),
    );
    hooks.onReady?.(workers.length);
    const at = await (hooks.startMoment ?? soon)(delayMsOf(workers.map(({ share }) => share)))
      .catch(async (error) => {
        await this.#release();
        throw error;
      });
    hooks.onStart(at);
    const finished = await Promise.all(workers.map((worker, i) => this.#load(worker, i, at)));
    const lastIndex = Math.max(...workers.map((worker) => worker.lastIndex));
    const reports = await Promise.all(
      finished.map((report, i) => report ?? this.#reportOfEnded(i, lastIndex)),
    );
    return { reports, ended: workers.flatMap(endedWorker) };
  }

  /** Starts workers that were told to stop: they end at once, and close what they opened for the run. */
  async #release(): Promise<void> {
    this.#interrupt();
    const at = momentOf(epochNowMs());
    await Promise.all(this.workers.map((worker) => worker.ask({ kind: "start", at }, "finished")));
  }

  /** Null when it had to be ended. */
  async #load(worker: PoolWorker, index: number, at: number): Promise<WorkerReport | null> {
    const { onInterval, onSoFar, onLostLog } = this.hooks;
    this.#startMs = at - performance.timeOrigin;
    const start = { kind: "start", at: momentOf(at) } as const;
    const told = await worker.ask(start, "finished", ({ part, health, soFar }) => {
      onInterval(index, part, health);
      onSoFar?.(index, soFar);
    });
    const hasLog = worker.share.log !== null;
    const lost = told === null ? hasLog && "a worker was held, and ended" : told.lostLog;
    if (lost) onLostLog?.(lost);
    return told?.report ?? null;
  }

  /** Hands on what is in no interval yet, too. */
  async #reportOfEnded(index: number, lastIndex: number): Promise<WorkerReport> {
    const { boundsPart, endWithout } = await import("./lost.ts"); // what few runs need delays none
    const { share: { supply, script, durationUs }, soFar, lastIndex: own } = this.workers[index];
    const share = {
      supply,
      scriptKind: script.kind,
      durationUs: Math.min(durationUs, this.#lastedUs),
    };
    const { report, dropped } = endWithout(share, soFar);
    const tell = (part: IntervalPart): void => this.hooks.onInterval(index, part, IDLE);
    if (soFar !== null && soFar.open.count > 0) tell(boundsPart(own, soFar.open));
    if (dropped.count > 0) tell(boundsPart(lastIndex, dropped));
    return report;
  }

  /** Until the interruption; Infinity without one. */
  get #lastedUs(): number {
    if (this.#interruptedMs === null || this.#startMs === null) return Infinity;
    return Math.max(0, this.#interruptedMs - this.#startMs) * 1_000;
  }

  close(): void {
    clearInterval(this.#watch);
    this.hooks.signal.removeEventListener("abort", this.#interrupt);
  }
}

function endedWorker({ wasEnded, soFar }: PoolWorker, worker: number): EndedWorker[] {
  return wasEnded ? [{ worker, knownUntil: (soFar?.elapsedUs ?? 0) / 1_000 }] : [];
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
