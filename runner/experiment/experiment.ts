/**
 * Carries out the whole experiment: makes all planned runs in order, and saves each, until the end or Ctrl-C. If a run
 * can't be measured, that is recorded and the others go on.
 */
import { sweepTemporaryFolders } from "../../base/system/temporary_folder.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { cellKey } from "../../base/figures/cells.ts";
import type { SliceLengths } from "../../scenarios/pace/slices.ts";
import type { Cell, Plan } from "../../scenarios/plan/plan.ts";
import { openRedisUse, type RedisUse } from "../../targets/observe/redis_watch.ts";
import { type ProvidedRedis, provideRedis } from "../../targets/redis/provide.ts";
import { calibrateFirst } from "../calibration/calibration.ts";
import type { Loader } from "../measure/loader.ts";
import type { OnProgress } from "../result/progress.ts";
import type { Results } from "../result/result.ts";
import { type OnSaved, ResultFile } from "../result/result_file.ts";
import { earlierCapacityOf } from "./capacity_run.ts";
import type { MayFetch, ScriptParts } from "../script/run_script.ts";
import { carryOutBlocks, leaveOut, type LookAfter } from "./blocks.ts";
import { keyOf } from "./pair_run.ts";
import type { RunContext } from "./run.ts";
import { SideLoaders } from "../slices/session.ts";
import {
  cellNeeds,
  type MissingPrerequisite,
  missingPrerequisiteOf,
} from "./missing_prerequisites.ts";
import { discardRefutedPeak, measurePeakThroughput } from "./peak_throughput.ts";
import { preflight, SeparatePreflights } from "./preflight.ts";
import { profileCells } from "../profile/profile_runs.ts";
import { openExperiment, type Provenance, provenanceOf } from "./provenance.ts";
import { commitNote, continued, EarlierRuns } from "./earlier_runs.ts";
import { applyPins, ExperimentTargets } from "./targets.ts";
import { TargetCommands } from "./target_commands.ts";
import { TargetError } from "../../base/errors.ts";
import { nameBehind, withThoseBehind } from "../../base/target/references.ts";
import { VERSION } from "../../base/version.ts";

export interface ExperimentRequest extends StartingRequest {
  readonly plan: Plan;
  /** Folder that relative paths in the experiment refer to. */
  readonly baseDir: string;
  /** Folder for results.json. */
  readonly outDir: string;
  /** Where the experiment's targets listen: an address or a name of this machine. */
  readonly host: string;
  /** URL of the Redis that the user named, or null. */
  readonly redisUrl: string | null;
  /** The folder for the request log of each run; null if none is written. */
  readonly logFolder: string | null;
  /** Throws if the experiment's script may not fetch from an origin; absent: every origin is allowed. */
  readonly mayFetch?: MayFetch;
}

interface ExperimentHooks {
  /** Makes every load; the caller closes it. */
  readonly loader: Loader;
  readonly onProgress: OnProgress;
  /** On abort, the experiment ends: the run in progress is abandoned, and measured runs are kept. */
  readonly signal: AbortSignal;
  /** Called after each save; the next run begins when the returned promise resolves. */
  readonly onSaved?: OnSaved;
  /** Whether a NoSlicesError ends the experiment; see `needsSlices` of `RunContext`. */
  readonly needsSlices?: boolean;
  /** Called after each repetition to judge whether the runs are enough; absent: `repeat` alone decides. */
  readonly look?: LookAfter;
}

export async function runExperiment(
  request: ExperimentRequest,
  hooks: ExperimentHooks,
): Promise<Results> {
  await sweepTemporaryFolders();
  const provenance = await provenanceOf(request);
  const isReported = request.experiment.ceilings.includes("generator");
  // Calibrate before the workers are restricted to fewer cores.
  const generator = await calibrateFirst({ ...hooks, isReported });
  using pinned = applyPins(request.experiment.pin, hooks.onProgress);
  const provided = await redisFor(request, hooks);
  const redis = provided instanceof TargetError ? null : provided;
  const start = startingResults(request, { provenance, redis });
  const file = new ResultFile(request.outDir, start, hooks.onSaved);
  const commands = commandsFor(request, { file, redis }, hooks);
  const targets = new ExperimentTargets(request, redis, hooks, commands);
  const pairing = request.experiment.order === "slices"
    ? { loaders: new SideLoaders(), lengths: keptLengths(request) }
    : null;
  try {
    const missing = missingPrerequisites(request.plan, provided);
    if (request.kept) {
      assertAsBefore(request.kept, { missing, redis });
      noteResume(request.kept, provenance, hooks.onProgress);
    }
    await file.save();
    const { ceilings: wanted, prove: preflightBy } = request.experiment;
    if (wanted.length > 0 && file.results.peakThroughput === undefined) {
      const peaks = await measurePeakThroughput({ wanted, generator, redis, ...hooks });
      if (!hooks.signal.aborted) file.results.peakThroughput = peaks;
    }
    await setAside(request.experiment, missing, { file, onProgress: hooks.onProgress });
    const { look, ...loading } = hooks;
    const scripted = scriptedOf(request, hooks);
    const context: RunContext = {
      seed: request.seed,
      scripted,
      workers: pinned.workers,
      intervalMs: request.experiment.interval,
      logFolder: request.logFolder,
      ...loading,
      open: (planned) => targets.open(planned),
      reopen: (target, planned) => targets.reopen(target, planned),
      close: (target) => targets.close(target),
      earlierCapacity: ({ cell }) =>
        earlierCapacityOf(cell, [...file.results.runs, ...file.results.missing]),
      preflights: preflightBy === "apart"
        ? new SeparatePreflights((cell) => targets.start(cell), scripted, hooks.signal)
        : null,
      redisUse: ({ cell }) => redisUseOf(cell, redis),
    };
    const blocks = { ...request, missing, kept: new EarlierRuns(file.results), look };
    await carryOutBlocks(blocks, file, context, pairing);
    await takeProfiles(request, { file, missing, targets, pinned }, hooks);
    Object.assign(file.results, discardRefutedPeak(file.results, hooks.onProgress));
    await file.finish(hooks.signal.aborted ? "interrupted" : "done");
    return file.results;
  } finally {
    await targets.closeAll()
      .finally(() => pairing?.loaders.close())
      .finally(() => commands.tearDown())
      .finally(() => redis?.stop());
  }
}

