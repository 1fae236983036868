/** Results in which each target was measured as of two revisions → the two sides of a comparison. */
import type { Results, TargetProfile } from "../../../runner/result/result.ts";
import type { ResultSide } from "../comparison/differences.ts";

/** What a target is called on either side. */
export interface SideNames {
  readonly base: string;
  readonly head: string;
}

/** @param names By the target's own name. Both sides are of one session, as their runs took turns. */
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
