/**
 * Profiles as flame graphs, in which each call lies below its caller and is as wide as its total time, and the
 * comparison of two profiles. This module decides which part of a profile a page contains and where each call is drawn.
 * Pure, because the page's script uses it, too.
 */
import {
  type CallTree,
  mergeTrees,
  prune,
  totalsOf,
  treeMs,
} from "../../../base/profile/call_tree.ts";
import { frameTimes, outsideText } from "../../../base/profile/frame_times.ts";
import type { TargetProfile } from "../../../runner/result/result.ts";
import { mean, sum } from "../../writing/spread.ts";

/** The profile runs of one cell, merged into one tree that is small enough for a page. */
export interface Flame {
  readonly label: string;
  /** Runtime, such as "node". Only profiles of the same runtime are comparable. "" if unknown. */
  readonly runtime: string;
  readonly tree: CallTree;
  /**
   * For each of the tree's functions, its own time per request in each profile run, in µs; empty if the rate is
   * unknown.
   */
  readonly ownUs: readonly (readonly number[])[];
}

type ProfileRun = Pick<TargetProfile, "rate" | "forS"> & { readonly tree: CallTree };

/** Calls narrower than this share of the drawing are not visible on a page. */
const NARROWEST_RATIO = 0.002;
/** This many calls take some 8 KB of a page. */
const MOST_CALLS = 500;

export function flameOf(
  { label, runtime }: Pick<Flame, "label" | "runtime">,
  runs: readonly ProfileRun[],
): Flame | null {
  const sampled = runs.filter(({ tree }) => tree.frame.length > 0);
  if (sampled.length === 0) return null;
  const whole = mergeTrees(sampled.map(({ tree }) => tree));
  const { tree } = prune(whole, { leastRatio: NARROWEST_RATIO, most: MOST_CALLS });
  const perRun = sampled.flatMap(({ tree, rate, forS }) => {
    const requests = (rate ?? 0) * forS;
    return requests > 0 ? [ownUsOf(tree, requests)] : [];
  });
  return {
    label,
    runtime,
    tree: { ...tree, ownMs: tree.ownMs.map((ms) => Number(ms.toPrecision(5))) },
    ownUs: perRun.length === 0
      ? []
      : tree.frames.map((frame) => perRun.map((own) => own.get(functionKey(frame)) ?? 0)),
  };
}

/** Own time per request of each function, in µs. Line numbers are ignored, because they change between commits. */
function ownUsOf(tree: CallTree, requests: number): Map<string, number> {
  const own = new Map<string, number>();
  for (const { frame, ownMs } of frameTimes(tree)) {
    const key = functionKey(frame);
    own.set(key, (own.get(key) ?? 0) + 1_000 * ownMs / requests);
  }
  for (const [key, us] of own) own.set(key, Number(us.toPrecision(4)));
  return own;
}

function functionKey({ name, module }: { readonly name: string; readonly module: string }): string {
  return JSON.stringify([name, module]);
}

// Where calls are drawn.

export interface PlacedCall {
  readonly node: number;
  /** Left end and width, each as a share of the drawing's width. */
  readonly x: number;
  readonly width: number;
  /** Number of callers; 0 for an outermost call. */
  readonly depth: number;
}

/**
 * The calls that are wide enough to draw. Parents come before their children, and siblings go from left to right with
 * the longest first.
 *
 * @param focus The call that is made as wide as the drawing, below its callers; null to show all calls.
 * @param narrowest Width of the narrowest call to draw, as a share of the drawing's width.
 */
export function placedCalls(
  tree: CallTree,
  { focus, narrowest }: { readonly focus: number | null; readonly narrowest: number },
): PlacedCall[] {
  const totals = totalsOf(tree);
  const children = Map.groupBy(tree.frame.keys(), (node) => tree.parent[node]);
  const placed: PlacedCall[] = [];
  const above = focus === null ? [] : callersOf(tree, focus);
  above.forEach((node, depth) => placed.push({ node, x: 0, width: 1, depth }));
  const wholeMs = focus === null ? treeMs(tree) : totals[focus];
  const place = (nodes: readonly number[], left: number, depth: number): void => {
    let x = left;
    for (const node of nodes.toSorted((a, b) => totals[b] - totals[a] || a - b)) {
      const width = totals[node] / wholeMs;
      if (width < narrowest) return; // the calls after this one are narrower
      placed.push({ node, x, width, depth });
      place(children.get(node) ?? [], x, depth + 1);
      x += width;
    }
  };
  place(focus === null ? children.get(-1) ?? [] : [focus], 0, above.length);
  return placed;
}

