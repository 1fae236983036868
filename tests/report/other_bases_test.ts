import assert from "node:assert/strict";
import { comparePairs, comparisonOf } from "../../report/judge/comparison.ts";
import { groupOf } from "../../report/judge/group.ts";
import { compareCells, ratiosOf } from "../../report/judge/pairs.ts";
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
  const bases = reportModel(RESULTS).context.bases();
  assert.deepEqual(bases.map(({ base }) => base), ["a", "b", "c"]);
  const ratioOf = (base: number, name: string): number | undefined =>
    bases[base].scenarios[0].forest[0].chart.rows.find(({ label }) => label === name)
      ?.value;
  const rates = all.map((pair) => comparisonOf(pair, "rate").ratio ?? 0);
  const close = (one: number | undefined, other: number) =>
    assert.ok(Math.abs((one ?? 0) / other - 1) < 1e-3, `${one} ${other}`);
  close(ratioOf(0, "b"), rates[0]);
  close(ratioOf(0, "c"), rates[1]);
  close(ratioOf(1, "a"), 1 / rates[0]);
  close(ratioOf(1, "c"), rates[2]);
  close(ratioOf(2, "b"), 1 / rates[2]);
  assert.match(
    bases[1].finding,
    /Holm's correction is over all 3 pairs/,
  );
});

Deno.test("one target has no other base", () => {
  const one = resultsFixture({
    cells: [{ target: "a", scenario: "static", medianMs: 2, runs: 3 }],
  });
  assert.deepEqual(reportModel(one).context.bases(), []);
});

/** Six targets in four scenarios: against one base four pairs share no runs, of all pairs twelve do not. */
const MANY = resultsFixture({
  cells: [0, 1, 2, 3].flatMap((s) =>
    ["a", "b", "c", "d", "e", "f"].map((target, i) => ({
      target,
      scenario: `s${s}`,
      medianMs: 2 + i,
      runs: 5,
    }))
  ),
});

Deno.test("a ratio has one interval, whichever base it is shown against and whoever asks", () => {
  const model = reportModel(MANY);
  const [own] = model.context.scenarios[0].compared.forest;
  const [other] = model.context.bases()[0].scenarios[0].forest;
  const ends = ({ low, high }: { low: number | null; high: number | null }) => [low, high];
  assert.deepEqual(other.chart.rows.map(ends), own.chart.rows.map(ends));
  const scenarios = groupRuns(MANY);
  const [a, b] = scenarios[0].cells.map(({ estimates }) => estimates.get("rate"));
  assert.ok(a && b);
  const ratio = ratiosOf(scenarios, MANY)(b, a, "rate");
  assert.ok(ratio !== null);
  const close = ends(ratio).map((end) => Number(end?.toPrecision(4)));
  assert.deepEqual(close, ends(own.chart.rows[0]));
});

Deno.test("a pair that is asked for twice, or turned around, is one comparison of Holm's family", () => {
  const [{ cells: [a, b, c] }] = groupRuns(RESULTS);
  const once = [{ base: a, next: b }, { base: a, next: c }];
  const again = [...once, { base: b, next: a }, once[1]];
  const [one, other] = [once, again].map((pairs) =>
    comparisonOf(compareCells(pairs, {})(a, b), "rate")
  );
  assert.ok(one.p !== null && one.adjustedP !== null && one.adjustedP > one.p);
  assert.equal(other.adjustedP, one.adjustedP);
});
