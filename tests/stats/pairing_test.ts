import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { varianceOfPairs } from "../../runner/stats/comparison/pairing.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";

const sumOfSquares = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
};

/** In how many of all cases the 95 % interval misses the true difference. @param block Standard deviation between repetitions, that within being 1. */
function misses(pairs: number, block: number, difference = 0, isPaired = false): number {
  const random = new Random(100 * pairs + block);
  const cases = 4_000;
  let missed = 0;
  for (let i = 0; i < cases; i++) {
    const shared = Array.from({ length: pairs }, () => block * random.normal());
    const [one, other] = [0, 1].map(() => shared.map((value) => value + random.normal()));
    const differences = one.map((value, at) => difference + value - other[at]);
    const paired = {
      variance: sumOfSquares(differences) / (pairs - 1) / pairs,
      degreesOfFreedom: pairs - 1,
    };
    const apart = (sumOfSquares(one) + sumOfSquares(other)) / (pairs - 1) / pairs;
    const { variance, degreesOfFreedom } = isPaired
      ? paired
      : varianceOfPairs(paired, apart, pairs);
    const mean = differences.reduce((sum, value) => sum + value, 0) / pairs;
    if (Math.abs(mean) > tQuantile(0.95, degreesOfFreedom) * Math.sqrt(variance)) missed++;
  }
  return missed / cases;
}

Deno.test("pairs: intervals miss in 1 of 20, whatever repetitions have in common", () => {
  for (const pairs of [4, 5, 7, 10]) {
    for (const block of [0, 0.3, 0.7, 1, 2]) {
      const found = misses(pairs, block);
      assert.ok(found < 0.063, `${pairs} pairs, ${block}: ${found}`);
    }
  }
});

Deno.test("pairs: where repetitions have nothing in common all runs tell more than pairs alone", () => {
  const [pooled, paired] = [false, true].map((isPaired) => misses(5, 0, 1.6, isPaired));
  assert.ok(pooled > paired + 0.03, `${pooled} after ${paired}`);
});

Deno.test("pairs: what slows a whole repetition leaves pairs alone, and no variance is lowered", () => {
  const paired = { variance: 1, degreesOfFreedom: 4 };
  assert.deepEqual(varianceOfPairs(paired, 3.1, 5), paired);
  assert.deepEqual(varianceOfPairs(paired, 0.5, 5), paired);
  assert.deepEqual(varianceOfPairs(paired, 0.8, 5), { variance: 1, degreesOfFreedom: 7 });
  assert.deepEqual(varianceOfPairs(paired, 1.5, 5), { variance: 1.5, degreesOfFreedom: 7 });
  assert.deepEqual(varianceOfPairs({ ...paired, variance: 0 }, 0, 5).degreesOfFreedom, 4);
});
