/**
 * One profile run: repeats the load of a measured run on a separate target, whose processes are sampled in the steady
 * part. It contributes to no figure, and a failure becomes a note.
 */
import { TargetError } from "../../base/errors.ts";
import { derivedSeed } from "../../base/random.ts";
import { durationMsOf, type Load } from "../../scenarios/load/load.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import {
  type ProcessProfile,
  type ProfileSession,
  startProfiles,
} from "../../targets/profile/profilers.ts";
import type { Loader } from "../measure/loader.ts";
import { measureLoad } from "../measure/measure.ts";
import type { TargetProfile } from "../result/profile.ts";
import type { OnProgress } from "../result/progress.ts";
import type { Run } from "../result/result.ts";
import { beginScript, type ScriptedRun, type ScriptParts } from "../script/run_script.ts";
import { foldedProfile } from "./sampled_part.ts";
import { sampledPart } from "./sampled_part.ts";

export interface ProfilePlace {
  readonly cell: Cell;
  /** Number of this profile run among those of the cell, from 1. */
  readonly run: number;
}

export interface ProfileContext {
  readonly loader: Loader;
  /** Seed of the experiment. */
  readonly seed: number;
  readonly scripted: ScriptParts;
  readonly workers: number | null;
  readonly intervalMs: number;
  /** Seconds at the start of each run that the figures leave out. */
  readonly discardS: number;
  readonly pprofPath: string | null;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  /** Starts a target whose processes can be profiled; the caller stops it. */
  readonly start: (cell: Cell) => Promise<RunningTarget>;
  /** Throws a TargetError if the target does not respond correctly. */
  readonly preflight: (
    subject: { readonly cell: Cell; readonly target: RunningTarget; readonly script: Script },
    signal: AbortSignal,
  ) => Promise<void>;
  /** Keeps a runtime's profile file, and returns its path relative to the results. */
  readonly keep: (place: ProfilePlace, process: ProcessProfile) => Promise<string>;
}

/** Makes one profile run; returns null if the user interrupted it. @param runs The measured runs of the cell. */
export async function profileRun(
  place: ProfilePlace,
  runs: readonly Run[],
  context: ProfileContext,
): Promise<TargetProfile | null> {
  const startedAt = new Date().toISOString();
  const taken = await takenOrWhyNot(place, runs, context);
  if (context.signal.aborted) return null;
  const { target, scenario, parameters } = place.cell;
  const { processes, notes, part, rate } = taken;
  const sampled = processes.flatMap((process) => process.sampled ?? []);
  return {
    target,
    scenario,
    parameters: { ...parameters },
    run: place.run,
    startedAt,
    ...part,
    rate,
    processes: await Promise.all(processes.map((process) => describe(process, place, context))),
    idleMs: sampled.reduce((sum, { idleMs }) => sum + idleMs, 0),
    ...foldedProfile(sampled.map(({ tree }) => tree)),
    notes,
  };
}

interface Taken {
  readonly processes: readonly ProcessProfile[];
  readonly notes: string[];
  readonly part: Pick<TargetProfile, "fromS" | "forS">;
  readonly rate: number | null;
}

async function takenOrWhyNot(
  place: ProfilePlace,
  runs: readonly Run[],
  context: ProfileContext,
): Promise<Taken> {
  try {
    return await take(place, runs, context);
  } catch (error) {
    if (!(error instanceof TargetError) && !context.signal.aborted) throw error;
    const notes = error instanceof TargetError ? [error.message, ...error.evidence.slice(-1)] : [];
    return { ...NOTHING, notes };
  }
}

const NOTHING = { processes: [], part: { fromS: 0, forS: 0 }, rate: null };

async function take(
  { cell, run }: ProfilePlace,
  runs: readonly Run[],
  context: ProfileContext,
): Promise<Taken> {
  const load = loadOf(cell, runs);
  if (load === null) {
    return {
      ...NOTHING,
      notes: ["no measured run found a capacity, so the rate of the profile run is unknown"],
    };
  }
  const durationMs = durationMsOf(load);
  const part = sampledPart(
    durationMs === null ? null : durationMs / 1_000,
    context.discardS,
    runs,
  );
  if (part === null) {
    return { ...NOTHING, notes: ["no measured run shows how long the profile run would take"] };
  }
  const written = scriptOf(cell.request, context.seed);
  const target = await context.start(cell);
  let scripted: ScriptedRun | null = null;
  try {
    scripted = await beginScript(written, context.scripted, target.origin, context.signal);
    const { script } = scripted;
    await context.preflight({ cell, target, script }, context.signal);
    return { part, ...await loadAndSample({ target, script, load, part, run }, context) };
  } finally {
    await scripted?.end();
    await target.stop();
  }
}

