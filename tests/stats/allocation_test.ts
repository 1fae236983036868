/** How long runs, how many, and how many sessions see a change at the least time. */
import assert from "node:assert/strict";
import { allocationFor, runNoiseOf } from "../../runner/stats/comparison/allocation.ts";
import { effectSeen, type PlannedFamily } from "../../runner/stats/comparison/planning.ts";
import { Random } from "../../bench/statistics/random.ts";

const FAMILY: PlannedFamily = { tests: 1, cells: 1, borrowed: 0, marginRatio: 0.02 };
const COSTS = { runS: 3, shortestS: 1, longestS: 60 };
const NOISE = { run: 0.01 ** 2, second: 0.1 ** 2 };
const ROOM = Math.log(1.05 / 1.02);

Deno.test("what is advised sees the change, and no cheaper length of runs does", () => {
  const found = allocationFor(0.05, NOISE, COSTS, FAMILY);
  assert.ok(found !== null && found.sessions === 1);
  const stdevOf = (runS: number) => Math.sqrt(2 * (NOISE.run + NOISE.second / runS));
  assert.ok(effectSeen(found.runs, FAMILY) * stdevOf(found.runS) <= ROOM * (1 + 1e-9));
  assert.ok(Math.abs(found.totalS - found.runs * 2 * (3 + found.runS)) < 1e-9);
  for (const runS of [5, 15, 30]) {
    let runs = 3;
    while (effectSeen(runs, FAMILY) * stdevOf(runS) > ROOM) runs++;
    assert.ok(runs * 2 * (3 + runS) >= found.totalS - 1e-9, `${runS}`);
  }
});

Deno.test("where repetitions are many the advice is the equation of Kalibera and Jones", () => {
  const change = 0.025; // little beyond the margin, so that it takes hundreds of runs
  const alone = allocationFor(change, NOISE, COSTS, FAMILY);
  const bestS = Math.sqrt(COSTS.runS * NOISE.second / NOISE.run);
  assert.ok(alone !== null && alone.runs > 300, `${alone?.runs}`);
  assert.ok(Math.abs(alone.runS / bestS - 1) < 0.1, `${alone.runS} for ${bestS}`);
  const sessions = { stdev: 0.005, setUpS: 600 };
  const several = allocationFor(0.022, NOISE, { ...COSTS, sessions }, FAMILY);
  const runs = Math.sqrt(600 / (2 * COSTS.runS) * 2 * NOISE.run / sessions.stdev ** 2);
  assert.ok(several !== null && Math.abs(several.runs - runs) <= 0.3 * runs, `${runs}`);
});

Deno.test("a change that sessions hide is seen by no number of runs in a few of them", () => {
  const sessions = { stdev: 0.5, setUpS: 60 };
  assert.equal(allocationFor(0.025, NOISE, { ...COSTS, sessions }, FAMILY), null);
});

Deno.test("the variance of a run and that of its seconds are told apart", () => {
  const random = new Random(5);
  const [run, second, partS] = [0.02, 0.04, 2];
  const runs = Array.from({ length: 400 }, () => {
    const level = run * random.normal();
    return Array.from({ length: 5 }, () => level + second / Math.sqrt(partS) * random.normal());
  });
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const pairs = Array.from({ length: 200 }, (_, i) => mean(runs[2 * i]) - mean(runs[2 * i + 1]));
  const variance = mean(pairs.map((pair) => pair ** 2));
  const found = runNoiseOf(variance, 10, { parts: runs, partS });
  assert.ok(Math.abs(Math.sqrt(found.second) / second - 1) < 0.05, `${found.second}`);
  assert.ok(Math.abs(Math.sqrt(found.run) / run - 1) < 0.15, `${found.run}`);
  const quiet = runNoiseOf(1e-6, 10, { parts: runs, partS });
  assert.equal(quiet.run, 0);
  assert.ok(Math.abs(quiet.second - 5e-6) < 1e-12);
});
