/**
 * Two revisions of the targets, measured as one experiment: the two sides of their comparison, and which of its alarms
 * fresh runs confirm.
 */
import type { Results, TargetProfile } from "../../../runner/result/result.ts";
import {
  type ComparedCell,
  comparedOutcome,
  figureOutcomes,
  type ResultsComparison,
} from "./comparison.ts";
import { type ThresholdOutcome, worstOf } from "../../judge/gates.ts";
import type { ComparedFigure } from "../../judge/group.ts";
import type { ResultSide } from "../../judge/differences.ts";

/** What a target is called on either side. */
export interface SideNames {
  readonly base: string;
  readonly head: string;
}

/** Of results in which each target was measured twice. @param names By the target's own name. Both sides are of one session, as their runs took turns. */
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
      const folders = sides === undefined
        ? []
        : ownFolders(Object(experiment.targets), sides, side);
      return withModulesFrom(folders, profile);
    }),
  };
}

/** Of the path of one revision those that the other's has not. */
function ownFolders(
  targets: Readonly<Record<string, unknown>>,
  sides: SideNames,
  side: keyof SideNames,
): string[] {
  const [own, other] = [sides[side], sides[side === "base" ? "head" : "base"]]
    .map((name) => String(Object(targets[name]).cwd ?? "").split("/"));
  return own.filter((folder) => !other.includes(folder));
}

/** Modules have the same name in both revisions: without the folder that only one of them has. */
function withModulesFrom(folders: readonly string[], profile: TargetProfile): TargetProfile {
  const { tree } = profile;
  const frames = tree.frames.map((frame) => {
    const [first, ...rest] = frame.module.split("/");
    const isOwn = rest.length > 0 && folders.includes(first);
    return isOwn ? { ...frame, module: rest.join("/") } : frame;
  });
  return { ...profile, tree: { ...tree, frames } };
}

/** Under the names that targets have on both sides. */
function ownOnes<T extends { readonly target: string }>(
  all: readonly T[],
  own: ReadonlyMap<string, string>,
): T[] {
  return all.flatMap((one) => {
    const target = own.get(one.target);
    return target === undefined ? [] : [{ ...one, target }];
  });
}

/** Each revision has a folder of its own, which is no difference in how they were measured. */
function withoutFolder(spec: unknown): unknown {
  const { cwd: _, nginx, ...others } = Object(spec);
  if (nginx === undefined) return others;
  const { root: __, ...rest } = Object(nginx);
  return { ...others, nginx: rest };
}

// An alarm stands only where fresh runs say the same. Each of the two comparisons calls a cell worse by mistake in at most
// 5 % of all cases, over all its cells together; so both do in fewer.

/** One figure that was worse, and what the fresh runs said of it; null: it was not measured again. */
export interface Alarm {
  readonly cell: ComparedCell;
  readonly figure: ComparedFigure;
  readonly again: ThresholdOutcome | null;
}

export interface Confirmed {
  readonly alarms: readonly Alarm[];
  /** As it stands after the fresh runs, in every form: what these did not bear out is inconclusive. */
  readonly comparison: ResultsComparison;
}

/** Cells of which a figure that decides is worse. */
export function worseCells(comparison: ResultsComparison): ComparedCell[] {
  const worse = figureOutcomes(comparison).filter(({ outcome }) => outcome === "fail");
  return [...new Set(worse.map(({ cell }) => cell))];
}

/** @param second Of fresh runs of the worse cells, at least; null: none were made, and the first stands. */
export function confirmedBy(
  first: ResultsComparison,
  second: ResultsComparison | null,
): Confirmed {
  const outcomes = figureOutcomes(first);
  const alarms = outcomes.filter(({ outcome }) => outcome === "fail").map(({ cell, figure }) => {
    const fresh = second?.cells.find(({ name }) => name === cell.name);
    const again = fresh ? comparedOutcome(fresh, figure) : null;
    return { cell, figure, again };
  });
  const others = outcomes.filter(({ outcome }) => outcome !== "fail");
  const confirmed = (cell: ComparedCell): ComparedCell => {
    const doubtful = alarms.filter((alarm) =>
      alarm.cell.name === cell.name && alarm.again !== null && alarm.again !== "fail"
    ).map(({ figure }) => figure);
    return doubtful.length === 0 ? cell : withDoubts(cell, doubtful);
  };
  return {
    alarms,
    comparison: {
      ...first,
      cells: first.cells.map(confirmed),
      again: first.again && first.again.map(confirmed),
      outcome: worstOf([
        ...others,
        ...alarms.map(({ again }) => ({ outcome: again ?? "fail" as const })),
        ...first.gates,
      ]),
    },
  };
}

function withDoubts(cell: ComparedCell, doubtful: readonly ComparedFigure[]): ComparedCell {
  const figures = cell.comparison.figures.map((one) =>
    doubtful.includes(one.figure)
      ? { ...one, verdict: "inconclusive", reason: "unconfirmed" } as const
      : one
  );
  return { ...cell, comparison: { ...cell.comparison, figures } };
}