/**
 * Load of a profile run; after searches for a capacity, a load at the lowest rate that they found, or null if they
 * found none.
 */
function loadOf({ load }: Cell, runs: readonly Run[]): Load | null {
  if (load.kind !== "capacity") return load;
  const { goal: { trial: [, durationMs] }, share: _, ...common } = load;
  const rates = runs.flatMap(({ load }) => load.kind === "capacity" ? load.rate ?? [] : []);
  if (rates.length === 0) return null;
  return { ...common, kind: "rate", ratePerSec: Math.min(...rates), durationMs };
}

interface SampledLoad {
  readonly target: RunningTarget;
  readonly script: Script;
  readonly load: Load;
  readonly part: Pick<TargetProfile, "fromS" | "forS">;
  readonly run: number;
}

async function loadAndSample(
  { target, script, load, part, run }: SampledLoad,
  { loader, seed, workers, intervalMs, pprofPath, onProgress, signal }: ProfileContext,
): Promise<Omit<Taken, "part">> {
  const over = new AbortController();
  let isLoading = true;
  void target.exited.then(() => isLoading && over.abort());
  const ended = AbortSignal.any([signal, over.signal]);
  let sampling: Promise<ProfiledProcesses> = Promise.resolve({ processes: [], notes: [] });
  const measurement = await measureLoad({
    origin: target.origin,
    ...target.access,
    script,
    load: { ...load, workers: load.workers ?? workers },
    seed: derivedSeed(seed, run),
    driver: "auto",
    logPath: null,
    intervalMs,
    implicitCheck: true,
  }, {
    loader,
    onProgress: (event) => {
      if (event.kind === "note") onProgress(event);
    },
    onStart: (atMs) => {
      target.onLoadStart?.(atMs);
      const sinceMs = atMs - performance.timeOrigin;
      const forMs = 1_000 * part.forS;
      sampling = sample(target, { ...part, sinceMs, pprofPath, forMs, signal: ended });
    },
    signal: ended,
  }).finally(() => isLoading = false);
  const { processes, notes } = await sampling;
  if (!over.signal.aborted) return { processes, notes, rate: measurement.rate };
  const exit = "the target ended while it was profiled";
  return { processes, notes: [exit, ...target.lastLines().slice(-1), ...notes], rate: null };
}

type ProfiledProcesses = Awaited<ReturnType<ProfileSession["stop"]>>;

/** Waits for the steady part, samples it, and stops at its end. */
async function sample(
  target: RunningTarget,
  { fromS, sinceMs, pprofPath, forMs, signal }: {
    readonly fromS: number;
    /** Start of the load, on this isolate's `performance.now()`. */
    readonly sinceMs: number;
    readonly pprofPath: string | null;
    readonly forMs: number;
    readonly signal: AbortSignal;
  },
): Promise<ProfiledProcesses> {
  await pause(sinceMs + 1_000 * fromS, signal);
  if (signal.aborted) return { processes: [], notes: [] };
  const { origin } = target;
  const session = await startProfiles(target, { origin, pprofPath, forMs, signal });
  await pause(sinceMs + 1_000 * fromS + forMs, signal);
  return await session.stop();
}

/** Waits until a moment of `performance.now()`, or until the signal aborts. */
function pause(untilMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(0, untilMs - performance.now()));
  const end = (): void => resolve();
  signal.addEventListener("abort", end);
  if (signal.aborted) resolve();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  });
}

async function describe(
  process: ProcessProfile,
  place: ProfilePlace,
  { keep }: ProfileContext,
): Promise<TargetProfile["processes"][number]> {
  const { pid, program, profiler, sampled, reason } = process;
  return {
    pid,
    program,
    profiler,
    file: sampled === null ? null : await keep(place, process),
    samples: sampled?.samples ?? 0,
    reason,
  };
}
