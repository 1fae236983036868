/** Carries out one run, which measures one cell of the experiment once. */
import { join } from "node:path";
import { durationMsOf, type Load } from "../../scenarios/load/load.ts";
import { TargetError } from "../../base/errors.ts";
import { durationText } from "../../base/quantity.ts";
import { secrets } from "../../base/secrets.ts";
import { replaceFile } from "../../base/whole_file.ts";
import type { Endpoint } from "../../base/net/endpoint.ts";
import type { TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { PlannedRun } from "../../scenarios/plan/plan.ts";
import { derivedSeed } from "../../base/random.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { describeExit } from "../../targets/launch/start_up.ts";
import type { RedisUse } from "../../targets/observe/redis_watch.ts";
import type { ResourceWatch, WatchedUse } from "../../targets/observe/use_series.ts";
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
  /** The experiment's script, including what it does before and after a run. */
  readonly scripted: ScriptParts;
  /** Number of load workers if the experiment does not set it; null: chosen from the machine's cores. */
  readonly workers: number | null;
  /** How the load is sent; default: auto. */
  readonly driver?: DriverName | "auto";
  readonly intervalMs: number;
  /** Folder for the request log of each run; null if none is written. */
  readonly logFolder: string | null;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  /**
   * Whether a NoSlicesError ends the experiment, so that the command can measure in another way. By default, the cells
   * that can't be loaded in slices are left out.
   */
  readonly needsSlices?: boolean;
  /** Starts the run's target, or returns the one that is running already. */
  readonly open: (planned: PlannedRun) => Promise<RunningTarget>;
  /** Ends the run's target, even if it is kept between runs, and starts a new process. */
  readonly reopen: (target: RunningTarget, planned: PlannedRun) => Promise<RunningTarget>;
  /**
   * Begins to end the run's target, unless it is kept for other runs. The next target starts only once this one has
   * ended.
   */
  readonly close: (target: RunningTarget) => void;
  /** Makes preflights in separate processes; null if the measured processes themselves are checked. */
  readonly preflights: SeparatePreflights | null;
  /** The interval that earlier runs found for the cell's capacity; null if unknown. */
  readonly earlierCapacity: (planned: PlannedRun) => PriorInterval | null;
  /** The run's use of Redis; null if it uses none. */
  readonly redisUse: (planned: PlannedRun) => Promise<RedisUse | null>;
}

export interface SearchedContext extends RunContext {
  /** Receives the run's search for a capacity as soon as it has ended, even if the run fails later. */
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
  let run: Run;
  let failure: string | null = null;
  try {
    const begin = async (): Promise<void> => {
      const { scripted, signal } = context;
      running.stop();
      running = await beginScript(written, scripted, target.origin, signal);
    };
    /**
     * Starts a new process of the target and begins the script anew, because what `setup` did with the last process is
     * lost.
     */
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
      // If only the load after the search failed, it is repeated, so that the expensive search is
      // not lost.
      await startAnew();
      return await loadAndWatch({ planned, target, script: running.script, load }, context);
    });
    const refreshes = running.refreshes();
    const { measurement } = watched;
    const { hooks } = measurement;
    const whole = hooks && refreshes
      ? { ...watched, measurement: { ...measurement, hooks: { ...hooks, refreshes } } }
      : watched;
    run = runOf({ planned, target, startedAt }, whole, context.onProgress);
    if (found !== null) {
      run = { ...run, capacity: found, load: searchedLoad(planned, { load, seed: context.seed }) };
    }
  } finally {
    failure = await running.end();
    context.close(target);
  }
  return withTeardown(run, failure);
}

/** @param failure Why the `teardown` of the run's script failed; null if it did not. */
export function withTeardown(run: Run, failure: string | null): Run {
  return failure === null ? run : { ...run, teardownFailed: secrets.sentence(failure) };
}

interface CarriedOut {
  readonly planned: PlannedRun;
  readonly target: RunningTarget;
  /** ISO time. */
  readonly startedAt: string;
}

/**
 * The run as it is stored in the results. Sends notes on what is unknown about the target's use of resources and its
 * runtime counters.
 */
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

/** The load as results describe it. After a search, it includes the rate of the load that followed. */
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
  /** The slices in which the target is loaded; absent: it is loaded without a break. */
  readonly slices?: {
    readonly turns: TurnsSpec;
    /** Endpoint of the other load, with which this one takes turns. */
    readonly partner: Endpoint;
    readonly pids: Pids;
    readonly onStart: (atMs: number) => void;
    readonly onSlices: (slices: readonly SliceTotals[]) => void;
  };
}