/** The slice lengths of earlier runs, by pair of cells. Later runs of the same pair must use them, too. */
function keptLengths({ plan: { cells }, kept }: ExperimentRequest): Map<string, SliceLengths> {
  const lengths = new Map<string, SliceLengths>();
  for (const run of kept?.runs ?? []) {
    if (run.slices === undefined) continue;
    const { partner, sliceMs, cutMs, shiftMs, pauseMs } = run.slices;
    const [own] = cells.filter((cell) => cellKey(cell) === cellKey(run));
    const [other] = cells.filter((cell) =>
      cell.target === partner && cell.scenario === run.scenario &&
      JSON.stringify(cell.parameters) === JSON.stringify(own?.parameters)
    );
    if (own === undefined || other === undefined) continue;
    const inUs = {
      ...{ sliceUs: 1_000 * sliceMs, cutUs: 1_000 * cutMs },
      ...{ shiftUs: 1_000 * shiftMs, pauseUs: 1_000 * pauseMs },
    };
    lengths.set(keyOf([{ cell: own }, { cell: other }]), inUs);
  }
  return lengths;
}

function commandsFor(
  { baseDir, outDir }: ExperimentRequest,
  { file, redis }: { readonly file: ResultFile; readonly redis: ProvidedRedis | null },
  { onProgress, signal }: ExperimentHooks,
): TargetCommands {
  const { results } = file;
  return new TargetCommands(
    { baseDir, outDir, redisUrl: redis?.url ?? null, ran: results.commands ?? [] },
    { onProgress, signal, onRan: (ran) => results.commands = ran },
  );
}

interface ProfileStage {
  readonly file: ResultFile;
  readonly missing: ReadonlyMap<Cell, unknown>;
  readonly targets: ExperimentTargets;
  readonly pinned: { readonly workers: number | null };
}

/** Takes profiles, after all measuring is done. */
async function takeProfiles(
  request: ExperimentRequest,
  { file, missing, targets, pinned: { workers } }: ProfileStage,
  hooks: ExperimentHooks,
): Promise<void> {
  const { experiment, plan: { cells }, outDir, seed } = request;
  const { profile, interval: intervalMs, discard } = experiment;
  if (profile === undefined || hooks.signal.aborted) return;
  await targets.closeAll(); // a kept target may occupy a fixed port
  const possible = cells.filter((cell) => !missing.has(cell));
  await profileCells({ runs: profile.runs, cells: possible, outDir }, file, {
    ...hooks,
    seed,
    scripted: scriptedOf(request, hooks),
    workers,
    intervalMs,
    discardS: discard / 1_000,
    pprofPath: profile.pprof ?? null,
    preflight,
    start: (cell) => targets.start(cell, { inspectable: true }),
  });
}

function scriptedOf(
  { experiment, mayFetch }: ExperimentRequest,
  { onProgress }: ExperimentHooks,
): ScriptParts {
  const warn = (text: string): void => onProgress({ kind: "note", text, isWarning: true });
  return { ...experiment, mayFetch, warn };
}

/**
 * The Redis that the experiment uses; null if none is needed or available; an error if Plateau's own Redis did not
 * start. Throws a TargetError if a Redis that the user named is not available, because that is a mistake, even if the
 * experiment can do without Redis.
 */
