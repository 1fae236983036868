/**
 * One run: one cell of the experiment, once.
 */
import { join } from "node:path";
import { durationMsOf, type Load } from "../../scenarios/load/load.ts";
import { TargetError } from "../../base/errors.ts";
import { durationText } from "../../base/quantity.ts";
import { replaceFile } from "../../base/whole_file.ts";
import type { Endpoint } from "../../base/net/endpoint.ts";
import type { TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { PlannedRun } from "../../scenarios/plan/plan.ts";
import { derivedSeed } from "../../base/random.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { describeExit } from "../../targets/launch/start_up.ts";
import type { RedisUse } from "../../targets/observe/redis_watch.ts";
import type { ResourceWatch, WatchedUse } from "../../targets/observe/watch.ts";
import { watchResources } from "../../targets/observe/watch_resources.ts";
import type { Loader } from "../measure/loader.ts";
import type { DriverName } from "../load/engine/driver.ts";
import { measureLoad } from "../measure/measure.ts";
import type { SliceTotals } from "../load/recording/slices.ts";
import type { Pids } from "../slices/side_cpu.ts";
import type { TailRequest } from "../load/recording/tail.ts";
import { lastedMsOf, runCounters } from "../counters/run_counters.ts";
import { bottleneckOf } from "../trust/bottleneck.ts";
import type { OnProgress } from "../result/progress.ts";
import { searchInRun } from "./capacity_run.ts";
import type { PriorInterval } from "../stats/capacity/search.ts";
import type { Counters } from "../result/runtime/counters.ts";
import type { RunCapacity } from "../result/capacity.ts";
import { describeLoad } from "../measure/described_load.ts";
import { beginScript, type ScriptParts, unscripted } from "../script/run_script.ts";
import { preflight, type SeparatePreflights } from "./preflight.ts";
import type { Measurement, Run } from "../result/result.ts";

export interface RunContext {
  readonly loader: Loader;
  /** Seed of the experiment. */
  readonly seed: number;
  /** The script of the experiment, with what it does before and after a run. */
  readonly scripted: ScriptParts;
  /** Load workers where the experiment does not say how many; null: chosen from the machine. */
  readonly workers: number | null;
  /** Default: auto. */
  readonly driver?: DriverName | "auto";
  readonly intervalMs: number;
  /** Folder for the request log of each run; null for none. */
  readonly logFolder: string | null;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  /**
   * Whether a NoSlicesError ends the experiment, because the command then measures in another way. Default: the cells
   * are left out.
   */
  readonly needsSlices?: boolean;
  /** Starts the run's target, or gives the one that runs already. */
  readonly open: (planned: PlannedRun) => Promise<RunningTarget>;
  /** Ends the run's target, also one that is kept, and starts it anew. */
  readonly reopen: (target: RunningTarget, planned: PlannedRun) => Promise<RunningTarget>;
  /** Begins to end the run's target, unless it is to be used again; the next one starts when it has ended. */
  readonly close: (target: RunningTarget) => void;
  /** Checks in processes of their own; null: the measured processes are checked. */
  readonly preflights: SeparatePreflights | null;
  /** Interval of the cell's capacity in the runs before; null if it is unknown. */
  readonly earlierCapacity: (planned: PlannedRun) => PriorInterval | null;
  /** How the run uses its Redis; null when it uses none. */
  readonly redisUse: (planned: PlannedRun) => Promise<RedisUse | null>;
}

export interface SearchedContext extends RunContext {
  /** Gets the search of the run as soon as it ended, also where the run then can't be finished. */
  readonly onSearched: (found: RunCapacity) => void;
}

/** Carries out one planned run. Throws a TargetError when the target can't be measured. */
export async function carryOut(planned: PlannedRun, context: SearchedContext): Promise<Run> {
  const { cell } = planned;
  const written = scriptOf(cell.request, context.seed);
  await context.preflights?.checkTarget(cell, written);
  const startedAt = new Date().toISOString();
  let target = await context.open(planned);
  let running = unscripted(written);
  try {
    const begin = async (): Promise<void> => {
      const { scripted, signal } = context;
      running.stop();
      running = await beginScript(written, scripted, target.origin, signal);
    };
    /** A new process of the target: it knows nothing of what `setup` did with the last one. */
    const startAnew = async (): Promise<RunningTarget> => {
      target = await context.reopen(target, planned);
      await begin();
      return target;
    };
    await begin();
    if (context.preflights === null) {
      await preflight({ cell, target, script: running.script }, context.signal);
    }
    const { load, found } = cell.load.kind === "capacity"
      ? await searchInRun({ planned, load: cell.load, script: () => running.script }, {
        ...context,
        target: () => target,
        startAnew,
      })
      : { load: cell.load, found: null };
    const watched = await loadAndWatch(
      { planned, target, script: running.script, load },
      context,
    ).catch(async (error) => {
      if (found === null || context.signal.aborted || !(error instanceof TargetError)) throw error;
      // A search is too dear to be lost with its last part.
      await startAnew();
      return await loadAndWatch({ planned, target, script: running.script, load }, context);
    });
    const refreshes = running.refreshes();
    const { measurement } = watched;
    const { hooks } = measurement;
    const whole = hooks && refreshes
      ? { ...watched, measurement: { ...measurement, hooks: { ...hooks, refreshes } } }
      : watched;
    const run = runOf({ planned, target, startedAt }, whole, context.onProgress);
    return found === null ? run : {
      ...run,
      capacity: found,
      load: searchedLoad(planned, { load, seed: context.seed }),
    };
  } finally {
    const why = await running.end();
    if (why !== null) context.onProgress({ kind: "note", text: why });
    context.close(target);
  }
}

interface CarriedOut {
  readonly planned: PlannedRun;
  readonly target: RunningTarget;
  /** ISO time. */
  readonly startedAt: string;
}

/** The run for the results; whatever is not known of its target is noted. */
export function runOf(
  { planned, target, startedAt }: CarriedOut,
  { measurement, used: { resources, parts }, counters }: WatchedLoad,
  onProgress: OnProgress,
): Run {
  const { cell } = planned;
  const note = (text: string): void => onProgress({ kind: "note", text });
  if (target.pid !== null && resources.length === 0) note(unknownUseText(cell.target));
  if (target.counters !== undefined && counters === null) note(noCountersText(cell.target));
  if (counters?.leftOut !== undefined) note(leftOutText(cell.target, counters.leftOut));
  return {
    ...measurement,
    bottleneck: bottleneckOf(
      { ...measurement, resources, parts, ...counters && { counters } },
      "limits" in cell.targetSpec ? cell.targetSpec.limits?.cpu ?? null : null,
    ),
    target: cell.target,
    scenario: cell.scenario,
    repetition: planned.repetition,
    order: planned.order,
    parameters: { ...cell.parameters },
    startUp: target.startUpMs,
    runtime: target.runtime,
    startedAt,
    resources,
    ...counters && { counters },
    ...parts.length > 0 && { parts },
  };
}

/** The load of the last part, described as the load of a search. */
function searchedLoad(
  { cell, repetition }: PlannedRun,
  { load, seed }: { readonly load: Load; readonly seed: number },
): Measurement["load"] {
  const searched = describeLoad(cell.load, derivedSeed(seed, repetition));
  return searched.kind === "capacity" && load.kind === "rate"
    ? { ...searched, rate: load.ratePerSec }
    : searched;
}

interface LoadSubject {
  readonly planned: PlannedRun;
  readonly load: Load;
  readonly target: RunningTarget;
  readonly script: Script;
  /** The slices in which it is loaded; absent: it is loaded all the time. */
  readonly slices?: {
    readonly turns: TurnsSpec;
    /** Endpoint of the load that takes the other turns. */
    readonly partner: Endpoint;
    readonly pids: Pids;
    readonly onStart: (atMs: number) => void;
    readonly onSlices: (slices: readonly SliceTotals[]) => void;
  };
}

/** A load that is over, with what its target used. */
export interface WatchedLoad {
  readonly measurement: Measurement;
  readonly used: WatchedUse;
  readonly counters: Counters | null;
}

type LoadingContext = Pick<
  RunContext,
  | ("loader" | "seed" | "workers" | "driver" | "intervalMs" | "logFolder")
  | ("onProgress" | "signal" | "redisUse")
>;

/** A run that a rule of its load has ended is not measured. Its figures would be those of a part that it chose itself. */
function throwIfAborted(measurement: Measurement): void {
  const aborted = measurement.generator.findings.find(({ code }) => code === "aborted");
  if (aborted?.code !== "aborted") return;
  const { rule, beyond, ended, afterS } = aborted.evidence;
  throw new TargetError(
    `its load was ended after ${
      durationText(afterS * 1_000)
    } by "${rule}": ${beyond} of ${ended} requests`,
  );
}

/** Loads the target and watches what it uses; if it dies meanwhile, the load ends and a TargetError says so. */
export async function loadAndWatch(
  { planned, target, script, load, slices }: LoadSubject,
  { loader, seed, workers, driver = "auto", intervalMs, logFolder, onProgress, signal, redisUse }:
    LoadingContext,
): Promise<WatchedLoad> {
  const { cell, repetition } = planned;
  const redis = await redisUse(planned);
  const logPath = logFolder === null ? null : await ownLogPath(logFolder, planned);
  const died = new AbortController();
  let loading = true;
  void target.exited.then(() => loading && died.abort());
  let watch: ResourceWatch | null = null;
  let startMs = 0;
  let slowest: readonly TailRequest[] = [];
  try {
    const measurement = await measureLoad(
      {
        origin: target.origin,
        ...target.access,
        script,
        load: { ...load, workers: load.workers ?? workers },
        // The same arrivals for all cells of a block, others in the next.
        seed: derivedSeed(seed, repetition),
        driver,
        logPath,
        intervalMs,
        implicitCheck: true,
        ...slices && { turns: slices.turns, partner: slices.partner, pids: slices.pids },
      },
      {
        loader,
        onProgress,
        onStart: (atMs) => {
          const sinceMs = atMs - performance.timeOrigin;
          const forMs = slices ? slices.turns.durationUs / 1_000 : deadlineMsOf(load);
          watch = watchResources(target, { intervalMs, sinceMs, forMs, redis });
          target.onLoadStart?.(atMs);
          target.counters?.begin();
          startMs = atMs;
          slices?.onStart(atMs);
        },
        onSlices: slices?.onSlices,
        onTail: (requests) => slowest = requests,
        signal: AbortSignal.any([signal, died.signal]),
      },
    ).finally(async () => {
      // Whether the load ended or failed: agents that were not ready yet throw, workers return what they measured.
      if (died.signal.aborted) await throwTargetEnded(cell.target, target);
    });
    loading = false;
    throwIfAborted(measurement);
    const lost = logFolder === null ? null : loader.incompleteLogReason?.() ?? null;
    if (lost !== null) {
      onProgress({ kind: "note", text: `${logNameOf(planned)} is not whole: ${lost}` });
    }
    const used = await stopWatch(watch);
    return {
      measurement,
      used,
      counters: await countersOf(target, measurement, {
        ...{ sinceMs: startMs, slowest, signal },
        turns: slices?.turns,
      }),
    };
  } finally {
    loading = false;
    await stopWatch(watch);
    redis?.close();
  }
}

interface ObservedLoad {
  /** Its start, milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly slowest: readonly TailRequest[];
  /** The turns in which it was loaded; absent: all the time. */
  readonly turns?: TurnsSpec;
  /** Ends the wait for reports. */
  readonly signal: AbortSignal;
}

/** Null where they are not requested, or nothing was reported. */
async function countersOf(
  { counters }: RunningTarget,
  { elapsedS, timeline: { intervalS } }: Measurement,
  { sinceMs, slowest, turns, signal }: ObservedLoad,
): Promise<Counters | null> {
  if (counters === undefined) return null;
  const reports = await counters.take(sinceMs + lastedMsOf({ elapsedS, turns }), signal);
  return runCounters(reports, { sinceMs, elapsedS, intervalS, slowest, turns });
}

/** `007-fastify-static-2.csv`: position, target, scenario and repetition, so that they sort as they were made. */
function logNameOf({ cell: { target, scenario }, order, repetition }: PlannedRun): string {
  const parts = [String(order).padStart(3, "0"), target, scenario, repetition];
  return `${parts.join("-").replaceAll(/[^\p{L}\p{N}._-]/gu, "_")}.csv`;
}

/** Path of the log. A pipe that a target has put in its place is taken away. */
async function ownLogPath(folder: string, planned: PlannedRun): Promise<string> {
  const path = join(folder, logNameOf(planned));
  await replaceFile(path, "").catch(() => {}); // the load has the same trouble, and says so
  return path;
}

function unknownUseText(target: string): string {
  return `CPU and memory of target ${target} are unknown: the system does not show its processes`;
}

function noCountersText(target: string): string {
  return `Target ${target} reported no runtime counters: only Node, Deno, Go, Python and Plateau's own servers do, ` +
    "where they may write and take NODE_OPTIONS, PYTHONPATH or GODEBUG";
}

/** Reports of a runtime itself are far within the limits. */
function leftOutText(
  target: string,
  { processes, bytes, lines, collections, stalls }: NonNullable<Counters["leftOut"]>,
): string {
  const parts = [
    ["processes", processes],
    ["bytes", bytes],
    ["lines that are no record", lines],
    ["collections, which are in the sums alone", collections],
    ["stalls", stalls],
  ] as const;
  const counted = parts.filter(([, count]) => count > 0).map(([what, count]) =>
    `${what}: ${count}`
  );
  return `Target ${target} reported runtime counters that Plateau did not read, ${
    counted.join("; ")
  }`;
}

/** Milliseconds from the start of the load to its deadline, where its rates end. Null if it ends with its last request. */
function deadlineMsOf(load: Load): number | null {
  return load.kind === "phases" ? null : durationMsOf(load);
}

async function stopWatch(watch: ResourceWatch | null): Promise<WatchedUse> {
  return await watch?.stop() ?? { resources: [], parts: [] };
}

async function throwTargetEnded(name: string, target: RunningTarget): Promise<never> {
  const how = describeExit(await target.exited, `target ${name}`);
  throw new TargetError(`Cannot finish the run: ${how} while it was loaded`, target.lastLines());
}
