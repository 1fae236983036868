import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { moderated, variancePriorOf } from "../../runner/stats/comparison/moderation.ts";

const of = (variances: readonly number[], degreesOfFreedom = 4) =>
  variances.map((variance) => ({ variance, degreesOfFreedom }));

/** Variances that chance finds of 4 degrees of freedom, times what each is truly. */
function found(seed: number, truths: readonly number[]): number[] {
  const random = new Random(seed);
  return truths.map((truth) => truth * chiSquare(random, 4) / 4);
}

function chiSquare(random: Random, degreesOfFreedom: number): number {
  return Array.from({ length: degreesOfFreedom }, () => random.normal() ** 2)
    .reduce((sum, square) => sum + square, 0);
}

Deno.test("variances: five comparisons lend nothing, nor those of which one has no spread", () => {
  assert.equal(variancePriorOf(of([1, 2, 3, 4, 5])), null);
  assert.equal(variancePriorOf(of([1, 2, 3, 4, 5, 0])), null);
});

Deno.test("variances: those that differ less than by chance share what all of them know", () => {
  const prior = variancePriorOf(of(Array(20).fill(3)));
  assert.equal(prior?.degreesOfFreedom, 19 * 4);
});

Deno.test("variances: what they share does not depend on which of them comes first", () => {
  const few = of(Array(19).fill(3), 2);
  const [many] = of([3], 40);
  assert.deepEqual(variancePriorOf([many, ...few]), variancePriorOf([...few, many]));
});

Deno.test("variances: of one truth, 20 lend each other 8 degrees of freedom or more in half of all experiments, never fewer than 2", () => {
  const lent = Array.from({ length: 200 }, (_, seed) => {
    const prior = variancePriorOf(of(found(seed, Array(20).fill(0.0004))));
    assert.ok(prior !== null && prior.variance > 0.0002 && prior.variance < 0.0008);
    return prior.degreesOfFreedom;
  });
  assert.ok(lent.filter((degreesOfFreedom) => degreesOfFreedom >= 8).length >= 100);
  assert.ok(Math.min(...lent) >= 2, `${Math.min(...lent)}`);
});

Deno.test("variances: where half of all are 25 times the others, each keeps to its own", () => {
  const truths = Array.from({ length: 20 }, (_, i) => i % 2 === 0 ? 1 : 25);
  for (let seed = 0; seed < 100; seed++) {
    const prior = variancePriorOf(of(found(seed, truths)));
    assert.ok(prior !== null && prior.degreesOfFreedom < 4, `${prior?.degreesOfFreedom}`);
  }
});

Deno.test("variances: a small one is raised, a large one never lowered", () => {
  const prior = { variance: 1, degreesOfFreedom: 12 };
  assert.deepEqual(moderated({ variance: 0.2, degreesOfFreedom: 4 }, prior), {
    variance: 0.8,
    degreesOfFreedom: 16,
  });
  assert.deepEqual(moderated({ variance: 25, degreesOfFreedom: 4 }, prior), {
    variance: 25,
    degreesOfFreedom: 16,
  });
});