/** A completed load, with what its target used. */
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

/**
 * Throws if a rule of the load ended the run early. Figures of such a run prove nothing, because its own results
 * decided how long it was.
 */
function throwIfAborted(measurement: Measurement): void {
  const aborted = measurement.generator.findings.find(({ code }) => code === "aborted");
  if (aborted?.code !== "aborted") return;
  const { rule, beyond, ended, waiting = 0, afterS } = aborted.evidence;
  throw new TargetError(
    `its load was ended after ${durationText(afterS * 1_000)} by "${rule}": ${beyond} of ${
      ended + waiting
    } requests`,
  );
}

/** Loads the target and watches what it uses; if the target dies, ends the load and throws a TargetError. */
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
        // The seed is the same for all cells of a block, which therefore get the same arrivals, and
        // different for every block.
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
      // When a target dies, the load may fail or merely end: agents that are not ready throw, but
      // workers return what they measured.
      if (died.signal.aborted) await throwTargetEnded(cell.target, target);
    });
    loading = false;
    throwIfAborted(measurement);
    const lost = logFolder === null ? null : loader.incompleteLogReason?.() ?? null;
    if (lost !== null) {
      const text = `${logNameOf(planned)} is incomplete: ${lost}`;
      onProgress({ kind: "note", text, isWarning: true });
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
  /** Start of the load, milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly slowest: readonly TailRequest[];
  /** The turns in which the target was loaded; absent if it was loaded all the time. */
  readonly turns?: TurnsSpec;
  /** Ends the wait for reports. */
  readonly signal: AbortSignal;
}

/** The run's counters; null if they were not requested, or nothing was reported. */
async function countersOf(
  { counters }: RunningTarget,
  { elapsedS, timeline: { intervalS } }: Measurement,
  { sinceMs, slowest, turns, signal }: ObservedLoad,
): Promise<Counters | null> {
  if (counters === undefined) return null;
  const reports = await counters.take(sinceMs + lastedMsOf({ elapsedS, turns }), signal);
  return runCounters(reports, { sinceMs, elapsedS, intervalS, slowest, turns });
}

/**
 * The name of a run's request log, such as `007-fastify-static-2.csv`. It begins with the run's position, so that the
 * names sort in the order of the runs.
 */
function logNameOf({ cell: { target, scenario }, order, repetition }: PlannedRun): string {
  const parts = [String(order).padStart(3, "0"), target, scenario, repetition];
  return `${parts.join("-").replaceAll(/[^\p{L}\p{N}._-]/gu, "_")}.csv`;
}

/** Path of the run's request log. If a target has put a pipe at that path, the pipe is removed. */
async function ownLogPath(folder: string, planned: PlannedRun): Promise<string> {
  const path = join(folder, logNameOf(planned));
  await replaceFile(path, "").catch(() => {}); // the load meets the same error, and reports it
  return path;
}

function unknownUseText(target: string): string {
  return `CPU and memory of target ${target} are unknown: the system does not show its processes`;
}

function noCountersText(target: string): string {
  return `Target ${target} reported no runtime counters: only programs for Node, Deno, Go and Python and Plateau's own ` +
    "servers can, and only if they may write files and do not ignore NODE_OPTIONS, PYTHONPATH or GODEBUG";
}

/**
 * Says what was left out of a target's reports because of the limits on them. What a runtime itself reports is far
 * below these limits.
 */
function leftOutText(
  target: string,
  { processes, bytes, lines, collections, stalls }: NonNullable<Counters["leftOut"]>,
): string {
  const parts = [
    ["processes", processes],
    ["bytes", bytes],
    ["lines that are not records", lines],
    ["garbage collections that are only in the totals", collections],
    ["stalls", stalls],
  ] as const;
  const counted = parts.filter(([, count]) => count > 0).map(([what, count]) =>
    `${what}: ${count}`
  );
  return `Plateau left out some of the runtime counters that target ${target} reported (${
    counted.join("; ")
  })`;
}

/**
 * Milliseconds from the start of the load to its deadline; rates count only requests that ended by then. Null if the
 * load has no deadline, but ends with its last request or virtual user.
 */
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
