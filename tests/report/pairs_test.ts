import assert from "node:assert/strict";
import { comparisonOf } from "../../report/judge/comparison.ts";
import { compareCells, ratiosOf } from "../../report/judge/pairs.ts";
import { reportModel } from "../../report/model.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { resultsFixture } from "./fixture.ts";

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

Deno.test("a ratio has one interval, whoever asks", () => {
  const [own] = reportModel(MANY).context.scenarios[0].compared.forest;
  const scenarios = groupRuns(MANY);
  const [a, b] = scenarios[0].cells.map(({ estimates }) => estimates.get("rate"));
  assert.ok(a && b);
  const ratio = ratiosOf(scenarios, MANY)(b, a, "rate");
  assert.ok(ratio !== null);
  const ends = ({ low, high }: { low: number | null; high: number | null }) => [low, high];
  const close = ends(ratio).map((end) => Number(end?.toPrecision(4)));
  assert.deepEqual(close, ends(own.chart.rows[0]));
});

Deno.test("a pair that is asked for twice, or turned around, is one comparison of Holm's family", () => {
  const [{ cells: [a, b, c] }] = groupRuns(MANY);
  const once = [{ base: a, next: b }, { base: a, next: c }];
  const again = [...once, { base: b, next: a }, once[1]];
  const [one, other] = [once, again].map((pairs) =>
    comparisonOf(compareCells(pairs, {})(a, b), "rate")
  );
  assert.ok(one.p !== null && one.adjustedP !== null && one.adjustedP > one.p);
  assert.equal(other.adjustedP, one.adjustedP);
});
