/**
 * Makes two runs at the same time: one process of each of two targets, loaded alternately in slices. For each pair of
 * cells, a trial on the first pair of processes determines the length of the slices, which all later runs of the pair
 * use, too.
 */
import { TargetError } from "../../base/errors.ts";
import { endpointOf } from "../../base/net/endpoint.ts";
import { derivedSeed } from "../../base/random.ts";
import { cellKey } from "../../base/figures/cells.ts";
import type { PlannedRun } from "../../scenarios/plan/plan.ts";
import { durationMsOf, type Load } from "../../scenarios/load/load.ts";
import { type SliceLengths, turnsOf, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import { beginScript, type ScriptedRun } from "../script/run_script.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import type { Measurement, Run } from "../result/result.ts";
import type { SliceTotals } from "../load/recording/slices.ts";
import { lengthsOf, NoSlicesError, TRIAL } from "../slices/lengths.ts";
import { ownEvidence, ownUse } from "../slices/own_use.ts";
import { type SideLoaders, slicesOf, watchSides } from "../slices/session.ts";
import { type Pids, pidsOf, type SideCpu } from "../slices/side_cpu.ts";
import { preflight } from "./preflight.ts";
import { loadAndWatch, type RunContext, runOf, type WatchedLoad, withTeardown } from "./run.ts";

export type PlannedPair = readonly [PlannedRun, PlannedRun];

export interface PairContext extends RunContext {
  readonly loaders: SideLoaders;
  /** Slice lengths by pair of cells, from a trial or from earlier runs. */
  readonly lengths: Map<string, SliceLengths>;
  /** Returns the processes of a target that Plateau did not start; absent: they are unknown. */
  readonly pids?: (target: RunningTarget) => Pids;
}

/** Makes both runs of a pair. Throws a TargetError if either can't be measured. */
export async function carryOutPair(pair: PlannedPair, context: PairContext): Promise<[Run, Run]> {
  const key = keyOf(pair);
  const lengths = context.lengths.get(key) ??
    (await withTargets(pair, context, (targets) => findLengths(pair, targets, context))).made;
  context.lengths.set(key, lengths);
  // These are new processes, because those of the trial are warm by now, whereas all later pairs
  // start cold.
  const { made: [first, second], failures } = await withTargets(
    pair,
    context,
    (targets) => measured(pair, targets, { lengths, context }),
  );
  return [withTeardown(first, failures[0]), withTeardown(second, failures[1])];
}

interface Worked<Made> {
  readonly made: Made;
  /** For each of the two runs, why the `teardown` of its script failed; null if it did not fail. */
  readonly failures: readonly (string | null)[];
}

/** Starts both targets, runs `work` with them, and closes them afterwards. */
async function withTargets<Made>(
  pair: PlannedPair,
  context: PairContext,
  work: (targets: readonly RunningTarget[]) => Promise<Made>,
): Promise<Worked<Made>> {
  const targets: RunningTarget[] = [];
  const begun: ScriptedRun[] = [];
  const failures: (string | null)[] = [];
  let made: Made;
  try {
    for (const planned of pair) {
      const { cell } = planned;
      const script = scriptOf(cell.request, context.seed);
      await context.preflights?.checkTarget(cell, script);
      const target = await context.open(planned);
      targets.push(target);
      begun.push(await beginScript(script, context.scripted, target.origin, context.signal));
      if (context.preflights === null) await preflight({ cell, target, script }, context.signal);
    }
    made = await work(targets);
  } finally {
    for (const { end } of begun) failures.push(await end());
    for (const target of targets) context.close(target);
  }
  return { made, failures };
}

interface Measuring {
  readonly lengths: SliceLengths;
  readonly context: PairContext;
}

async function measured(
  pair: PlannedPair,
  targets: readonly RunningTarget[],
  { lengths, context }: Measuring,
): Promise<[Run, Run]> {
  const { load } = pair[0].cell;
  const { sliceUs } = lengths;
  const durationMs = load.kind === "capacity" ? null : durationMsOf(load);
  if (durationMs === null) throw new Error("A load in slices has no duration");
  const pairs = Math.max(LEAST_PAIRS, Math.round(1_000 * durationMs / sliceUs));
  // A target that was already running is warm, but its connections are new, so a pair of slices
  // that is not measured warms them up.
  const warmPairs = targets.some(({ startUpMs }) => startUpMs === null) ? 1 : 0;
  const spec = turnsOf(lengths, {
    ...{ pairs: warmPairs + pairs, warmPairs },
    seed: derivedSeed(context.seed, pair[0].repetition),
  });
  const startedAt = new Date().toISOString();
  const loaded = await loadPair(pair, targets, spec, context);
  const [first, second] = loaded.map(({ watched, slices, turns }, side) => {
    const { used, measurement, counters } = watched;
    const own: WatchedLoad = {
      measurement: { ...measurement, generator: ownEvidence(measurement.generator, slices) },
      used: ownUse(used, slices, turns),
      counters,
    };
    const carried = { planned: pair[side], target: targets[side], startedAt };
    return { ...runOf(carried, own, context.onProgress), slices };
  });
  return [first, second];
}

/** The fewest pairs of slices, even if slices are long, so that each of the two loads goes first at least once. */
const LEAST_PAIRS = 2;

/** Key of a pair of cells, the same for either order of the two. */
export function keyOf(pair: readonly { readonly cell: PlannedRun["cell"] }[]): string {
  return pair.map(({ cell }) => cellKey(cell)).toSorted().join(" ");
}

type PairTurns = Omit<TurnsSpec, "side">;

interface LoadedSide {
  readonly watched: WatchedLoad;
  readonly slices: NonNullable<Run["slices"]>;
  readonly turns: TurnsSpec;
}

/** Makes both loads. If one fails, the other one is ended. */
async function loadPair(
  pair: PlannedPair,
  targets: readonly RunningTarget[],
  spec: PairTurns,
  context: PairContext,
): Promise<LoadedSide[]> {
  const { loaders, cancel } = context.loaders.together();
  const failed = new AbortController();
  const signal = AbortSignal.any([context.signal, failed.signal]);
  const pids = targets.map(context.pids ?? ((target) => pidsOf(target.parts ?? (() => [target]))));
  const turnsOfSide = (side: number): TurnsSpec => ({ ...spec, side: side === 0 ? 0 : 1 });
  const workers: SliceTotals[][] = [[], []];
  let cpu: SideCpu | null = null;
  const loading = pair.map((planned, side) => {
    const script = scriptOf(planned.cell.request, context.seed);
    const load = inSlices(planned, spec);
    const other = targets[1 - side];
    const slices = {
      turns: turnsOfSide(side),
      partner: endpointOf(other.origin, { ...other.access, http2: load.http2 }),
      pids: pids[side],
      onStart: (atMs: number) => {
        if (side === 0) cpu = watchSides([pids[0], pids[1]], spec, atMs);
      },
      onSlices: (totals: readonly SliceTotals[]) => workers[side].push(...totals),
    };
    const subject = { planned, target: targets[side], script, load, slices };
    // While both targets are loaded, the progress of only the first is shown, but the notes of
    // both.
    const onProgress: RunContext["onProgress"] = side === 0
      ? context.onProgress
      : (progress) => progress.kind === "note" && context.onProgress(progress);
    return loadAndWatch(subject, { ...context, loader: loaders[side], onProgress, signal })
      .catch((error) => {
        cancel(error); // the other side's loader may wait for a call that this side will never make
        failed.abort();
        throw error;
      });
  });
  const ended = await Promise.allSettled(loading);
  const used = stopped(cpu);
  return ended.map((one, side) => {
    if (one.status === "rejected") throw one.reason;
    if (workers[side].length === 0) throw new TargetError(cutShort(pair[side]));
    const turns = turnsOfSide(side);
    const partner = pair[1 - side].cell.target;
    return { watched: one.value, slices: slicesOf(workers[side], { turns, partner, used }), turns };
  });
}

function stopped(cpu: SideCpu | null): ReturnType<SideCpu["stop"]> {
  return cpu?.stop() ?? [];
}

function cutShort({ cell: { target } }: PlannedRun): string {
  return `Cannot measure ${target} in slices: a load worker did not end in time`;
}

/** The load of one side, as long as all of that side's slices together. */
function inSlices({ cell }: PlannedRun, { sliceUs, pairs }: PairTurns): Load {
  const { load } = cell;
  if (load.kind !== "closed" && load.kind !== "rate") throw new Error("It is not in slices");
  return { ...load, durationMs: pairs * sliceUs / 1_000 };
}

/**
 * Finds the slice lengths with a short trial load in slices, which is measured from the very beginning of each slice.
 * Throws a NoSlicesError if slices are impossible.
 */
async function findLengths(
  pair: PlannedPair,
  targets: readonly RunningTarget[],
  context: PairContext,
): Promise<SliceLengths> {
  const { sliceMs, pauseMs, binMs, pairs } = TRIAL;
  const lengths = { sliceUs: 1_000 * sliceMs, cutUs: 0, shiftUs: 0, pauseUs: 1_000 * pauseMs };
  const spec = turnsOf(lengths, { pairs, seed: derivedSeed(context.seed, 0) });
  const quiet = { ...context, intervalMs: binMs, logFolder: null, onProgress: () => {} };
  const loaded = await loadPair(pair, targets, spec, quiet);
  const found = lengthsOf(loaded.map(({ watched: { measurement } }) => trialOf(measurement)));
  if (typeof found !== "string") return found;
  const names = pair.map(({ cell }) => cell.target).join(" and ");
  throw new NoSlicesError(names, found);
}

function trialOf(
  { timeline, requests, service: { percentiles } }: Measurement,
): Parameters<typeof lengthsOf>[0][number] {
  return {
    requests: requests.completed,
    completed: timeline.points.map(({ completed }) => completed),
    p50Ms: percentiles["50"],
    p99Ms: percentiles["99"],
  };
}
