/**
 * A call tree: who called whom while a profiler sampled, and how much time was spent in each call. Every runtime's
 * profile is read into this one shape. Pure.
 */

/** A function, as a profiler names it. */
export interface Frame {
  readonly name: string;
  /** Package, file or library; "" if unknown. */
  readonly module: string;
  /** Line on which the function begins, from 1; 0 if unknown. */
  readonly line: number;
  /**
   * Set if the function is the program's own; absent if it belongs to a package, a library or the runtime, or if
   * unknown.
   */
  readonly own?: true;
}

/**
 * A call tree. `frame`, `parent` and `ownMs` have an entry for each node except the root, and parents come before their
 * children.
 */
export interface CallTree {
  readonly frames: readonly Frame[];
  /** For each node, the index of its function in `frames`. */
  readonly frame: readonly number[];
  /** For each node, the index of the node that called it; −1 for an outermost call. */
  readonly parent: readonly number[];
  /** For each node, milliseconds spent in the function itself, without the functions that it called. */
  readonly ownMs: readonly number[];
}

export class CallTreeBuilder {
  readonly #frames: Frame[] = [];
  readonly #frame: number[] = [];
  readonly #parent: number[] = [];
  readonly #ownMs: number[] = [];
  readonly #frameAt = new Map<string, number>();
  /** Indexes in `#frames` by frame object, because profiles repeat their frame objects and building a key is slow. */
  readonly #knownAt = new WeakMap<Frame, number>();
  readonly #childAt = new Map<string, number>();

  /** The node of `frame` under `parent` (−1: the root), created if necessary. */
  child(parent: number, frame: Frame): number {
    const at = this.#frameOf(frame);
    const key = `${parent} ${at}`;
    const known = this.#childAt.get(key);
    if (known !== undefined) return known;
    const node = this.#frame.push(at) - 1;
    this.#parent.push(parent);
    this.#ownMs.push(0);
    this.#childAt.set(key, node);
    return node;
  }

  addOwn(node: number, ms: number): void {
    this.#ownMs[node] += ms;
  }

  /** @param stack From the outermost call to the innermost. */
  addStack(stack: readonly Frame[], ms: number): void {
    if (stack.length === 0) return;
    this.addOwn(stack.reduce((parent, frame) => this.child(parent, frame), -1), ms);
  }

  addTree({ frames, frame, parent, ownMs }: CallTree): void {
    const nodes: number[] = [];
    frame.forEach((at, node) => {
      const above = parent[node] < 0 ? -1 : nodes[parent[node]];
      nodes.push(this.child(above, frames[at]));
      this.addOwn(nodes[node], ownMs[node]);
    });
  }

  build(): CallTree {
    return {
      frames: this.#frames,
      frame: this.#frame,
      parent: this.#parent,
      ownMs: this.#ownMs,
    };
  }

  #frameOf(frame: Frame): number {
    const at = this.#knownAt.get(frame) ?? this.#frameAlike(frame);
    this.#knownAt.set(frame, at);
    return at;
  }

  #frameAlike(frame: Frame): number {
    const key = frameKey(frame);
    const known = this.#frameAt.get(key);
    if (known !== undefined) return known;
    this.#frameAt.set(key, this.#frames.length);
    return this.#frames.push(frame) - 1;
  }
}

export function frameKey({ name, module, line }: Frame): string {
  return JSON.stringify([name, module, line]);
}

export function mergeTrees(trees: readonly CallTree[]): CallTree {
  const merged = new CallTreeBuilder();
  for (const tree of trees) merged.addTree(tree);
  return merged.build();
}

/** Total time of a tree, in milliseconds: the own time of all nodes. */
export function treeMs({ ownMs }: Pick<CallTree, "ownMs">): number {
  return ownMs.reduce((sum, ms) => sum + ms, 0);
}

/** For each node, milliseconds spent in the function and in everything that it called. */
export function totalsOf({ parent, ownMs }: CallTree): number[] {
  const totals = [...ownMs];
  for (let node = parent.length - 1; node >= 0; node--) { // children come after their parents
    if (parent[node] >= 0) totals[parent[node]] += totals[node];
  }
  return totals;
}

interface Pruned {
  readonly tree: CallTree;
  /** Number of calls left out; their time now counts as their callers' own. */
  readonly nodes: number;
  readonly ms: number;
}

/**
 * The tree without its smallest calls: a call stays if it is among the `most` longest and takes at least `leastRatio`
 * of the whole. The time of removed calls goes to their callers, so that the totals stay as they are.
 */
export function prune(
  tree: CallTree,
  { leastRatio, most }: { readonly leastRatio: number; readonly most: number },
): Pruned {
  const totals = totalsOf(tree);
  const leastMs = leastRatio * treeMs(tree);
  const longest = totals.map((_, node) => node).sort((a, b) => totals[b] - totals[a] || a - b);
  // A call is never longer than its caller, and comes after it if they are equal, so all callers of
  // a kept call are kept.
  const kept = new Set(longest.slice(0, most).filter((node) => totals[node] >= leastMs));
  const builder = new CallTreeBuilder();
  const nodes: number[] = [];
  let ms = 0;
  tree.frame.forEach((at, node) => {
    const above = tree.parent[node] < 0 ? -1 : nodes[tree.parent[node]];
    nodes.push(kept.has(node) ? builder.child(above, tree.frames[at]) : above);
    if (!kept.has(node)) ms += tree.ownMs[node];
    const owner = nodes[node] < 0 ? builder.child(-1, REST) : nodes[node];
    if (tree.ownMs[node] > 0) builder.addOwn(owner, tree.ownMs[node]);
  });
  return { tree: builder.build(), nodes: totals.length - kept.size, ms };
}

/** Stands for the outermost calls that were left out. */
const REST: Frame = { name: "(small calls)", module: "", line: 0 };

export const PROFILERS = ["v8", "py-spy", "pprof", "perf"] as const;
export type ProfilerName = typeof PROFILERS[number];
