import assert from "node:assert/strict";
import fc from "fast-check";
import { meanRanks, spearmanRho } from "../../runner/stats/regression/correlation.ts";
import witness from "./data/rank_correlation.json" with { type: "json" };
import { forAll } from "../for_all.ts";

const SEED = 19_040_101;

function assertNear(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) < 1e-12, `${found}, not ${expected}`);
}

for (const [i, { first, second, rho }] of witness.cases.entries()) {
  Deno.test(`${first.length} pairs (${i + 1}) have SciPy's rank correlation`, () => {
    assertNear(spearmanRho(first, second), rho);
  });
}

Deno.test("ranks begin at 1, and ties share the mean of theirs", () => {
  assert.deepEqual(meanRanks([30, 10, 20, 20, 20]), [5, 1, 3, 3, 3]);
});

Deno.test("a column of one value, or of no pair to speak of, has no order to compare", () => {
  assert.ok(Number.isNaN(spearmanRho([5, 5, 5], [1, 2, 3])));
  assert.ok(Number.isNaN(spearmanRho([1, 2, 3], [5, 5, 5])));
  assert.ok(Number.isNaN(spearmanRho([1], [2])));
  assert.ok(Number.isNaN(spearmanRho([], [])));
});

const pairs = fc.array(
  fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -20, max: 20 })),
  { minLength: 2, maxLength: 30 },
);

Deno.test("only the order counts: a growing function of a column changes nothing, its reverse the sign", () => {
  forAll([pairs], (drawn) => {
    const [a, b] = [drawn.map(([one]) => one), drawn.map(([, other]) => other)];
    const found = spearmanRho(a, b);
    if (Number.isNaN(found)) return;
    assert.ok(Math.abs(found) <= 1 + 1e-12);
    assertNear(spearmanRho(a.map((value) => value ** 3 + 7), b), found);
    assertNear(spearmanRho(a, b.map((value) => -value)), -found);
    assertNear(spearmanRho(b, a), found);
  }, { seed: SEED });
});
