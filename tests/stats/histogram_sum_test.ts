import assert from "node:assert/strict";
import fc from "fast-check";
import {
  Histogram,
  mergeHistograms,
  type SparseHistogram,
} from "../../runner/stats/histogram/histogram.ts";
import { HistogramSum } from "../../runner/stats/histogram/histogram.ts";
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
