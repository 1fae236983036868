import assert from "node:assert/strict";
import fc from "fast-check";
import {
  CompactHistogram,
  Histogram,
  HistogramSum,
  mergeHistograms,
  type SparseHistogram,
} from "../../runner/stats/histogram/histogram.ts";
import { forAll } from "../for_all.ts";

const SEED = 20_261_121;

function histogramOf(values: readonly number[]): SparseHistogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.toSparse();
}

const parts = fc.array(fc.array(fc.nat(5_000_000), { maxLength: 5 }).map(histogramOf), {
  maxLength: 200,
});

Deno.test("a sum of histograms is that of all of them at once, also when it goes on after it was asked", () => {
  forAll([parts, parts], (some, more) => {
    const sum = new HistogramSum();
    for (const part of some) sum.add(part);
    assert.deepEqual(sum.whole(), mergeHistograms(some).toSparse());
    for (const part of more) sum.add(part);
    assert.deepEqual(sum.whole(), mergeHistograms([...some, ...more]).toSparse());
    assert.deepEqual(sum.whole(), mergeHistograms([...some, ...more]).toSparse());
  }, { seed: SEED });
});

Deno.test("histograms of many steps add up their parts in different intervals, and none all of them", () => {
  const [steps, intervals] = [128, 200];
  const histograms = Array.from({ length: steps }, () => new CompactHistogram());
  const addSparse = Histogram.prototype.addSparse;
  const added: number[] = [];
  let inInterval = 0;
  Histogram.prototype.addSparse = function (part): void {
    inInterval++;
    addSparse.call(this, part);
  };
  try {
    for (let interval = 0; interval < intervals; interval++) {
      inInterval = 0;
      for (const histogram of histograms) {
        histogram.fresh.record(1_000 + interval);
        histogram.take();
      }
      added.push(inInterval);
    }
  } finally {
    Histogram.prototype.addSparse = addSparse;
  }
  // In any 64 intervals each sum is made once, of 65 parts: that of two steps in each interval.
  assert.deepEqual(new Set(added.slice(64)), new Set([2 * 65]));
  assert.ok(Math.max(...added) <= 2 * 65);
  for (const histogram of histograms) assert.equal(histogram.whole().count, intervals);
});
