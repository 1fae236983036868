/** Which part of a run is profiled, and how much of the profiles is kept. Pure. */
import { type CallTree, mergeTrees, prune, treeMs } from "../../base/profile/call_tree.ts";
import type { TargetProfile } from "../result/profile.ts";
import type { Run } from "../result/result.ts";

type MeasuredRun = Pick<Run, "elapsedS"> & {
  readonly warmup: Pick<NonNullable<Run["warmup"]>, "steadyFromS"> | null;
};

interface SampledPart {
  readonly fromS: number;
  readonly forS: number;
}

/** Share of a run that is skipped at its start if no measured run shows when it became steady. */
const START_RATIO = 0.25;
/** The least share of a run that is profiled, even if the run became steady late. */
const LEAST_RATIO = 1 / 3;
/** A profile run that ends by count may be over after this share of the time that the measured runs took. */
const COUNTED_RATIO = 0.8;
/**
 * Share of the load that is left after the end of sampling, because stopping a profiler takes time, and the target must
 * stay loaded until then.
 */
const END_RATIO = 0.02;

/**
 * Returns null if the length of a run is unknown.
 * @param durationS The length of the load; null: it ends by count.
 * @param discardS Seconds at the start of each run that the figures leave out.
 * @param runs The measured runs of the cell.
 */
export function sampledPart(
  durationS: number | null,
  discardS: number,
  runs: readonly MeasuredRun[],
): SampledPart | null {
  const endS = durationS ?? (runs.length === 0 ? null : COUNTED_RATIO * shortestOf(runs));
  if (endS === null || endS <= 0) return null;
  const steady = runs.flatMap(({ warmup }) => warmup?.steadyFromS ?? []);
  const startS = Math.max(
    discardS,
    steady.length === 0 ? START_RATIO * endS : Math.max(...steady),
  );
  const fromS = Math.min(startS, (1 - LEAST_RATIO) * endS);
  return { fromS, forS: endS * (1 - END_RATIO) - fromS };
}

function shortestOf(runs: readonly MeasuredRun[]): number {
  return Math.min(...runs.map(({ elapsedS }) => elapsedS));
}

// The profiles of a target's processes as one call tree, small enough for results and pages.

/** A call with less than this share of the time is too narrow to be seen. */
const NARROWEST_RATIO = 0.001;
/** The most calls in a tree: some 40 KB of JSON. */
const MOST_NODES = 1_500;

/** Times are rounded to nanoseconds, because no profiler's clock is finer. */
const NS_PER_MS = 1e6;

export function foldedProfile(
  trees: readonly CallTree[],
): Pick<TargetProfile, "tree" | "pruned" | "busyMs"> {
  const whole = mergeTrees(trees);
  const { tree, nodes, ms } = prune(whole, { leastRatio: NARROWEST_RATIO, most: MOST_NODES });
  return {
    busyMs: rounded(treeMs(whole)),
    tree: {
      frames: tree.frames.map(({ name, module, line }) => ({
        name: shortened(name),
        module: shortened(module),
        line: Math.max(0, Math.trunc(line)),
      })),
      frame: [...tree.frame],
      parent: [...tree.parent],
      ownMs: tree.ownMs.map(rounded),
    },
    pruned: { nodes, ms: rounded(ms) },
  };
}

function rounded(ms: number): number {
  return Math.round(ms * NS_PER_MS) / NS_PER_MS;
}

const MOST_CHARACTERS = 200;

/** Cuts a name, because generated code, or a malicious target, may have names of any length. */
function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
