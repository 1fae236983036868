/** Think times that vary: their mean, their spread, and that a seed repeats them. */
import assert from "node:assert/strict";
import { THINK_SHAPES, type ThinkShape, ThinkTimes } from "../../scenarios/pace/think_times.ts";

/** Standard deviation over the mean. */
const SPREAD: Record<ThinkShape, number> = {
  exponential: 1,
  lognormal: 1,
  uniform: 1 / Math.sqrt(3),
};

function taken(shape: ThinkShape, seed: number, count: number): number[] {
  const times = new ThinkTimes(seed);
  return Array.from({ length: count }, () => times.take(3_000, shape));
}

for (const shape of THINK_SHAPES) {
  Deno.test(`${shape} think times have their mean and spread, and are never negative`, () => {
    const values = taken(shape, 7, 100_000);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    assert.ok(Math.abs(mean / 3_000 - 1) < 0.02, `mean ${mean}`);
    assert.ok(Math.abs(Math.sqrt(variance) / mean / SPREAD[shape] - 1) < 0.05, `${variance}`);
    assert.ok(Math.min(...values.slice(0, 1_000)) >= 0);
  });

  Deno.test(`${shape} think times are repeated by their seed alone`, () => {
    assert.deepEqual(taken(shape, 1, 5), taken(shape, 1, 5));
    assert.notDeepEqual(taken(shape, 1, 5), taken(shape, 2, 5));
  });
}
