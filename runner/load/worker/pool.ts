/**
 * The worker isolates of this process. They are kept from run to run, so that later runs meet code that is already
 * compiled; each run gives every worker its own job and one common moment to start. A worker that is stuck is ended
 * (`overdue.ts`), and what it has measured is kept.
 */
import { TargetError } from "../../../base/errors.ts";
import type { EndedWorker } from "../../result/generator.ts";
import { takeWorker } from "./begun_worker.ts";
import { epochNowMs, momentOf } from "../../../base/system/clock.ts";
import type { FromWorker, Health, SoFarReport, ToWorker, WorkerReport } from "./messages.ts";
import type { IntervalPart } from "../recording/intervals.ts";
import type { JobShare } from "../engine/job.ts";
import { dueMsOf, Lateness, WATCH_STEP_MS } from "./overdue.ts";
import { SoFarSum } from "./so_far_sum.ts";
import type { SparseHistogram } from "../../stats/histogram/histogram.ts";
import { setPriority } from "node:os";

/** Time for the start message to reach every worker. */
const START_DELAY_MS = 5;
/** Additional time for each connection of an open loop: a local dial takes some 50 µs. */
const DIAL_MS = 0.2;
const LONGEST_DELAY_MS = 3_000;
/** Health of a worker that was ended. */
const IDLE: Health = { cpuRatio: 0, lateUs: 0 };

interface PoolHooks {
  /** Called once all workers are ready, with their number. */
  readonly onReady?: (workers: number) => void;
  /**
   * Called once all workers are ready; returns when to start, milliseconds since the epoch. Absent: the load starts
   * after `delayMs`, which is enough for the message to reach the workers and for their dials.
   */
  readonly startMoment?: (delayMs: number) => Promise<number>;
  /** An interval of worker `worker` (its index in the jobs) has ended. */
  readonly onInterval: (worker: number, part: IntervalPart, health: Health) => void;
  /** Called right after `onInterval`, with the report as if the worker had ended then. */
  readonly onSoFar?: (worker: number, report: SoFarReport) => void;
  /** A worker's first dial to finish has failed. */
  readonly onUnreached?: () => void;
  /** The load starts at this moment, milliseconds since the epoch. If this throws, the load ends immediately. */
  readonly onStart: (atMs: number) => void;
  /** Called at the end if a worker could not write all of its request log, with the reason. */
  readonly onLostLog?: (why: string) => void;
  readonly signal: AbortSignal;
}

export interface PoolReports {
  /** One for each worker. */
  readonly reports: readonly WorkerReport[];
  /** Workers that did not end in time, and were ended. */
  readonly ended: EndedWorker[];
}

export class WorkerPool {
  readonly #isolates: (Worker | undefined)[] = [];
  #workers: readonly PoolWorker[] = [];

  /** @param make Makes a worker that accepts and sends the messages of `worker.ts`. */
  constructor(private readonly make: () => Worker = takeWorker) {}