/** The callers of a call, with the outermost first. */
function callersOf({ parent }: CallTree, node: number): number[] {
  const callers: number[] = [];
  for (let above = parent[node]; above >= 0; above = parent[above]) callers.unshift(above);
  return callers;
}

/** A call's shares of all time: its own time, and its time including everything that it called. */
export function sharesOf(tree: CallTree, node: number): { own: number; total: number } {
  const wholeMs = treeMs(tree);
  return { own: tree.ownMs[node] / wholeMs, total: totalsOf(tree)[node] / wholeMs };
}

export interface Found {
  readonly nodes: ReadonlySet<number>;
  /** The share of all time that these calls and their callees took. A call nested in another match counts once. */
  readonly ratio: number;
}

/** The calls whose function or module contains the text, ignoring case; empty for an empty text. */
export function foundCalls(tree: CallTree, text: string): Found {
  const sought = text.trim().toLowerCase();
  const matches = tree.frames.map(({ name, module }) =>
    sought !== "" && `${name} ${module}`.toLowerCase().includes(sought)
  );
  const nodes = new Set<number>();
  const totals = totalsOf(tree);
  const isWithin: boolean[] = [];
  let ms = 0;
  tree.frame.forEach((at, node) => {
    const isBelow = tree.parent[node] >= 0 && isWithin[tree.parent[node]];
    if (matches[at]) nodes.add(node);
    if (matches[at] && !isBelow) ms += totals[node];
    isWithin[node] = isBelow || matches[at];
  });
  return { nodes, ratio: nodes.size === 0 ? 0 : ms / treeMs(tree) };
}

export interface FlameChange {
  /** The function's own time per request in µs, in the base's profile (before) and in this one (after). */
  readonly beforeUs: number;
  readonly afterUs: number;
  /** The change as a share of the whole time per request, taken from the profile in which that time is longer. */
  readonly ratio: number;
  /**
   * Whether all values of one profile's runs lie beyond all values of the other's; null if one of the profiles has a
   * single run, which shows no noise.
   */
  readonly isBeyondNoise: boolean | null;
}

/**
 * Whether two flames can be compared: they are not the same, have the same known runtime, and both have times per
 * request.
 */
export function areComparable(flame: Flame, other: Flame): boolean {
  return flame !== other && flame.runtime !== "" && flame.runtime === other.runtime &&
    flame.ownUs.length > 0 && other.ownUs.length > 0;
}

/**
 * How much more or less time each function takes in `flame` than in `base`, in the order of the functions in `flame`.
 */
export function flameChanges(flame: Flame, base: Flame): FlameChange[] {
  const of = new Map(
    base.tree.frames.map((frame, at) => [functionKey(frame), base.ownUs[at]] as const),
  );
  const none = base.ownUs[0].map(() => 0);
  const wholeUs = Math.max(wholeUsOf(flame), wholeUsOf(base));
  return flame.tree.frames.map((frame, at): FlameChange => {
    const [was, is] = [of.get(functionKey(frame)) ?? none, flame.ownUs[at]];
    const [beforeUs, afterUs] = [mean(was), mean(is)];
    const isGrown = Math.min(...is) > Math.max(...was);
    const isShrunk = Math.max(...is) < Math.min(...was);
    return {
      beforeUs,
      afterUs,
      ratio: (afterUs - beforeUs) / wholeUs,
      isBeyondNoise: was.length < 2 || is.length < 2 ? null : isGrown || isShrunk,
    };
  });
}

/**
 * Own time per request of all functions together, in µs. A function that occurs with several lines of a file counts
 * once.
 */
function wholeUsOf({ tree: { frames }, ownUs }: Flame): number {
  const byKey = new Map(frames.map((frame, at) => [functionKey(frame), mean(ownUs[at])]));
  return sum([...byKey.values()], (us) => us);
}

/**
 * The colour of a call. With `changes`, it shows growth or decline in three steps; otherwise it depends on the module,
 * and time outside of functions has a colour of its own.
 */
export function paintOf(
  { tree: { frames, frame } }: Flame,
  node: number,
  changes: readonly FlameChange[] | null,
): string {
  const { module } = frames[frame[node]];
  if (changes === null) {
    return outsideText(frames[frame[node]]) === null
      ? `shade${hashOf(module) % SHADES}`
      : "outside";
  }
  const { ratio, isBeyondNoise } = changes[frame[node]];
  const step = STEPS.filter((least) => Math.abs(ratio) >= least).length;
  if (isBeyondNoise === false || step === 0) return "same";
  return `${ratio > 0 ? "grown" : "shrunk"}${step}`;
}

/** The shares of the time per request at which a change gets the next deeper colour. */
const STEPS = [0.005, 0.02, 0.08];
const SHADES = 4;

function hashOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
  return hash;
}
