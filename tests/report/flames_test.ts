/** Where the calls of a flame graph stand, what is found in it, and what differs from another. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { CallTreeBuilder, totalsOf, treeMs } from "../../base/profile/call_tree.ts";
import {
  areComparable,
  type Flame,
  flameChanges,
  flameOf,
  foundCalls,
  paintOf,
  placedCalls,
  sharesOf,
} from "../../report/subjects/profiles/flames.ts";
import { forAll } from "../for_all.ts";

type Stack = readonly [names: string, ms: number];

/** @param stacks Of functions in `m`, from the outermost call on: `a b c`. */
function treeOf(stacks: readonly Stack[]): ReturnType<CallTreeBuilder["build"]> {
  const builder = new CallTreeBuilder();
  for (const [names, ms] of stacks) {
    builder.addStack(names.split(" ").map((name) => ({ name, module: "m", line: 1 })), ms);
  }
  return builder.build();
}

/** @param runs Stacks of each profile run, of 1,000 requests. */
function flame(label: string, runs: readonly (readonly Stack[])[], runtime = "node"): Flame {
  const profiles = runs.map((stacks) => ({ tree: treeOf(stacks), rate: 500, forS: 2 }));
  const made = flameOf({ label, runtime }, profiles);
  assert.ok(made);
  return made;
}

const STACKS: readonly Stack[] = [["a", 10], ["a b", 30], ["a c", 40], ["a c b", 15], ["d", 5]];
const ALL = { focus: null, narrowest: 0 };

/** `b 0.4+0.3 @1`: name, left end, width and depth. */
function placesOf(tree: Flame["tree"], options: Parameters<typeof placedCalls>[1]): string[] {
  return placedCalls(tree, options).map(({ node, x, width, depth }) =>
    `${tree.frames[tree.frame[node]].name} ${x.toFixed(3)}+${width.toFixed(3)} @${depth}`
  );
}

Deno.test("flames: calls are as wide as their total time, the longest first, below their callers", () => {
  assert.deepEqual(placesOf(treeOf(STACKS), ALL), [
    "a 0.000+0.950 @0",
    "c 0.000+0.550 @1",
    "b 0.000+0.150 @2",
    "b 0.550+0.300 @1",
    "d 0.950+0.050 @0",
  ]);
});

Deno.test("flames: what is shown whole stands below its callers, and what is too narrow is left out", () => {
  const tree = treeOf(STACKS);
  const c = tree.frame.findIndex((at, node) => tree.frames[at].name === "c" && node > 0);
  assert.deepEqual(placesOf(tree, { focus: c, narrowest: 0 }), [
    "a 0.000+1.000 @0",
    "c 0.000+1.000 @1",
    "b 0.000+0.273 @2",
  ]);
  assert.deepEqual(placesOf(tree, { focus: null, narrowest: 0.2 }), [
    "a 0.000+0.950 @0",
    "c 0.000+0.550 @1",
    "b 0.550+0.300 @1",
  ]);
});

Deno.test("flames: in any tree calls stand within their callers, and none on another", () => {
  const stack = fc.tuple(
    fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 })
      .map((names) => names.join(" ")),
    fc.integer({ min: 1, max: 50 }),
  );
  forAll([fc.array(stack, { minLength: 1, maxLength: 30 })], (stacks) => {
    const tree = treeOf(stacks);
    const placed = placedCalls(tree, ALL);
    assert.equal(placed.length, tree.frame.length);
    const byNode = new Map(placed.map((call) => [call.node, call]));
    const byDepth = Map.groupBy(placed, ({ depth }) => depth);
    for (const { node, x, width, depth } of placed) {
      const above = byNode.get(tree.parent[node]);
      assert.equal(depth, above === undefined ? 0 : above.depth + 1);
      assert.ok(x >= (above?.x ?? 0) - 1e-9);
      assert.ok(x + width <= (above === undefined ? 1 : above.x + above.width) + 1e-9);
    }
    for (const row of byDepth.values()) {
      const sorted = row.toSorted((a, b) => a.x - b.x);
      sorted.slice(1).forEach(({ x }, i) => assert.ok(x >= sorted[i].x + sorted[i].width - 1e-9));
    }
  });
});

