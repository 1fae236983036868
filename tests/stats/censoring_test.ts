import assert from "node:assert/strict";
import fc from "fast-check";
import {
  isMovable,
  mostUs,
  productLimitUs,
  withoutBounds,
} from "../../runner/stats/histogram/censoring.ts";
import {
  Histogram,
  type SparseHistogram,
  valueAtPercentile,
} from "../../runner/stats/histogram/histogram.ts";
import { Pool } from "../../runner/stats/confidence/pool.ts";
import { Random } from "../../bench/statistics/random.ts";
import { forAll } from "../for_all.ts";

const SEED = 19_580_601;

interface Sample {
  readonly all: SparseHistogram;
  readonly censored: SparseHistogram;
}

function sampleOf(ended: readonly number[], bounds: readonly number[]): Sample {
  const [all, censored] = [new Histogram(), new Histogram()];
  for (const us of [...ended, ...bounds]) all.record(us);
  for (const us of bounds) censored.record(us);
  return { all: all.toSparse(), censored: censored.toSparse() };
}

/** Every value by itself, as the paper has it (§2): the share that survives each time that ended. */
function byHand(ended: readonly number[], bounds: readonly number[], percentile: number): number {
  let surviving = 1;
  for (const time of [...new Set(ended)].sort((a, b) => a - b)) {
    const atRisk = [...ended, ...bounds].filter((other) => other >= time).length;
    surviving *= 1 - ended.filter((other) => other === time).length / atRisk;
    if (surviving <= 1 - percentile / 100 + 1e-12) return time;
  }
  return Math.max(...ended, ...bounds);
}

// Exact buckets, so that the values by themselves are the same.
const times = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 40 });
const percentiles = fc.constantFrom(1, 10, 50, 75, 90, 99, 99.9);

Deno.test("the product limit is that of every value by itself", () => {
  forAll([times, fc.array(fc.integer({ min: 1, max: 2_000 })), percentiles], (ended, bounds, p) => {
    const { all, censored } = sampleOf(ended, bounds);
    assert.equal(productLimitUs(all, censored, p), byHand(ended, bounds, p));
  }, { seed: SEED });
});

Deno.test("the example of Kaplan and Meier's paper: 0.8, 1.0+, 2.7+, 3.1, 5.4, 7.0+, 9.2, 12.1+ months", () => {
  const { all, censored } = sampleOf([8, 31, 54, 92], [10, 27, 70, 121]);
  // P(0.8) = 7/8, P(3.1) = 7/8 · 4/5 = 0.7, P(5.4) = 0.525, P(9.2) = 0.2625.
  assert.equal(productLimitUs(all, censored, 12.5), 8);
  assert.equal(productLimitUs(all, censored, 30), 31);
  assert.equal(productLimitUs(all, censored, 47), 54);
  assert.equal(productLimitUs(all, censored, 73.75), 92);
  assert.equal(productLimitUs(all, censored, 90), 121, "not reached: the longest bound");
});

Deno.test("without bounds every percentile is that of the histogram", () => {
  forAll([times, percentiles], (ended, p) => {
    const { all, censored } = sampleOf(ended, []);
    const plain = valueAtPercentile(all, p);
    assert.equal(productLimitUs(all, censored, p), plain);
    assert.equal(mostUs(all, censored, p), plain);
    assert.equal(isMovable(all, censored, p), false);
  }, { seed: SEED });
});

Deno.test("whatever the bounds turn out to be, a percentile stays between its least and its most", () => {
  const longer = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 40, maxLength: 40 });
  const bounds = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 40 });
  forAll([times, bounds, longer, percentiles], (ended, bounds, longer, p) => {
    const { all, censored } = sampleOf(ended, bounds);
    const truth = sampleOf([...ended, ...bounds.map((us, i) => us + longer[i])], []).all;
    const trueUs = valueAtPercentile(truth, p);
    assert.ok(trueUs >= valueAtPercentile(all, p), "least");
    assert.ok(trueUs <= mostUs(all, censored, p) * 1.001, "most");
    const limitUs = productLimitUs(all, censored, p);
    assert.ok(limitUs >= valueAtPercentile(all, p) && limitUs <= mostUs(all, censored, p));
  }, { seed: SEED });
});

Deno.test("a percentile can move only where bounds lie below it, or it is one of them", () => {
  const ended = Array.from({ length: 98 }, (_, i) => 100 + i);
  const { all, censored } = sampleOf(ended, [5_000, 5_000]);
  assert.equal(isMovable(all, censored, 90), false);
  assert.equal(isMovable(all, censored, 99), true);
  const early = sampleOf(ended, [1, 1]);
  assert.equal(isMovable(early.all, early.censored, 90), true);
});

Deno.test("what is left without the bounds is what ended", () => {
  forAll([times, fc.array(fc.integer({ min: 1, max: 2_000 }))], (ended, bounds) => {
    const { all, censored } = sampleOf(ended, bounds);
    assert.deepEqual(withoutBounds(all, censored), sampleOf(ended, []).all);
  }, { seed: SEED });
});

Deno.test("a pool's percentile is the product limit, within a bucket", () => {
  forAll([times, fc.array(fc.integer({ min: 1, max: 2_000 })), percentiles], (ended, bounds, p) => {
    const { all, censored } = sampleOf(ended, bounds);
    const pool = new Pool([{ seconds: 1, completed: ended.length, latency: all, censored }]);
    const found = pool.figure(p, Float64Array.of(1));
    assert.ok(Math.abs(found - productLimitUs(all, censored, p)) <= 0.5 + 1e-6);
  }, { seed: SEED });
});

Deno.test("exponential times cut off by the clock: the product limit is right where bounds as values are not", () => {
  const random = new Random(1);
  const [ended, bounds]: [number[], number[]] = [[], []];
  for (let i = 0; i < 20_000; i++) {
    const [takes, watched] = [-1_000 * Math.log(1 - random.uniform()), random.uniform(0, 1_500)];
    if (takes <= watched) ended.push(takes);
    else bounds.push(watched);
  }
  const { all, censored } = sampleOf(ended, bounds);
  assert.ok(Math.abs(productLimitUs(all, censored, 50) / (1_000 * Math.LN2) - 1) < 0.03);
  assert.ok(valueAtPercentile(all, 50) < 600);
});

Deno.test("bounds that a file has beside its values take none of them away, and end", () => {
  const { all } = sampleOf([5, 6], []);
  const { censored } = sampleOf([], [6, 9]);
  assert.deepEqual([...withoutBounds(all, censored).indices], [5]);
});
