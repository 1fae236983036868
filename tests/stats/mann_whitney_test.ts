import assert from "node:assert/strict";
import fc from "fast-check";
import { mannWhitney } from "../../runner/stats/comparison/significance_tests.ts";
import exact from "./data/mann_whitney.json" with { type: "json" };
import ties from "./data/mann_whitney_ties.json" with { type: "json" };
import { forAll } from "../for_all.ts";

const SEED = 19_470_301;

function assertNear(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) < 1e-12, `${found}, not ${expected}`);
}

for (const { first, second, u, p } of exact.cases) {
  Deno.test(`Mann-Whitney of ${first.length} and ${second.length} values, u ${u}, has SciPy's exact p`, () => {
    const found = mannWhitney(first, second);
    assert.equal(found.u, u);
    assertNear(found.p, p);
  });
}

for (const { first, second, p } of ties.cases) {
  Deno.test(`Mann-Whitney of ${first} and ${second}, with ties, has the exact p of R's coin`, () => {
    assertNear(mannWhitney(first, second).p, p);
  });
}

const least: [number, number][] = [[3, 0.1], [4, 0.0285714], [5, 0.0079365]];
for (const [size, p] of least) {
  Deno.test(`${size} and ${size} values that don't overlap have the least p, ${p}`, () => {
    const low = Array.from({ length: size }, (_, i) => i);
    const found = mannWhitney(low, low.map((value) => value + 100));
    assert.ok(Math.abs(found.p - p) < 1e-6);
    assertNear(found.leastP, found.p);
  });
}

Deno.test("the order of the groups doesn't change p, and their u add up to all pairs", () => {
  const values = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 9 });
  forAll([values, values], (first, second) => {
    const [one, other] = [mannWhitney(first, second), mannWhitney(second, first)];
    assertNear(one.p, other.p);
    assertNear(one.u + other.u, first.length * second.length);
    assert.ok(one.p > 0 && one.p <= 1 + 1e-12);
  }, { seed: SEED });
});
