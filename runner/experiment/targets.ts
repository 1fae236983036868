/** The targets of an experiment as they are started for its runs, and the Redis that they find. */
import type { Cell, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";
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
  /** Folder that relative paths in the experiment start from. */
  readonly baseDir: string;
  /** Where they listen: an address or a name of this machine. */
  readonly host: string;
}

interface TargetsHooks {
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

type StartOptions = Pick<LaunchContext, "inspectable">;

/** One process a run, or one for all runs of a target, as long as it lives, where the file says `fresh: false`. */
export class ExperimentTargets {
  readonly #kept = new Map<string, RunningTarget>();
  readonly #ended = new WeakSet<RunningTarget>();
  /** Commands of the current run of each target that is kept. */
  readonly #runs = new Map<RunningTarget, RunCommands>();
  /** The end of the last runs' targets: they end while those runs' results are written. */
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
    await kept?.stop(); // of several, others may be left
    const target = await this.#launch(cell, {});
    void target.exited.then(() => this.#ended.add(target));
    this.#kept.set(key, target);
    return target;
  }

  /** In place of one that does not respond any more. */
  async reopen(target: RunningTarget, planned: PlannedRun): Promise<RunningTarget> {
    this.#ended.add(target);
    this.close(target);
    return await this.open(planned);
  }

  /** A process of its own, in front of a Redis without what the one before has left, if it is to be fresh. */
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

  /** Begins to end its run, and itself unless it is kept: the next one starts when that has ended. */
  close(target: RunningTarget): void {
    const run = this.#runs.get(target);
    this.#runs.delete(target);
    const ending = this.request.experiment.fresh ? target.stop() : run?.end();
    // In slices, two targets end at the same time.
    this.#closing = Promise.all([this.#closing, ending]).then(() => {});
    this.#closing.catch(() => {}); // whoever waits for it gets the error
  }

  async closeAll(): Promise<void> {
    await this.#closing;
    for (const kept of this.#kept.values()) await kept.stop();
    this.#kept.clear();
  }
}

/** The counters live as long as the target. */
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

/** The result of `work`; where it throws, the run's commands are ended in order first. */
async function endedOnError<Made>(run: RunCommands, work: () => Promise<Made>): Promise<Made> {
  try {
    return await work();
  } catch (error) {
    await run.end();
    throw error;
  }
}

// An experiment's `pin` in force.

interface Pinned extends Disposable {
  /** One load worker for each core that is theirs; null: chosen from the machine. */
  readonly workers: number | null;
}

/** Keeps targets and workers to their cores until it is disposed. Throws a TargetError where that can't be had. */
export function applyPins({ targets, workers }: PinSpec = {}, onProgress: OnProgress): Pinned {
  const pin = { targets: coresOf(targets), workers: coresOf(workers) };
  const shared = sharedCores(pin.targets ?? [], pin.workers ?? []);
  const applied = applyPin(pin);
  if (shared.length > 0) {
    const text = `Targets and load workers share core ${coresText(shared)}, as pin says: ` +
      "each takes time from the other";
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