async function redisFor(
  { experiment: { ceilings }, plan: { cells }, redisUrl }: ExperimentRequest,
  { onProgress, signal }: ExperimentHooks,
): Promise<ProvidedRedis | TargetError | null> {
  const isNeeded = cells.some((cell) => cellNeeds(cell).includes("redis"));
  if (redisUrl === null && !isNeeded && !ceilings.includes("redis")) return null;
  const redis = await provideRedis({ url: redisUrl, signal }).catch((error: unknown) => {
    if (redisUrl === null && error instanceof TargetError) return error;
    throw error;
  });
  if (redis && !(redis instanceof TargetError)) {
    onProgress({ kind: "note", text: `Redis ${redis.version} (${redis.kind})` });
  }
  return redis;
}

async function redisUseOf(cell: Cell, redis: ProvidedRedis | null): Promise<RedisUse | null> {
  const isUsed = cellNeeds(cell).includes("redis") || (redis?.kind === "given" && isForeign(cell));
  return redis !== null && isUsed ? await openRedisUse(redis) : null;
}

/** Whether a cell includes a program that may use the user's Redis without Plateau knowing. */
function isForeign({ targetSpec, others }: Cell): boolean {
  return withThoseBehind(targetSpec, others).some((each) =>
    ["command", "container", "url"].some((key) => key in each) ||
    ("proxy" in each && nameBehind(each) === null)
  );
}

function missingPrerequisites(
  { cells }: Plan,
  redis: ProvidedRedis | TargetError | null,
): Map<Cell, MissingPrerequisite> {
  return new Map(cells.flatMap((cell): [Cell, MissingPrerequisite][] => {
    const missing = missingPrerequisiteOf(cell, redis);
    return missing === null ? [] : [[cell, missing]];
  }));
}

/** Records each cell with a missing prerequisite in the results, once. */
async function setAside(
  { optional }: Experiment,
  missing: ReadonlyMap<Cell, MissingPrerequisite>,
  { file, onProgress }: { readonly file: ResultFile; readonly onProgress: OnProgress },
): Promise<void> {
  for (const [{ target, scenario, parameters }, { need, reason, evidence = [] }] of missing) {
    const kind = optional.includes(need) ? "skipped" : "failed";
    await leaveOut(
      {
        target,
        scenario,
        parameters: { ...parameters },
        repetition: null,
        kind,
        reason,
        evidence: [...evidence],
      },
      file,
      onProgress,
    );
  }
}

// The results before the first new run: empty, or, on a resume, the earlier results.

export interface StartingRequest {
  readonly experiment: Experiment;
  readonly source: string;
  readonly seed: number;
  /** The command line, recorded so that a reader can repeat it. */
  readonly invocation: Pick<Results, "file" | "flags" | "ab">;
  /** Earlier results to continue from; null unless the experiment is resumed. */
  readonly kept: Results | null;
}

interface StartingFacts {
  readonly provenance: Provenance;
  readonly redis: Pick<ProvidedRedis, "kind"> | null;
}

export function startingResults(
  { experiment, source, seed, invocation, kept }: StartingRequest,
  { provenance, redis }: StartingFacts,
): Results {
  const now = new Date().toISOString();
  if (kept !== null) {
    return { ...continued(kept, now), redis: redis?.kind ?? kept.redis };
  }
  return {
    schema: "plateau.results/2",
    version: VERSION,
    experiment: openExperiment({ ...experiment }),
    source,
    ...invocation,
    seed,
    ...provenance,
    redis: redis?.kind ?? null,
    startedAt: now,
    finishedAt: null,
    state: "running",
    planned: 0,
    runs: [],
    missing: [],
  };
}

/** Throws a TargetError if a cell that already has runs now lacks a prerequisite, or would use another Redis. */
export function assertAsBefore(
  before: Results,
  now: Pick<StartingFacts, "redis"> & {
    readonly missing: ReadonlyMap<Cell, { readonly reason: string }>;
  },
): void {
  const kept = new EarlierRuns(before);
  const gone = [...now.missing].filter(([cell]) => kept.countOf(cell) > 0);
  if (gone.length > 0) {
    const reasons = new Set(gone.map(([, { reason }]) => reason));
    throw new TargetError("Cannot resume: prerequisites that earlier runs had are missing now", [
      ...reasons,
    ]);
  }
  if (before.redis === null || now.redis === null || before.redis === now.redis.kind) return;
  throw new TargetError(
    `Cannot resume with another Redis: the runs so far used a Redis that ${
      REDIS[before.redis] ?? before.redis
    }, but the remaining runs would use one that ${REDIS[now.redis.kind]}`,
  );
}

const REDIS: Readonly<Record<string, string>> = {
  given: "was named with --redis or REDIS_URL",
  found: "was found on 127.0.0.1:6379",
  private: "Plateau started itself",
};

/** Notes how many runs exist, and whether the experiment's folder has changed since they were made. */
export function noteResume(
  kept: Results,
  { commit }: Provenance,
  onProgress: OnProgress,
): void {
  const text = `Continues after ${kept.runs.length} of ${kept.planned} runs`;
  const change = kept.file?.folder === null ? null : commitNote(kept.commit, commit);
  for (const line of [text, change]) {
    if (line !== null) onProgress({ kind: "note", text: line });
  }
}