  /**
   * Runs one job on each worker, all starting at the same moment; they end early when the signal aborts. The next run
   * uses new workers in place of those that were ended; after an error, all its workers are new.
   */
  async run(shares: readonly JobShare[], hooks: PoolHooks): Promise<PoolReports> {
    const workers = shares.map((share, i) =>
      new PoolWorker(this.#isolates[i] ??= this.make(), share)
    );
    this.#workers = workers;
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

  /**
   * Latencies so far of the requests that each worker had in flight when it last reported, without workers that were
   * ended.
   */
  get inFlight(): readonly SparseHistogram[] {
    return this.#workers.flatMap(({ wasEnded, soFar }) => wasEnded ? [] : [soFar.open]);
  }

  close(): void {
    for (const isolate of this.#isolates.splice(0)) isolate?.terminate();
  }
}

class PoolRun {
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  /** When the run started; `#interruptedMs`: when it was interrupted. By performance.now(); null before. */
  #startMs: number | null = null;
  #interruptedMs: number | null = null;
  readonly #watch: ReturnType<typeof setInterval>;

  constructor(private readonly workers: readonly PoolWorker[], private readonly hooks: PoolHooks) {
    const lateness = workers.map(() => new Lateness(performance.now()));
    this.#watch = setInterval(() => this.#endHeld(lateness), WATCH_STEP_MS);
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
      const { share, lastMessageMs, isAwaited } = worker;
      const course = {
        share,
        lastMessageMs,
        startMs: this.#startMs,
        interruptedMs: this.#interruptedMs,
      };
      if (lateness[i].look(isAwaited ? dueMsOf(course) : Infinity, nowMs)) worker.end();
    });
  }

  async toItsEnd(): Promise<PoolReports> {
    const { workers, hooks } = this;
    await Promise.all(
      workers.map((worker) =>
        worker.request({ kind: "prepare", job: { ...worker.share, stop: this.#stop } }, "ready")
      ),
    );
    hooks.onReady?.(workers.length);
    const at = await (hooks.startMoment ?? soon)(delayMsOf(workers.map(({ share }) => share)))
      .catch(async (error) => {
        await this.#release();
        throw error;
      });
    const loads = workers.map((worker, i) => this.#load(worker, i, at));
    try {
      hooks.onStart(at); // takes up to 10 ms, during which the message reaches the workers
    } catch (error) {
      this.#interrupt();
      await Promise.allSettled(loads);
      throw error;
    }
    const finished = await Promise.all(loads);
    const lastIndex = Math.max(...workers.map((worker) => worker.lastIndex));
    const reports = await Promise.all(
      finished.map((report, i) => report ?? this.#reportOfEnded(i, lastIndex)),
    );
    return { reports, ended: workers.flatMap(endedWorker) };
  }

  /**
   * Sets the workers' stop flag and starts them, so that they end immediately and close what they opened for the run.
   */
  async #release(): Promise<void> {
    this.#interrupt();
    const at = momentOf(epochNowMs());
    await Promise.all(
      this.workers.map((worker) => worker.request({ kind: "start", at }, "finished")),
    );
  }

  /** The worker's report; null if the worker had to be ended. */
  async #load(worker: PoolWorker, index: number, at: number): Promise<WorkerReport | null> {
    const { onInterval, onSoFar, onUnreached, onLostLog } = this.hooks;
    this.#startMs = at - performance.timeOrigin;
    const start = { kind: "start", at: momentOf(at) } as const;
    const finished = await worker.request(start, "finished", (message) => {
      if (message.kind === "unreached") return onUnreached?.();
      onInterval(index, message.part, message.health);
      // skip the getter below if nobody wants the report, because it is slow
      if (onSoFar === undefined) return;
      const { report } = worker.soFar;
      if (report !== null) onSoFar(index, report);
    });
    const hasLog = worker.share.log !== null;
    const lost = finished === null
      ? hasLog && "a worker did not respond, and was ended"
      : finished.lostLog;
    if (lost) onLostLog?.(lost);
    return finished?.report ?? null;
  }

  /**
   * Returns the report of a worker that was ended, and calls `onInterval` with the lower bounds that no interval
   * contains yet.
   */
  async #reportOfEnded(index: number, lastIndex: number): Promise<WorkerReport> {
    const { boundsPart, reportOfSilent } = await import("./silent_worker.ts"); // loaded on demand, because few runs need it
    const { share: { pacer, turns, script, durationUs }, lastIndex: own } = this.workers[index];
    const soFar = this.workers[index].soFar.report;
    const share = {
      pacer,
      turns,
      scriptKind: script.kind,
      durationUs: Math.min(durationUs, this.#lastedUs),
    };
    const { report, dropped } = reportOfSilent(share, soFar);
    const handOn = (part: IntervalPart): void => this.hooks.onInterval(index, part, IDLE);
    if (soFar !== null && soFar.open.count > 0) handOn(boundsPart(own, soFar.open));
    if (dropped.count > 0) handOn(boundsPart(lastIndex, dropped));
    return report;
  }

  /** Time until the interruption; Infinity without one. */
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
  return wasEnded ? [{ worker, knownUntil: soFar.elapsedUs / 1_000 }] : [];
}

function soon(delayMs: number): Promise<number> {
  return Promise.resolve(epochNowMs() + delayMs);
}

function delayMsOf(shares: readonly JobShare[]): number {
  const dials = shares.reduce(
    (sum, { pacer, connections, script }) =>
      pacer.kind !== "closed" && script.kind === "requests" ? sum + connections : sum,
    0,
  );
  return Math.min(START_DELAY_MS + dials * DIAL_MS, LONGEST_DELAY_MS);
}

// A worker isolate in one run: requests to it, its messages so far, and ending it if it does not respond.

type Reply<Kind> = Extract<FromWorker, { kind: Kind }>;

const LOWEST_PRIORITY = 19;

class PoolWorker {
  /** The worker's load up to its last interval. */
  readonly soFar = new SoFarSum();
  lastIndex = 0;
  /** When the worker last posted a message, or was last sent one, by performance.now(). */
  lastMessageMs = performance.now();
  wasEnded = false;
  /** Stops waiting for the worker's reply; null if none is awaited. */
  #giveUp: (() => void) | null = null;
  #thread: number | null = null;

  constructor(private readonly isolate: Worker, readonly share: JobShare) {}

  get isAwaited(): boolean {
    return this.#giveUp !== null;
  }

  /** Posts `message` and waits for the reply of kind `kind`; null if the worker is ended before that. */
  request<Kind extends "ready" | "finished">(
    message: ToWorker,
    kind: Kind,
    onNews?: (message: Reply<"interval" | "unreached">) => void,
  ): Promise<Reply<Kind> | null> {
    if (this.wasEnded) return Promise.resolve(null);
    this.lastMessageMs = performance.now();
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(null);
      this.isolate.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        this.#receive(data);
        if (data.kind === "interval" || data.kind === "unreached") return onNews?.(data);
        if (data.kind === "refused") return reject(new TargetError(data.why));
        if (data.kind !== kind) return;
        this.#giveUp = null;
        resolve(data as Reply<Kind>);
      };
      this.isolate.onerror = (event) => {
        event.preventDefault();
        reject(new Error(`A load worker failed: ${event.message}`));
      };
      this.isolate.postMessage(message);
    });
  }

  #receive(message: FromWorker): void {
    this.lastMessageMs = performance.now();
    if (message.kind === "ready") this.#thread = message.thread;
    if (message.kind !== "interval") return;
    this.soFar.add(message.soFar);
    this.lastIndex = message.part.index;
  }

  /**
   * Ends the worker, whatever it is doing, and ignores any later message. Deno 2.9 can't stop an isolate whose code
   * never returns, so its thread gets the lowest priority until the program ends.
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

/** Lowers the priority of one thread; Linux accepts a thread id in place of a process id. */
function yieldToOthers(thread: number): void {
  try {
    setPriority(thread, LOWEST_PRIORITY);
  } catch {
    // The thread is gone already.
  }
}
