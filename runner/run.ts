/**
 * One run: one cell of the experiment, once.
 */
import { TargetError } from "../scenarios/errors.ts";
import type { PlannedRun } from "../scenarios/plan.ts";
import { type Script, scriptOf } from "../scenarios/script.ts";
import type { RunningTarget } from "../targets/launch/launcher.ts";
import { watchResources } from "../targets/resources.ts";
import type { WorkerPool } from "./load/pool.ts";
import { measureLoad } from "./measure.ts";
import type { OnProgress } from "./progress.ts";
import { prove } from "./proof.ts";
import type { Measurement, ResourcePoint, Run } from "./result.ts";

export interface RunContext {
  readonly pool: WorkerPool;
  /** Of the experiment. */
  readonly seed: number;
  /** Load workers where the experiment does not say how many; null: chosen from the machine. */
  readonly workers: number | null;
  readonly intervalMs: number;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  /** Starts the run's target, or gives the one that runs already. */
  readonly open: (planned: PlannedRun) => Promise<RunningTarget>;
  /** Ends the run's target, unless it is to be used again. */
  readonly close: (target: RunningTarget) => Promise<void>;
}

/** Carries out one planned run. Throws a TargetError when the target can't be measured. */
export async function carryOut(planned: PlannedRun, context: RunContext): Promise<Run> {
  const startedAt = new Date().toISOString();
  const target = await context.open(planned);
  try {
    const script = scriptOf(planned.cell.request, context.seed);
    const subject = { planned, target, script };
    await proveAnswers(subject, context);
    const { measurement, resources } = await loadAndWatch(subject, context);
    return {
      ...measurement,
      target: planned.cell.target,
      scenario: planned.cell.scenario,
      repetition: planned.repetition,
      order: planned.order,
      parameters: { ...planned.cell.parameters },
      startUp: target.startUpMs,
      runtime: target.runtime,
      startedAt,
      resources,
    };
  } finally {
    await context.close(target);
  }
}

interface Subject {
  readonly planned: PlannedRun;
  readonly target: RunningTarget;
  readonly script: Script;
}

function proveAnswers(
  { planned: { cell }, target: { origin, access }, script }: Subject,
  { signal }: RunContext,
): Promise<void> {
  const { timeoutMs } = cell.load;
  return prove({ target: cell.target, origin, ...access, script, timeoutMs, signal });
}

/** Loads the target and watches what it uses; if it dies meanwhile, the load ends and a TargetError says so. */
async function loadAndWatch(
  { planned: { cell, repetition }, target, script }: Subject,
  { pool, seed, workers, intervalMs, onProgress, signal }: RunContext,
): Promise<{ measurement: Measurement; resources: ResourcePoint[] }> {
  const died = new AbortController();
  let loading = true;
  void target.exited.then(() => loading && died.abort());
  let watch: ReturnType<typeof watchResources> | null = null;
  try {
    const measurement = await measureLoad(
      {
        origin: target.origin,
        ...target.access,
        script,
        load: { ...cell.load, workers: cell.load.workers ?? workers },
        // The same arrivals for all cells of a block, others in the next.
        seed: (seed + repetition - 1) >>> 0,
        driver: "auto",
        logPath: null,
        intervalMs,
        implicitCheck: true,
      },
      {
        pool,
        onProgress,
        onStart: (atMs) => {
          watch = watchResources(target, { intervalMs, sinceMs: atMs - performance.timeOrigin });
          target.onLoadStart?.(atMs);
        },
        signal: AbortSignal.any([signal, died.signal]),
      },
    );
    loading = false;
    if (died.signal.aborted) await tellDeath(cell.target, target);
    return { measurement, resources: stopWatch(watch) };
  } finally {
    loading = false;
    stopWatch(watch);
  }
}

function stopWatch(watch: ReturnType<typeof watchResources> | null): ResourcePoint[] {
  return watch?.stop() ?? [];
}

async function tellDeath(name: string, target: RunningTarget): Promise<never> {
  const { code, signal } = await target.exited;
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  throw new TargetError(
    `Cannot finish the run: target ${name} ${how} while it was loaded`,
    target.lastLines(),
  );
}