Deno.test("flames: shares are of all time, and a text finds calls once, however they are nested", () => {
  const tree = treeOf([...STACKS, ["b b", 100]]);
  const c = tree.frame.findIndex((at) => tree.frames[at].name === "c");
  assert.deepEqual(sharesOf(tree, c), { own: 0.2, total: 0.275 });
  const { nodes, ratio } = foundCalls(tree, " B ");
  assert.equal(nodes.size, 4);
  assert.equal(ratio, (30 + 15 + 100) / 200);
  assert.equal(foundCalls(tree, "M").ratio, 1);
  assert.deepEqual(foundCalls(tree, " "), { nodes: new Set(), ratio: 0 });
});

Deno.test("flames: of a huge profile a page holds what can be seen, with the totals as they were", () => {
  const stacks = Array.from({ length: 20_000 }, (_, i): Stack => [`a f${i}`, i < 3 ? 500 : 0.01]);
  const { tree } = flame("huge", [stacks]);
  assert.ok(tree.frame.length <= 5, `${tree.frame.length}`);
  assert.ok(Math.abs(treeMs(tree) / (1_500 + 199.97) - 1) < 1e-4);
  const deep = Array.from({ length: 400 }, (_, i) => `g${i}`).join(" ");
  assert.equal(flame("deep", [[[deep, 1]]]).tree.frame.length, 400);
  assert.equal(
    flameOf({ label: "none", runtime: "" }, [{ tree: treeOf([]), rate: 1, forS: 1 }]),
    null,
  );
});

const before = flame("before", [STACKS, STACKS.map(([names, ms]): Stack => [names, ms + 1])]);

Deno.test("flames: a function that takes more is painted as grown, by how much, and others are not", () => {
  const grown = STACKS.map(([names, ms]): Stack => [names, names.endsWith("c") ? ms + 30 : ms]);
  const after = flame("after", [grown, grown.map(([names, ms]): Stack => [names, ms + 1])]);
  assert.ok(areComparable(after, before) && !areComparable(after, after));
  const changes = flameChanges(after, before);
  const paints = after.tree.frame.map((at, node) =>
    `${after.tree.frames[at].name} ${paintOf(after, node, changes)}`
  );
  assert.deepEqual(paints, ["a same", "b same", "c grown3", "b same", "d same"]);
  const back = flameChanges(before, after);
  const c = before.tree.frames.findIndex(({ name }) => name === "c");
  assert.equal(paintOf(before, before.tree.frame.indexOf(c), back), "shrunk3");
  assert.equal(back[c].beforeUs, 70.5);
  assert.equal(back[c].afterUs, 40.5);
});

Deno.test("flames: what grows by no more than runs differ is painted as the same", () => {
  const noisy = [40, 90].map((c) =>
    STACKS.map(([names, ms]): Stack => [names, names.endsWith("c") ? c : ms])
  );
  const after = flame("after", noisy);
  const [c] = flameChanges(after, before).filter((_, at) => after.tree.frames[at].name === "c");
  assert.ok(c.ratio > 0.1);
  assert.equal(c.isBeyondNoise, false);
  const one = flame("one", [noisy[1]]);
  const [unknown] = flameChanges(one, before).filter((_, at) => one.tree.frames[at].name === "c");
  assert.equal(unknown.isBeyondNoise, null);
});

Deno.test("flames: other runtimes, and profiles without a rate, can't be held against each other", () => {
  assert.ok(!areComparable(before, flame("go", [STACKS], "go")));
  assert.ok(!areComparable(before, flame("unknown", [STACKS], "")));
  const dead = flameOf({ label: "dead", runtime: "node" }, [
    { tree: treeOf(STACKS), rate: null, forS: 2 },
  ]);
  assert.ok(dead !== null && !areComparable(before, dead) && totalsOf(dead.tree).length === 5);
});
