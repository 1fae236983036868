/** Time spent in each function over all of its calls, and how it changes between two sets of profiles. Pure. */
import { type CallTree, type Frame, totalsOf, treeMs } from "./call_tree.ts";

export interface FrameTime {
  readonly frame: Frame;
  /** Time in the function itself. */
  readonly ownMs: number;
  /** Time including everything that the function called; recursive calls are counted once. */
  readonly totalMs: number;
}

/** All functions, sorted by own time, longest first. */
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
 * Names that V8 and `prune` give to time that belongs to no single function. Such time is shown beside the hottest
 * function, never as the hottest function itself.
 */
const NO_FUNCTIONS: Readonly<Record<string, string>> = {
  "(program)": "native code and system calls",
  "(garbage collector)": "garbage collection",
  "(small calls)": "small calls",
  "(root)": "no function",
};

/** Describes a frame that stands for time outside of functions; null for a function. */
export function outsideText({ name }: Frame): string | null {
  return Object.hasOwn(NO_FUNCTIONS, name) ? NO_FUNCTIONS[name] : null;
}

/** The function with the most own time, and the caller on whose behalf it spends most of that. */
export interface HotPath {
  readonly frame: Frame;
  /** The calling function; null for an outermost call. */
  readonly caller: Frame | null;
  /** The function's own time as a share of all time. */
  readonly ownRatio: number;
}

/** The hot path of a tree; null if no function has any time. */
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

/** A function of the program itself, and the share of all time spent in it or in foreign code that it calls. */
export interface OwnPart {
  readonly frame: Frame;
  readonly ratio: number;
}

/**
 * The program's function with the largest share. Time in packages, libraries and the runtime counts for the program's
 * function that called them, directly or through other such code. Null if no function is marked as the program's own.
 */
export function largestOwnPart(tree: CallTree): OwnPart | null {
  const nearest: number[] = [];
  const partMs = new Map<number, number>();
  tree.frame.forEach((at, node) => { // parents come before their children
    const above = tree.parent[node];
    nearest[node] = tree.frames[at].own ? at : above < 0 ? -1 : nearest[above];
    const [own, ms] = [nearest[node], tree.ownMs[node]];
    if (own >= 0) partMs.set(own, (partMs.get(own) ?? 0) + ms);
  });
  const [largest] = [...partMs].sort(([, a], [, b]) => b - a);
  if (largest === undefined) return null;
  const [at, ms] = largest;
  return { frame: tree.frames[at], ratio: ms / treeMs(tree) };
}

/** The caller for which a function spends most of its own time, ignoring recursion. */
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

/** The profile runs of one cell, that is of one combination of target, scenario and factor values. */
export interface ProfiledRuns {
  readonly runs: readonly {
    readonly tree: CallTree;
    /** Approximate number of requests completed while sampling. */
    readonly requests: number;
  }[];
}

export interface TimeChange {
  /** Own time per request, milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /**
   * Share of the growth of the total time per request that this change explains; above 1 if other functions got faster.
   * Meaningless if the total did not grow.
   */
  readonly explainedRatio: number;
  /**
   * Whether the time grew beyond the noise: every run after the change took longer than every run before it. Null if
   * either side has a single run, which shows no noise.
   */
  readonly isBeyondNoise: boolean | null;
}

export interface FrameChange extends TimeChange {
  readonly name: string;
  readonly module: string;
}

export interface PackageChange extends TimeChange {
  /** Name as returned by `packageOf`, or `OWN_CODE`. */
  readonly name: string;
}

export interface ProfileChange {
  /** Total time per request, milliseconds. */
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Functions that take more time, sorted by growth beyond the slowdown common to all functions, largest first. */
  readonly grown: readonly FrameChange[];
  /** Packages that take more time, sorted in the same way. */
  readonly packages: readonly PackageChange[];
}

/** Growth below this share of total time per request is not reported. */
const LEAST_RATIO = 0.01;

/**
 * Compares profiles by function, matched by name and module because lines move between commits. Null if either side has
 * no run with samples and requests.
 */
export function profileChange(before: ProfiledRuns, after: ProfiledRuns): ProfileChange | null {
  const second = timesPerRequest(after);
  const first = withNamesOf(second, timesPerRequest(before));
  if (first.length === 0 || second.length === 0) return null;
  const [beforeMs, afterMs] = [first, second].map((runs) => mean(runs.map(sumOf)));
  const own = ownCode([...before.runs, ...after.runs]);
  const packages = [first, second].map((runs) => runs.map((times) => byPackage(times, own)));
  return {
    beforeMs,
    afterMs,
    grown: grownBetween(first, second).map(([key, change]) => {
      const [name, module] = JSON.parse(key);
      return { name, module, ...change };
    }),
    packages: grownBetween(packages[0], packages[1]).map(([name, change]) => ({ name, ...change })),
  };
}

/** Own time per request in one run, in milliseconds, by function or by package. */
type OwnTimes = ReadonlyMap<string, number>;

/**
 * The times before a change, under the keys that functions have after it. The program's own code may be in different
 * files before and after, which gives a function two keys. So a function found only before and one found only after
 * count as the same function if each is the only one with that name.
 */
