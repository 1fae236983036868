/** Starts the targets of an experiment for its runs, with the Redis that they use. */
import type { Cell, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import type { LaunchContext, RunningTarget } from "../../targets/launch/launcher.ts";
import { RuntimeCounters } from "../../targets/observe/runtime/runtime_counters.ts";
import { startTarget } from "../../targets/launchers.ts";
import type { ProvidedRedis } from "../../targets/redis/provide.ts";
import type { RunCommands, TargetCommands } from "./target_commands.ts";
import { cellNeeds } from "./missing_prerequisites.ts";
import type { OnProgress } from "../result/progress.ts";
import { coresText, parseCores } from "../../base/system/affinity.ts";
import type { PinSpec } from "../../scenarios/load/pin.ts";
import { applyPin } from "../../targets/launch/pin.ts";

interface TargetsRequest {
  readonly experiment: Pick<Experiment, "fresh" | "startTimeout" | "observe">;
  /** Folder that relative paths in the experiment refer to. */
  readonly baseDir: string;
  /** Where targets listen: an address or a name of this machine. */
  readonly host: string;
}

interface TargetsHooks {
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

type StartOptions = Pick<LaunchContext, "inspectable">;

/**
 * Starts a process for each run, or, with `fresh: false` in the experiment file, one process that all runs of a target
 * use for as long as it lives.
 */
export class ExperimentTargets {
  readonly #kept = new Map<string, RunningTarget>();
  readonly #ended = new WeakSet<RunningTarget>();
  /** For each kept target, the commands of its current run. */
  readonly #runs = new Map<RunningTarget, RunCommands>();
  /** Resolves when all targets that were closed so far have ended, which they do while results are being written. */
  #closing: Promise<void> = Promise.resolve();

  constructor(
    private readonly request: TargetsRequest,
    private readonly redis: ProvidedRedis | null,
    private readonly hooks: TargetsHooks,
    private readonly commands: Pick<TargetCommands, "begin">,
  ) {}

  async open({ cell }: PlannedRun): Promise<RunningTarget> {
    if (this.request.experiment.fresh) return await this.start(cell);
    await this.#closing;
    const key = JSON.stringify([cell.target, cell.targetSpec, cell.others]);
    const run = await this.commands.begin(cell);
    return await endedOnError(run, async () => {
      const target = await this.#keep(key, cell);
      this.#runs.set(target, run);
      await run.started(target.origin);
      return target;
    });
  }

  async #keep(key: string, cell: Cell): Promise<RunningTarget> {
    const kept = this.#kept.get(key);
    if (kept !== undefined && !this.#ended.has(kept)) return kept;
    await kept?.stop(); // other processes of the target may still be running
    const target = await this.#launch(cell, {});
    void target.exited.then(() => this.#ended.add(target));
    this.#kept.set(key, target);
    return target;
  }

  /** Ends a target that no longer responds, even if it is kept between runs, and starts a new process. */
  async reopen(target: RunningTarget, planned: PlannedRun): Promise<RunningTarget> {
    this.#ended.add(target);
    this.close(target);
    return await this.open(planned);
  }

  /**
   * Starts a process of the cell's target. If targets are to be fresh and use Redis, first removes from Redis what
   * earlier runs have left there.
   */
  async start(cell: Cell, how: StartOptions = {}): Promise<RunningTarget> {
    await this.#closing;
    const isFresh = this.request.experiment.fresh;
    if (isFresh && cellNeeds(cell).includes("redis")) await this.redis?.forget();
    const run = await this.commands.begin(cell);
    return await endedOnError(run, async () => {
      const target = await this.#launch(cell, how);
      const stop = async (): Promise<void> => {
        await run.end();
        await target.stop();
      };
      await run.started(target.origin).catch(async (error) => {
        await stop();
        throw error;
      });
      return { ...target, stop };
    });
  }

  async #launch(cell: Cell, how: StartOptions): Promise<RunningTarget> {
    const { experiment, baseDir, host } = this.request;
    const { onProgress, signal } = this.hooks;
    const { observe } = experiment;
    const counters = observe === undefined || how.inspectable
      ? null
      : RuntimeCounters.open({ compiler: observe.includes("compiler") });
    const starting = startTarget(cell.targetSpec, {
      name: cell.target,
      baseDir,
      host,
      redisUrl: this.redis?.url ?? null,
      readyTimeoutMs: experiment.startTimeout,
      signal,
      onNote: (text) => onProgress({ kind: "note", text }),
      others: cell.others,
      ...how,
      ...counters && { counters },
    });
    return counters === null ? await starting : await countedTarget(starting, counters);
  }

  /**
   * Begins to end a target's run, and also the target unless it is kept. The next target starts only once both have
   * ended.
   */
  close(target: RunningTarget): void {
    const run = this.#runs.get(target);
    this.#runs.delete(target);
    const ending = this.request.experiment.fresh ? target.stop() : run?.end();
    // In slices, two targets are closed at the same time, so both are waited for.
    this.#closing = Promise.all([this.#closing, ending]).then(() => {});
    this.#closing.catch(() => {}); // no unhandled rejection; whoever awaits it gets the error
  }

  async closeAll(): Promise<void> {
    await this.#closing;
    for (const kept of this.#kept.values()) await kept.stop();
    this.#kept.clear();
  }
}

/** A target with its runtime counters, which are closed when it stops. */
async function countedTarget(
  starting: Promise<RunningTarget>,
  counters: RuntimeCounters,
): Promise<RunningTarget> {
  const target = await starting.catch(async (error) => {
    await counters.close();
    throw error;
  });
  const stop = (): Promise<void> => target.stop().finally(() => counters.close());
  return { ...target, counters, stop };
}

/** Returns the result of `work`. If `work` throws, the run's commands are ended before the error is rethrown. */
async function endedOnError<Made>(run: RunCommands, work: () => Promise<Made>): Promise<Made> {
  try {
    return await work();
  } catch (error) {
    await run.end();
    throw error;
  }
}

// Applies the `pin` of an experiment.

interface Pinned extends Disposable {
  /** Number of load workers, one for each core that is pinned for them; null: chosen from the machine's cores. */
  readonly workers: number | null;
}

/** Pins targets and load workers to their cores until disposed. Throws a TargetError if that is impossible. */
export function applyPins({ targets, workers }: PinSpec = {}, onProgress: OnProgress): Pinned {
  const pin = { targets: coresOf(targets), workers: coresOf(workers) };
  const shared = sharedCores(pin.targets ?? [], pin.workers ?? []);
  const applied = applyPin(pin);
  if (shared.length > 0) {
    const text = "Targets and load workers take CPU time from each other, because pin gives both " +
      `${shared.length === 1 ? "core" : "cores"} ${coresText(shared)}`;
    onProgress({ kind: "note", text });
  }
  return {
    workers: pin.workers?.length ?? null,
    [Symbol.dispose]: () => applied[Symbol.dispose](),
  };
}

function sharedCores(some: readonly number[], others: readonly number[]): number[] {
  return some.filter((core) => others.includes(core));
}

function coresOf(text: string | undefined): number[] | null {
  return text === undefined ? null : parseCores(text);
}
