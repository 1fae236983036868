import assert from "node:assert/strict";
import {
  effectSeen,
  falseAlarmRatio,
  pairNoiseOf,
  pairsToSee,
  type PlannedFamily,
  smallestChangeSeen,
} from "../../runner/stats/comparison/planning.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { Random } from "../../bench/statistics/random.ts";

const ALONE: PlannedFamily = { tests: 1, cells: 1, borrowed: 0, marginRatio: 0 };

Deno.test("of pairs of one program the mean is known, so each is worth a degree of freedom", () => {
  const { stdevs, borrowed } = pairNoiseOf([[0.03, -0.04], [0, 0.1]]);
  assert.deepEqual(stdevs.map((stdev) => Number(stdev.toFixed(6))), [0.035355, 0.070711]);
  assert.equal(borrowed, 0);
});

Deno.test("six cells lend each other what they know", () => {
  const random = new Random(3);
  const cells = Array.from({ length: 8 }, () => Array.from({ length: 5 }, () => random.normal()));
  assert.ok(pairNoiseOf(cells).borrowed > 5);
});

Deno.test("with many pairs the effect is the sum of two normal quantiles over their root", () => {
  assert.ok(Math.abs(effectSeen(400, ALONE) * 20 - (1.96 + 0.8416)) < 0.02);
});

for (const pairs of [4, 5, 6, 8, 10]) {
  Deno.test(`a change that ${pairs} pairs see is seen in 80 of 100 draws of other pairs`, () => {
    const random = new Random(pairs);
    const effect = effectSeen(pairs, { ...ALONE, tests: 4 });
    const cases = 2_000;
    let seen = 0;
    for (let i = 0; i < cases; i++) {
      const values = Array.from({ length: pairs }, () => effect + random.normal());
      if (isCalled(values)) seen++;
    }
    const share = seen / cases;
    assert.ok(share > 0.76 && share < 0.84, `${share}`);
  });
}

/** What `comparisonVerdict` wants of pairs, written anew: t at 5 % over four tests, and every way to set the signs. */
function isCalled(values: readonly number[]): boolean {
  const size = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / size;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (size - 1);
  const t = mean / Math.sqrt(variance / size);
  if (t < tQuantile(1 - 0.05 / 4, size - 1)) return false;
  let extreme = 0;
  const ways = 2 ** size;
  const found = Math.abs(mean * size) - 1e-9;
  for (let signs = 0; signs < ways; signs++) {
    const sum = values.reduce((sum, value, at) => sum + (signs >> at & 1 ? value : -value), 0);
    if (Math.abs(sum) >= found) extreme++;
  }
  return extreme / ways <= 0.05 || 2 / ways > 0.05;
}

Deno.test("the number of pairs is the least that sees the change", () => {
  for (const stdev of [0.01, 0.04]) {
    const family = { ...ALONE, marginRatio: 0.02 };
    const pairs = pairsToSee(0.06, stdev, family) ?? 0;
    assert.ok(smallestChangeSeen(pairs, stdev, family) <= 0.06);
    assert.ok(pairs === 3 || smallestChangeSeen(pairs - 1, stdev, family) > 0.06, `${pairs}`);
  }
});

Deno.test("a change within the margin is never seen, nor one that 1,000 pairs do not", () => {
  const family = { ...ALONE, marginRatio: 0.02 };
  assert.equal(pairsToSee(0.02, 0.001, family), null);
  assert.equal(pairsToSee(0.021, 0.5, family), null);
});

Deno.test("deals of one program raise an alarm in at most 5 %, and those of two programs in none", () => {
  const random = new Random(9);
  const cells = Array.from(
    { length: 6 },
    () => Array.from({ length: 8 }, () => 0.05 * random.normal()),
  );
  const deal = { marginRatio: 0, seed: 1, deals: 1_000 };
  const ratio = falseAlarmRatio([cells], deal);
  assert.ok(ratio <= 0.07, `${ratio}`);
  assert.equal(falseAlarmRatio([[[0.01, -0.01, 0.01]]], { ...deal, marginRatio: 0.05 }), 0);
});
