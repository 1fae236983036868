/**
 * The whole experiment: every planned run in its order, saved after each, until the end or Ctrl-C.
 * One that can't be measured is noted, and the rest goes on.
 */
import type { Experiment } from "../scenarios/experiment.ts";
import type { Cell, Plan, PlannedRun } from "../scenarios/plan.ts";
import type { RunningTarget } from "../targets/launch/launcher.ts";
import { startTarget } from "../targets/launch/registry.ts";
import { type ProvidedRedis, provideRedis } from "../targets/redis.ts";
import { carryOutBlocks, leaveOut } from "./blocks.ts";
import { cellNeeds, lackOf } from "./lacking.ts";
import { WorkerPool } from "./load/pool.ts";
import { pinDown } from "./pin.ts";
import type { OnProgress } from "./progress.ts";
import { type Provenance, provenanceOf } from "./provenance.ts";
import type { Results } from "./result.ts";
import { ResultFile } from "./result_file.ts";
import { calibrateFirst } from "./trust/calibration.ts";
import { VERSION } from "./version.ts";

const READY_TIMEOUT_MS = 30_000;

export interface ExperimentRequest {
  readonly experiment: Experiment;
  readonly plan: Plan;
  /** The experiment file, word for word. */
  readonly source: string;
  /** Folder that relative paths in the experiment start from. */
  readonly baseDir: string;
  /** Where results.json goes. */
  readonly outDir: string;
  readonly seed: number;
  /** The Redis that the user named, or null. */
  readonly redisUrl: string | null;
}

export interface ExperimentHooks {
  readonly onProgress: OnProgress;
  /** Ends the experiment: the run in progress is given up, what was measured is kept. */
  readonly signal: AbortSignal;
}

export async function runExperiment(
  request: ExperimentRequest,
  hooks: ExperimentHooks,
): Promise<Results> {
  const provenance = await provenanceOf(request);
  await calibrateFirst(hooks); // before the workers' cores are narrowed down
  using pinned = pinDown(request.experiment.pin, hooks.onProgress);
  const redis = await redisFor(request, hooks);
  const file = new ResultFile(request.outDir, emptyResults(request, redis, provenance));
  const pool = new WorkerPool();
  const targets = new Targets(request, redis, hooks.signal);
  try {
    await file.save();
    const lacking = await setAside(request, { redis, file, onProgress: hooks.onProgress });
    await carryOutBlocks({ ...request, lacking }, file, {
      pool,
      seed: request.seed,
      workers: pinned.workers,
      intervalMs: request.experiment.interval,
      ...hooks,
      open: (planned) => targets.open(planned),
      close: (target) => targets.close(target),
    });
    await file.finish(hooks.signal.aborted ? "interrupted" : "done");
    return file.results;
  } finally {
    pool.close();
    await targets.closeAll();
    await redis?.stop();
  }
}

async function redisFor(
  { plan: { cells }, redisUrl }: ExperimentRequest,
  { onProgress, signal }: ExperimentHooks,
): Promise<ProvidedRedis | null> {
  if (redisUrl === null && !cells.some((cell) => cellNeeds(cell).includes("redis"))) return null;
  const redis = await provideRedis({ url: redisUrl, signal });
  if (redis) onProgress({ kind: "note", text: `Redis ${redis.version} (${redis.kind})` });
  return redis;
}

/** Notes the cells that lack something, once each, and gives them. */
async function setAside(
  { plan, experiment }: ExperimentRequest,
  { redis, file, onProgress }: {
    redis: ProvidedRedis | null;
    file: ResultFile;
    onProgress: OnProgress;
  },
): Promise<Set<Cell>> {
  const lacking = new Set<Cell>();
  for (const cell of plan.cells) {
    const lack = lackOf(cell, redis);
    if (lack === null) continue;
    lacking.add(cell);
    await leaveOut(
      {
        target: cell.target,
        scenario: cell.scenario,
        parameters: { ...cell.parameters },
        repetition: null,
        kind: experiment.optional.includes(lack.need) ? "skipped" : "failed",
        reason: lack.reason,
        evidence: [],
      },
      file,
      onProgress,
    );
  }
  return lacking;
}

function emptyResults(
  { experiment, source, seed }: ExperimentRequest,
  redis: ProvidedRedis | null,
  provenance: Provenance,
): Results {
  return {
    schema: "plateau.results/1",
    version: VERSION,
    experiment: { ...experiment },
    source,
    seed,
    ...provenance,
    redis: redis?.kind ?? null,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    state: "running",
    planned: 0,
    runs: [],
    missing: [],
  };
}

/** The targets that run: one process a run, or one for all runs of a target where the file says `fresh: false`. */
class Targets {
  readonly #kept = new Map<string, Promise<RunningTarget>>();

  constructor(
    private readonly request: ExperimentRequest,
    private readonly redis: ProvidedRedis | null,
    private readonly signal: AbortSignal,
  ) {}

  open({ cell }: PlannedRun): Promise<RunningTarget> {
    const start = (): Promise<RunningTarget> =>
      startTarget(cell.targetSpec, {
        name: cell.target,
        baseDir: this.request.baseDir,
        redisUrl: this.redis?.url ?? null,
        readyTimeoutMs: READY_TIMEOUT_MS,
        signal: this.signal,
        others: cell.others,
      });
    if (this.request.experiment.fresh) return start();
    const key = JSON.stringify([cell.target, cell.targetSpec, cell.others]);
    const kept = this.#kept.get(key) ?? start();
    this.#kept.set(key, kept);
    return kept;
  }

  async close(target: RunningTarget): Promise<void> {
    if (this.request.experiment.fresh) await target.stop();
  }

  async closeAll(): Promise<void> {
    for (const kept of await Promise.allSettled(this.#kept.values())) {
      if (kept.status === "fulfilled") await kept.value.stop();
    }
  }
}
