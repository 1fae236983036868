/** What the processes of a target did, as one call tree that is small enough for results and pages. Pure. */
import { type CallTree, mergeTrees, prune, treeMs } from "../../base/profile/call_tree.ts";
import type { Profile } from "../result/profile.ts";

/** A call under this share of the time is too narrow to be seen. */
const LEAST_RATIO = 0.001;
/** Calls of a tree: some 40 KB of JSON. */
const MOST_NODES = 1_500;

/** Nanoseconds: no clock of a profiler is better. */
const DIGITS = 1e6;

export function foldedProfile(
  trees: readonly CallTree[],
): Pick<Profile, "tree" | "pruned" | "busyMs"> {
  const whole = mergeTrees(trees);
  const { tree, nodes, ms } = prune(whole, { leastRatio: LEAST_RATIO, most: MOST_NODES });
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
  return Math.round(ms * DIGITS) / DIGITS;
}

const MOST_CHARACTERS = 200;

/** Names of generated code, or of a target that means harm, may have any length. */
function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
