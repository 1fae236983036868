/**
 * The whole experiment: every planned run in its order, saved after each, until the end or Ctrl-C.
 * One that can't be measured is noted, and the rest goes on.
 */
import { TargetError } from "../scenarios/errors.ts";
import type { Experiment } from "../scenarios/experiment.ts";
import type { PlannedRun } from "../scenarios/plan.ts";
import type { RunningTarget } from "../targets/launch/launcher.ts";
import { startTarget } from "../targets/launch/registry.ts";
import { type ProvidedRedis, provideRedis } from "../targets/redis.ts";
import { WorkerPool } from "./load/pool.ts";
import { describeMachine } from "./machine.ts";
import type { OnProgress } from "./progress.ts";
import type { Missing, Results } from "./result.ts";
import { ResultFile } from "./result_file.ts";
import { carryOut, type RunContext } from "./run.ts";
import { Schedule } from "./schedule.ts";
import { VERSION } from "./version.ts";

const READY_TIMEOUT_MS = 30_000;

export interface ExperimentRequest {
  readonly experiment: Experiment;
  /** What to carry out, in order. */
  readonly runs: readonly PlannedRun[];
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
  const redis = await redisFor(request, hooks);
  const file = new ResultFile(request.outDir, emptyResults(request, redis));
  const pool = new WorkerPool();
  const targets = new Targets(request, redis, hooks.signal);
  try {
    await file.save();
    const possible = await setAside(request, { redis, file, onProgress: hooks.onProgress });
    await carryOutAll(possible, file, {
      pool,
      seed: request.seed,
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

async function carryOutAll(
  runs: readonly PlannedRun[],
  file: ResultFile,
  context: RunContext,
): Promise<void> {
  const schedule = new Schedule(runs);
  const { onProgress, signal } = context;
  onProgress({
    kind: "planned",
    runs: runs.length,
    cells: schedule.cells,
    expectedMs: schedule.remainingMs(0),
  });
  for (const [done, planned] of runs.entries()) {
    if (signal.aborted) return;
    const { cell, repetition } = planned;
    const { target, scenario, parameters } = cell;
    const remainingMs = schedule.remainingMs(done);
    onProgress({
      kind: "starting",
      order: done + 1,
      runs: runs.length,
      target,
      scenario,
      repetition,
      parameters,
      remainingMs,
    });
    const beganMs = performance.now();
    try {
      const run = await carryOut(planned, context);
      if (signal.aborted) return;
      schedule.took(planned, performance.now() - beganMs);
      await file.addRun(run);
      onProgress({ kind: "measured", order: done + 1, measurement: run });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TargetError)) throw error;
      await leaveOut(
        {
          target,
          scenario,
          parameters,
          repetition,
          kind: "failed",
          reason: error.message,
          evidence: [...error.evidence],
        },
        file,
        onProgress,
      );
    }
  }
}

async function leaveOut(missing: Missing, file: ResultFile, onProgress: OnProgress): Promise<void> {
  onProgress({ kind: "missing", missing });
  await file.addMissing(missing);
}

function needsRedis({ cell }: PlannedRun): boolean {
  return cell.request.needs.includes("redis");
}

async function redisFor(
  { runs, redisUrl }: ExperimentRequest,
  { onProgress, signal }: ExperimentHooks,
): Promise<ProvidedRedis | null> {
  if (redisUrl === null && !runs.some(needsRedis)) return null;
  const redis = await provideRedis({ url: redisUrl, signal });
  if (redis) onProgress({ kind: "note", text: `Redis ${redis.version} (${redis.kind})` });
  return redis;
}

/** Notes the cells that lack something, once each, and gives the runs that are left. */
async function setAside(
  { runs, experiment }: ExperimentRequest,
  { redis, file, onProgress }: {
    redis: ProvidedRedis | null;
    file: ResultFile;
    onProgress: OnProgress;
  },
): Promise<PlannedRun[]> {
  const lacking = redis ? [] : runs.filter(needsRedis);
  for (const cell of new Set(lacking.map(({ cell }) => cell))) {
    await leaveOut(
      {
        target: cell.target,
        scenario: cell.scenario,
        parameters: { ...cell.parameters },
        repetition: null,
        kind: experiment.optional.includes("redis") ? "skipped" : "failed",
        reason:
          "No Redis: none answers on 127.0.0.1:6379 and neither redis-server nor valkey-server is on PATH; " +
          "install one, or name one with --redis URL",
        evidence: [],
      },
      file,
      onProgress,
    );
  }
  return runs.filter((planned) => !lacking.includes(planned));
}

function emptyResults(
  { experiment, source, seed, runs }: ExperimentRequest,
  redis: ProvidedRedis | null,
): Results {
  return {
    schema: "plateau.results/1",
    version: VERSION,
    experiment: { ...experiment },
    source,
    seed,
    machine: describeMachine(),
    redis: redis?.kind ?? null,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    state: "running",
    planned: runs.length,
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
      });
    if (this.request.experiment.fresh) return start();
    const key = JSON.stringify([cell.target, cell.targetSpec]);
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
