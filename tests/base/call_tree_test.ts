/** Call trees: their sums, against every path added up one by one. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type CallTree,
  CallTreeBuilder,
  type Frame,
  mergeTrees,
  prune,
  totalsOf,
  treeMs,
} from "../../base/profile/call_tree.ts";
import { profileChange } from "../../base/profile/frame_times.ts";
import { frameTimes, hotPathOf } from "../../base/profile/frame_times.ts";
import { forAll } from "../for_all.ts";

const frame = (name: string): Frame => ({ name, module: "a.js", line: 1 });

type Stacks = readonly (readonly [string, number])[];

/** `a;b;c` and its time. */
function treeOf(stacks: Stacks): CallTree {
  const builder = new CallTreeBuilder();
  for (const [stack, ms] of stacks) builder.addStack(stack.split(";").map(frame), ms);
  return builder.build();
}

const stacks: fc.Arbitrary<Stacks> = fc.array(
  fc.tuple(
    fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 6 })
      .map((names) => names.join(";")),
    fc.integer({ min: 1, max: 50 }),
  ),
  { minLength: 1, maxLength: 40 },
);

Deno.test("frameTimes() has the times that the stacks add up to, a function that calls itself once", () => {
  forAll([stacks], (stacks) => {
    for (const { frame: { name }, ownMs, totalMs } of frameTimes(treeOf(stacks))) {
      const sumOf = (counts: (names: string[]) => boolean): number =>
        stacks.filter(([stack]) => counts(stack.split(";"))).reduce((sum, [, ms]) => sum + ms, 0);
      assert.equal(ownMs, sumOf((names) => names.at(-1) === name));
      assert.equal(totalMs, sumOf((names) => names.includes(name)));
    }
  });
});

Deno.test("merged trees have the times of both, node by node", () => {
  forAll([stacks, stacks], (first, second) => {
    const merged = mergeTrees([treeOf(first), treeOf(second)]);
    assert.deepEqual(frameTimes(merged), frameTimes(treeOf([...first, ...second])));
    assert.equal(merged.frame.length, treeOf([...first, ...second]).frame.length);
  });
});

Deno.test("prune() keeps the whole time, and every total of what it keeps", () => {
  const limits = fc.record({
    leastRatio: fc.double({ min: 0, max: 0.5, noNaN: true }),
    most: fc.integer({ min: 1, max: 20 }),
  });
  forAll([stacks, limits], (stacks, limits) => {
    const tree = treeOf(stacks);
    const pruned = prune(tree, limits);
    assert.ok(Math.abs(treeMs(pruned.tree) - treeMs(tree)) < 1e-9);
    const kept = totalsOf(pruned.tree).sort((a, b) => b - a);
    const all = totalsOf(tree).sort((a, b) => b - a).slice(0, tree.frame.length - pruned.nodes);
    for (const [i, total] of all.entries()) assert.ok(kept[i] >= total - 1e-9);
    assert.ok(pruned.ms <= treeMs(tree));
  });
});

Deno.test("hotPathOf() names the function with most own time and its main caller, never the runtime's own", () => {
  const tree = treeOf([["a;b;b", 6], ["c;b", 3], ["a", 2], ["(program)", 50]]);
  const path = hotPathOf(tree);
  assert.deepEqual([path?.frame.name, path?.caller?.name, path?.ownRatio], ["b", "a", 9 / 61]);
  assert.equal(hotPathOf(treeOf([["(idle)", 0], ["(garbage collector)", 5]])), null);
});

Deno.test("profileChange() names what grew per request, and how much of the slowdown that explains", () => {
  const before = { runs: [{ tree: treeOf([["a;b", 100], ["a;c", 100]]), requests: 100 }] };
  const after = {
    runs: [{ tree: treeOf([["a;b", 200], ["a;c", 50], ["a;d", 50]]), requests: 50 }],
  };
  const change = profileChange(before, after);
  assert.deepEqual([change?.beforeMs, change?.afterMs], [2, 6]);
  assert.deepEqual(
    change?.grown.map((
      { name, beforeMs, afterMs, explainedRatio },
    ) => [name, beforeMs, afterMs, explainedRatio]),
    [["b", 1, 4, 0.75], ["d", 0, 1, 0.25]],
  );
  assert.equal(change?.grown[0].isBeyondNoise, null);
  assert.equal(profileChange({ runs: [] }, after), null);
});

