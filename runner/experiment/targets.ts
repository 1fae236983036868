/** The targets of an experiment as they are started for its runs, and the Redis that they find. */
import type { Cell, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { startTarget } from "../../targets/launchers.ts";
import type { ProvidedRedis } from "../../targets/redis/provide.ts";
import { cellNeeds } from "./missing_prerequisites.ts";
import type { OnProgress } from "../result/progress.ts";

interface TargetsRequest {
  readonly experiment: Pick<Experiment, "fresh" | "startTimeout">;
  /** Folder that relative paths in the experiment start from. */
  readonly baseDir: string;
  /** Where they listen: an address or a name of this machine. */
  readonly host: string;
}

interface TargetsHooks {
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** One process a run, or one for all runs of a target, as long as it lives, where the file says `fresh: false`. */
export class Targets {
  readonly #kept = new Map<string, RunningTarget>();
  readonly #ended = new WeakSet<RunningTarget>();

  constructor(
    private readonly request: TargetsRequest,
    private readonly redis: ProvidedRedis | null,
    private readonly hooks: TargetsHooks,
  ) {}

  async open({ cell }: PlannedRun): Promise<RunningTarget> {
    if (this.request.experiment.fresh) return await this.start(cell);
    const key = JSON.stringify([cell.target, cell.targetSpec, cell.others]);
    const kept = this.#kept.get(key);
    if (kept !== undefined && !this.#ended.has(kept)) return kept;
    await kept?.stop(); // of several, others may be left
    const target = await this.start(cell);
    void target.exited.then(() => this.#ended.add(target));
    this.#kept.set(key, target);
    return target;
  }

  /** A process of its own, in front of a Redis without what the one before has left, if it is to be fresh. */
  async start(cell: Cell): Promise<RunningTarget> {
    const { experiment, baseDir, host } = this.request;
    const { onProgress, signal } = this.hooks;
    if (experiment.fresh && cellNeeds(cell).includes("redis")) await this.redis?.forget();
    return await startTarget(cell.targetSpec, {
      name: cell.target,
      baseDir,
      host,
      redisUrl: this.redis?.url ?? null,
      readyTimeoutMs: experiment.startTimeout,
      signal,
      onNote: (text) => onProgress({ kind: "note", text }),
      others: cell.others,
    });
  }

  async close(target: RunningTarget): Promise<void> {
    if (this.request.experiment.fresh) await target.stop();
  }

  async closeAll(): Promise<void> {
    for (const kept of this.#kept.values()) await kept.stop();
  }
}
