/**
 * Two revisions of the targets, measured as one experiment: the two sides of their comparison, and which cells are
 * measured again.
 */
import type { Results, Run, TargetProfile } from "../../../runner/result/result.ts";
import { mayBeWorse } from "../../../runner/stats/comparison/two_stage.ts";
import { comparisonOf } from "../../judge/comparison.ts";
import { type ComparedCell, figureOutcomes, type ResultsComparison } from "./comparison.ts";
import type { ThresholdOutcome } from "../../judge/thresholds.ts";
import type { ComparedFigure } from "../../judge/group.ts";
import type { ResultSide } from "../../judge/differences.ts";

/** What a target is called on each side. */
export interface SideNames {
  readonly base: string;
  readonly head: string;
}

/**
 * Splits results that contain each target in both revisions into two sides. Both sides belong to one session, because
 * their runs took turns.
 * @param names Maps a target's own name to its names on the two sides.
 */
export function revisionSides(
  results: Results,
  names: ReadonlyMap<string, SideNames>,
): { readonly base: ResultSide; readonly head: ResultSide } {
  return { base: sideOf(results, names, "base"), head: sideOf(results, names, "head") };
}

function sideOf(
  results: Results,
  names: ReadonlyMap<string, SideNames>,
  side: keyof SideNames,
): ResultSide {
  const own = new Map([...names].map(([name, sides]) => [sides[side], name]));
  const { experiment, runs, profiles = [] } = results;
  const targets = Object.entries(Object(experiment.targets)).flatMap(([name, spec]) => {
    const as = own.get(name);
    return as === undefined ? [] : [[as, withoutFolder(spec)]];
  });
  return {
    ...results,
    experiment: { ...experiment, targets: Object.fromEntries(targets) },
    runs: ownOnes(runs, own),
    profiles: ownOnes(profiles, own).map((profile) => {
      const sides = names.get(profile.target);
      return sides === undefined
        ? profile
        : withModulesFrom(ownFolders(Object(experiment.targets), sides, side), profile);
    }),
  };
}

/** The folders in a target's path on one side that its path on the other side does not have. */
function ownFolders(
  targets: Readonly<Record<string, unknown>>,
  sides: SideNames,
  side: keyof SideNames,
): string[] {
  const [own, other] = [sides[side], sides[side === "base" ? "head" : "base"]]
    .map((name) => String(Object(targets[name]).cwd ?? "").split("/"));
  return own.filter((folder) => !other.includes(folder));
}

/**
 * Drops from the modules' paths the folders that only one revision has, so that modules have the same name in both
 * revisions.
 */
function withModulesFrom(folders: readonly string[], profile: TargetProfile): TargetProfile {
  const { tree } = profile;
  const frames = tree.frames.map((frame) => {
    const [first, ...rest] = frame.module.split("/");
    const isOwn = rest.length > 0 && folders.includes(first);
    return isOwn ? { ...frame, module: rest.join("/") } : frame;
  });
  return { ...profile, tree: { ...tree, frames } };
}

/** The entries of one side's targets, with each target renamed to the name that it has on both sides. */
function ownOnes<T extends { readonly target: string }>(
  all: readonly T[],
  own: ReadonlyMap<string, string>,
): T[] {
  return all.flatMap((one) => {
    const target = own.get(one.target);
    return target === undefined ? [] : [{ ...one, target }];
  });
}

/** A target without its folder, because each revision has a folder of its own, which must not count as a difference. */
function withoutFolder(spec: unknown): unknown {
  const { cwd: _, nginx, ...others } = Object(spec);
  if (nginx === undefined) return others;
  const { root: __, ...rest } = Object(nginx);
  return { ...others, nginx: rest };
}

// After the first stage, cells that may be worse are measured again, and then judged by the runs of
// both stages (`two_stage.ts`). Both stages run the same two builds, so a build that is slower only
// because of its memory layout is slower in both stages.

/** Cells with a deciding figure that may be worse than the margin allows. They are measured again. */
export function doubtfulCells(comparison: ResultsComparison): ComparedCell[] {
  const { marginRatio } = comparison;
  return comparison.cells.filter(({ comparison: { decisive, figures } }) =>
    figures.some(({ figure, interval, pairs }) =>
      interval !== null && pairs !== null && decisive.includes(figure) &&
      mayBeWorse(interval, { marginRatio, better: figure === "rate" ? "higher" : "lower" })
    )
  );
}

/** The runs of both stages as one experiment, in which the fresh runs have the later repetitions. */
export function withFreshRuns(first: Results, fresh: Results): Results {
  const most = (of: (run: Run) => number): number => Math.max(...first.runs.map(of));
  const [repetitions, orders] = [most(({ repetition }) => repetition), most(({ order }) => order)];
  const runs = fresh.runs.map((run) => ({
    ...run,
    repetition: run.repetition + repetitions,
    order: run.order + orders,
  }));
  return { ...first, runs: [...first.runs, ...runs] };
}

/** The number of the last repetition; 0 if there are no runs. */
export function lastRepetition({ runs }: Pick<Results, "runs">): number {
  return Math.max(0, ...runs.map(({ repetition }) => repetition));
}

/** A figure that was worse after the first stage or after both stages, with its final outcome. */
export interface Alarm {
  readonly cell: ComparedCell;
  readonly figure: ComparedFigure;
  readonly outcome: ThresholdOutcome;
  /** Whether the figure was measured again. */
  readonly isStaged: boolean;
}

/**
 * The figures that were worse in either comparison. @param all The comparison over both stages; `first` itself if
 * nothing was measured again.
 */
export function alarmsIn(first: ResultsComparison, all: ResultsComparison): Alarm[] {
  const atFirst = figureOutcomes(first).filter(({ outcome }) => outcome === "fail");
  return figureOutcomes(all).flatMap(({ cell, figure, outcome }) => {
    const wasWorse = atFirst.some((one) => one.cell.name === cell.name && one.figure === figure);
    const isStaged = comparisonOf(cell.comparison, figure).stages !== null;
    return outcome === "fail" || wasWorse ? [{ cell, figure, outcome, isStaged }] : [];
  });
}