Deno.test("a function that slowed down comes before a longer one that a slower machine slows as all", () => {
  const runsOf = (stacks: [string, number][]) => ({
    runs: [{ tree: treeOf(stacks), requests: 1 }],
  });
  const before = runsOf([["steady", 80], ["planted", 20]]);
  const after = runsOf([["steady", 80 * 1.3], ["planted", 40 * 1.3]]);
  const change = profileChange(before, after);
  assert.deepEqual(change?.grown.map(({ name }) => name), ["planted", "steady"]);
  const alone = profileChange(runsOf([["planted", 20]]), runsOf([["planted", 40]]));
  assert.deepEqual(alone?.grown.map(({ name }) => name), ["planted"]);
});

Deno.test("a function that slowed down comes first also where the machine was quicker in the meantime", () => {
  const runsOf = (stacks: [string, number][]) => ({
    runs: [{ tree: treeOf(stacks), requests: 1 }],
  });
  const before = runsOf([["steady", 80], ["planted", 20], ["small", 10]]);
  const after = runsOf([["steady", 82 * 0.8], ["planted", 40 * 0.8], ["small", 14 * 0.8]]);
  assert.deepEqual(profileChange(before, after)?.grown.map(({ name }) => name), [
    "planted",
    "small",
  ]);
});

Deno.test("a function that each of two targets has in a file of its own is the same, those of packages are not", () => {
  const treeIn = (folder: string, ms: number) => {
    const builder = new CallTreeBuilder();
    builder.addStack([{ name: "fibonacci", module: `${folder}/server.js`, line: 1 }], ms);
    builder.addStack([{ name: "send", module: `${folder}/lib/reply.js`, line: 1 }], 10);
    return builder.build();
  };
  const runs = (folder: string, ms: number) => ({
    runs: [{ tree: treeIn(folder, ms), requests: 1 }],
  });
  const names = (before: number, after: number) =>
    profileChange(runs("express", before), runs("fastify", after))?.grown
      .map(({ name, beforeMs, afterMs }) => [name, beforeMs, afterMs]);
  assert.deepEqual(names(50, 50), [["send", 0, 10]]);
  assert.deepEqual(names(50, 80), [["fibonacci", 50, 80], ["send", 0, 10]]);
});

Deno.test("a function is beyond the noise only where every run after is beyond every run before", () => {
  const run = (ms: number) => ({ tree: treeOf([["a", ms], ["b", 10]]), requests: 1 });
  const changeOf = (before: number[], after: number[]) =>
    profileChange({ runs: before.map(run) }, { runs: after.map(run) })?.grown
      .find(({ name }) => name === "a")?.isBeyondNoise;
  assert.equal(changeOf([1, 2], [3, 4]), true);
  assert.equal(changeOf([1, 3], [2, 9]), false);
});

Deno.test("packages are those of others: the program's own files are no package, whatever their folder", () => {
  const runs = (ms: number, own?: true) => {
    const builder = new CallTreeBuilder();
    for (const module of ["src/app.ts", "routes/users.ts"]) {
      builder.addStack([{ name: "handle", module, line: 1, ...own && { own } }], ms);
    }
    builder.addStack([{ name: "send", module: "express/lib/response.js", line: 1 }], ms);
    return { runs: [{ tree: builder.build(), requests: 1 }] };
  };
  for (const [before, after] of [[runs(1, true), runs(2, true)], [runs(1), runs(2, true)]]) {
    assert.deepEqual(
      profileChange(before, after)?.packages.map(({ name, afterMs }) => [name, afterMs]),
      [["the program's own code", 4], ["express", 2]],
    );
  }
});
