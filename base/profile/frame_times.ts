/** Time by function, over all of its calls. Pure. */
import { type CallTree, type Frame, totalsOf } from "./call_tree.ts";

export interface FrameTime {
  readonly frame: Frame;
  /** In the function itself. */
  readonly ownMs: number;
  /** With all that it called; a function that calls itself is counted once. */
  readonly totalMs: number;
}

/** The longest own time first. */
export function frameTimes(tree: CallTree): FrameTime[] {
  const totals = totalsOf(tree);
  const times = tree.frames.map((frame) => ({ frame, ownMs: 0, totalMs: 0 }));
  tree.frame.forEach((at, node) => {
    times[at].ownMs += tree.ownMs[node];
    if (!isWithinItself(tree, node)) times[at].totalMs += totals[node];
  });
  return times.sort((a, b) => b.ownMs - a.ownMs || b.totalMs - a.totalMs);
}

function isWithinItself({ frame, parent }: CallTree, node: number): boolean {
  for (let above = parent[node]; above >= 0; above = parent[above]) {
    if (frame[above] === frame[node]) return true;
  }
  return false;
}

/**
 * Names that runtimes give to time outside of functions: V8's own, and the kernel's. They are named beside the hottest
 * function, never as it.
 */
const NO_FUNCTIONS: Readonly<Record<string, string>> = {
  "(program)": "native code and system calls",
  "(garbage collector)": "garbage collection",
  "(small calls)": "small calls",
  "(root)": "no function",
};

/** In words, for time outside of functions; null for a function. */
export function outsideText({ name }: Frame): string | null {
  return Object.hasOwn(NO_FUNCTIONS, name) ? NO_FUNCTIONS[name] : null;
}

/** The function that most time is spent in, and who called it most. */
export interface HotPath {
  readonly frame: Frame;
  /** Null: it is outermost. */
  readonly caller: Frame | null;
  /** Own time of the function over all time. */
  readonly ownRatio: number;
}

/** Null where no function has any time. */
export function hotPathOf(tree: CallTree): HotPath | null {
  const times = frameTimes(tree);
  const wholeMs = times.reduce((sum, { ownMs }) => sum + ownMs, 0);
  const hottest = times.find(({ frame, ownMs }) => outsideText(frame) === null && ownMs > 0);
  if (hottest === undefined) return null;
  return {
    frame: hottest.frame,
    caller: callerOf(tree, hottest.frame),
    ownRatio: hottest.ownMs / wholeMs,
  };
}

/** Who calls the function for most of its own time, past calls of itself. */
function callerOf(tree: CallTree, called: Frame): Frame | null {
  const byCaller = new Map<Frame | null, number>();
  tree.frame.forEach((at, node) => {
    if (tree.frames[at] !== called || tree.ownMs[node] === 0) return;
    let above = tree.parent[node];
    while (above >= 0 && tree.frames[tree.frame[above]] === called) above = tree.parent[above];
    const caller = above < 0 ? null : tree.frames[tree.frame[above]];
    byCaller.set(caller, (byCaller.get(caller) ?? 0) + tree.ownMs[node]);
  });
  const [first] = [...byCaller].sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}
