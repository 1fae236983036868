/** Exponential histograms, by the definition of their buckets. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { exponentialBuckets, SCALE } from "../../runner/stats/histogram/exponential.ts";
import { EMPTY, Histogram } from "../../runner/stats/histogram/histogram.ts";
import { HIGHEST_US } from "../../runner/stats/histogram/histogram_counts.ts";
import { forAll } from "../for_all.ts";

const SEED = 20_240_119;
const BASE = 2 ** (2 ** -SCALE);
const timeUs = fc.double({ min: 0, max: Math.log2(HIGHEST_US), noNaN: true }).map((exponent) =>
  Math.round(2 ** exponent)
);

function bucketsOf(values: readonly number[]): ReturnType<typeof exponentialBuckets> {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return exponentialBuckets(histogram.toSparse());
}

Deno.test("an exact value is in the bucket whose ends are around it, and its upper end belongs to it", () => {
  forAll([fc.integer({ min: 1, max: 2_047 })], (value) => {
    const { offset, counts, zeros } = bucketsOf([value]);
    assert.deepEqual([counts, zeros], [[1], 0]);
    assert.ok(BASE ** offset < value / 1e6 * (1 + 1e-12));
    assert.ok(value / 1e6 <= BASE ** (offset + 1) * (1 + 1e-12));
  }, { seed: SEED });
  const exact = (seconds: number): number => Math.log2(seconds) * 2 ** SCALE - 1;
  for (const us of [15_625, 31_250, 62_500, 125_000, 250_000, 500_000]) {
    const { offset } = bucketsOf([us]);
    assert.ok(Math.abs(offset - exact(us / 1e6)) <= 1, `${us}`);
  }
});

Deno.test("every value is counted, and a percentile read from the buckets is within 0.3 % of the histogram's", () => {
  forAll([fc.array(timeUs, { minLength: 1, maxLength: 400 })], (values) => {
    const histogram = new Histogram();
    for (const value of values) histogram.record(value);
    const { offset, counts, zeros } = exponentialBuckets(histogram.toSparse());
    assert.equal(counts.reduce((sum, count) => sum + count, zeros), values.length);
    for (const level of [1, 50, 90, 99, 100]) {
      const us = histogram.valueAtPercentile(level);
      const rank = Math.max(1, Math.ceil(level * values.length / 100 - 1e-9));
      let seen = zeros;
      let at = -1;
      while (seen < rank) seen += counts[++at];
      const read = at < 0 ? 0 : BASE ** (offset + at + 0.5) * 1e6;
      assert.ok(Math.abs(read - us) <= 0.003 * us + 1e-9, `p${level}: ${read}, not ${us}`);
    }
  }, { seed: SEED });
});

Deno.test("values of 0 are in no bucket, and nothing has none", () => {
  assert.deepEqual(bucketsOf([0, 0]), { offset: 0, counts: [], zeros: 2 });
  assert.deepEqual(bucketsOf([0, 5]).counts, [1]);
  assert.equal(bucketsOf([0, 5]).zeros, 1);
  assert.deepEqual(exponentialBuckets(EMPTY), { offset: 0, counts: [], zeros: 0 });
});