function withNamesOf(after: readonly OwnTimes[], before: readonly OwnTimes[]): OwnTimes[] {
  const [olds, news] = [ownFunctions(before, after), ownFunctions(after, before)];
  const renamed = new Map([...olds].flatMap(([name, [old, ...more]]) => {
    const found = news.get(name) ?? [];
    return more.length === 0 && found.length === 1 ? [[old, found[0]] as const] : [];
  }));
  return before.map((run) =>
    new Map([...run].map(([key, ms]) => [renamed.get(key) ?? key, ms] as const))
  );
}

/**
 * Functions that occur in `own` but not in `other`, grouped by name; functions of packages and anonymous functions are
 * left out.
 */
function ownFunctions(
  own: readonly OwnTimes[],
  other: readonly OwnTimes[],
): ReadonlyMap<string, readonly string[]> {
  const known = new Set(other.flatMap((run) => [...run.keys()]));
  const keys = new Set(own.flatMap((run) => [...run.keys()]).filter((key) => !known.has(key)));
  const named = [...keys].filter((key) => {
    const [name, module] = JSON.parse(key);
    return name !== "(anonymous)" && OWN_FILE.test(module);
  });
  return Map.groupBy(named, (key) => JSON.parse(key)[0]);
}

/** A folder and a file, as `moduleOf` names code that is in no package. */
const OWN_FILE = /^[^@:/]+\/[^/]+$/;

/** Functions or packages that grew enough to be reported, sorted by growth beyond the slowdown common to all. */
function grownBetween(
  first: readonly OwnTimes[],
  second: readonly OwnTimes[],
): [string, TimeChange][] {
  const [beforeMs, afterMs] = [first, second].map((runs) => mean(runs.map(sumOf)));
  const keys = new Set([...first, ...second].flatMap((run) => [...run.keys()]));
  const grown = [...keys].flatMap((key): [string, TimeChange][] => {
    const [was, is] = [first, second].map((runs) => runs.map((run) => run.get(key) ?? 0));
    const growthMs = mean(is) - mean(was);
    if (growthMs < LEAST_RATIO * Math.max(beforeMs, afterMs)) return [];
    return [[key, {
      beforeMs: mean(was),
      afterMs: mean(is),
      explainedRatio: growthMs / (afterMs - beforeMs),
      isBeyondNoise: was.length < 2 || is.length < 2 ? null : Math.min(...is) > Math.max(...was),
    }]];
  });
  const beyondMs = ([, change]: [string, TimeChange]): number =>
    beyondOthersMs(change, { beforeMs, afterMs });
  return grown.sort((a, b) => beyondMs(b) - beyondMs(a));
}

interface Growth {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/**
 * Growth common to all functions is attributed to a slower machine only up to this factor, because a machine rarely
 * slows down by more between two runs.
 */
const MOST_SLOWED = 1.5;

/**
 * How much longer a function takes than if it had grown like all others. Common growth does not count, because a slower
 * machine slows every function alike.
 */
function beyondOthersMs(one: Growth, whole: Growth): number {
  const othersMs = whole.beforeMs - one.beforeMs;
  const factor = othersMs > 0 ? (whole.afterMs - one.afterMs) / othersMs : 1;
  return one.afterMs - Math.min(MOST_SLOWED, factor) * one.beforeMs;
}

/**
 * Keys of the program's own functions. Older profiles do not mark these, so a function counts as the program's own if
 * any run, before or after the change, marks it.
 */
function ownCode(runs: ProfiledRuns["runs"]): ReadonlySet<string> {
  const frames = runs.flatMap(({ tree }) => tree.frames.filter(({ own }) => own));
  return new Set(frames.map(keyOf));
}

function keyOf({ name, module }: Frame): string {
  return JSON.stringify([name, module]);
}

/** @param times Own times, keyed by the function's name and module. */
function byPackage(times: OwnTimes, own: ReadonlySet<string>): OwnTimes {
  const packages = new Map<string, number>();
  for (const [key, ms] of times) {
    const [name, module] = JSON.parse(key);
    const of = own.has(key) ? OWN_CODE : packageOf({ name, module, line: 0 });
    packages.set(of, (packages.get(of) ?? 0) + ms);
  }
  return packages;
}

const OWN_CODE = "the program's own code";

/**
 * The package of a function that is not the program's own, such as `express` or `@scope/name`; a description for the
 * runtime's own code and for time outside of functions; "" for native functions.
 */
function packageOf(frame: Frame): string {
  const { module } = frame;
  const [runtime] = /^(?:node|deno|ext|internal)(?=:)/.exec(module) ?? [];
  if (runtime !== undefined) return RUNTIMES[runtime];
  if (module === "") return outsideText(frame) ?? "";
  const [first, second] = module.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

/** Descriptions of the runtimes' own code, by the URL scheme of its modules. */
const RUNTIMES: Readonly<Record<string, string>> = {
  node: "Node's own modules",
  internal: "Node's own modules",
  deno: "Deno's own modules",
  ext: "Deno's own modules",
};

/** Own time of each function per request: a map for each run that had requests and samples. */
function timesPerRequest({ runs }: ProfiledRuns): OwnTimes[] {
  return runs.filter(({ requests, tree }) => requests > 0 && tree.frame.length > 0)
    .map(({ tree, requests }) => {
      const times = new Map<string, number>();
      for (const { frame, ownMs } of frameTimes(tree)) {
        const key = keyOf(frame);
        times.set(key, (times.get(key) ?? 0) + ownMs / requests);
      }
      return times;
    });
}

function sumOf(times: OwnTimes): number {
  return [...times.values()].reduce((sum, ms) => sum + ms, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
