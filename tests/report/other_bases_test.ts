import assert from "node:assert/strict";
import { comparePairs, comparisonOf } from "../../report/judge/comparison.ts";
import { groupOf } from "../../report/judge/group.ts";
import { reportModel } from "../../report/model.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { resultsFixture } from "./fixture.ts";

const RESULTS = resultsFixture({
  cells: ["a", "b", "c"].map((target, i) => ({
    target,
    scenario: "static",
    medianMs: 2 + i,
    runs: 4,
  })),
});

Deno.test("against any base, each ratio is that of the pair, judged among all pairs of targets", () => {
  const [{ cells }] = groupRuns(RESULTS);
  const [a, b, c] = cells.map(groupOf);
  const all = comparePairs([[a, b], [a, c], [b, c]].map(([base, next]) => ({ base, next })));
  const bases = reportModel(RESULTS).bases();
  assert.deepEqual(bases.map(({ base }) => base), ["a", "b", "c"]);
  const ratioOf = (base: number, name: string): number | undefined =>
    bases[base].scenarios[0]?.forest.charts[0].chart.rows.find(({ label }) => label === name)
      ?.ratio;
  const rates = all.map((pair) => comparisonOf(pair, "rate").ratio ?? 0);
  const close = (one: number | undefined, other: number) =>
    assert.ok(Math.abs((one ?? 0) / other - 1) < 1e-3, `${one} ${other}`);
  close(ratioOf(0, "b"), rates[0]);
  close(ratioOf(0, "c"), rates[1]);
  close(ratioOf(1, "a"), 1 / rates[0]);
  close(ratioOf(1, "c"), rates[2]);
  close(ratioOf(2, "b"), 1 / rates[2]);
  assert.match(
    bases[1].scenarios[0]?.forest.finding ?? "",
    /Holm's correction is over all 3 pairs/,
  );
});

Deno.test("one target has no other base", () => {
  const one = resultsFixture({
    cells: [{ target: "a", scenario: "static", medianMs: 2, runs: 3 }],
  });
  assert.deepEqual(reportModel(one).bases(), []);
});
