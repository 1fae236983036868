import assert from "node:assert/strict";
import fc from "fast-check";
import * as hdr from "hdr-histogram-js";
import { decodeHistogram, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import {
  addSparse,
  Histogram,
  mergeHistograms,
  valueAtPercentile,
} from "../../runner/stats/histogram/histogram.ts";
import {
  BUCKETS,
  HIGHEST_US,
  highestUsOf,
  lowestUsOf,
} from "../../runner/stats/histogram/histogram_counts.ts";
import { forAll } from "../for_all.ts";

const SEED = 20_240_119;
const LEVELS = [0, 1, 50, 75, 90, 95, 99, 99.9, 99.99, 100];
/** Times over the whole range, as many short as long ones. */
const timeUs = fc.double({ min: 0, max: Math.log2(HIGHEST_US), noNaN: true }).map((exponent) =>
  Math.round(2 ** exponent)
);
const timesUs = fc.array(timeUs, { minLength: 1, maxLength: 400 });

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

Deno.test("every bucket begins one after the end of the one before, up to an hour and beyond", () => {
  for (let index = 1; index < BUCKETS; index++) {
    assert.equal(lowestUsOf(index), highestUsOf(index - 1) + 1);
  }
  assert.ok(highestUsOf(BUCKETS - 1) >= HIGHEST_US);
});

Deno.test("a percentile is the naive one of the sorted values, at most 0.1 % above, never below", () => {
  forAll([timesUs], (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const histogram = histogramOf(values);
    for (const level of LEVELS) {
      const exact = sorted[Math.max(1, Math.ceil(level * sorted.length / 100 - 1e-9)) - 1];
      const found = histogram.valueAtPercentile(level);
      assert.equal(valueAtPercentile(histogram.toSparse(), level), found);
      assert.ok(
        found >= exact && found <= exact * 1.001,
        `p${level} of ${values.length}: ${found}, not ${exact}`,
      );
    }
  }, { seed: SEED });
});

Deno.test("count, minimum, maximum, mean and deviation are exact", () => {
  forAll([timesUs], (values) => {
    const histogram = histogramOf(values);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    assert.equal(histogram.count, values.length);
    assert.equal(histogram.minUs, Math.min(...values));
    assert.equal(histogram.maxUs, Math.max(...values));
    assert.ok(Math.abs(histogram.meanUs - mean) <= mean * 1e-9);
    assert.ok(Math.abs(histogram.stdevUs - Math.sqrt(variance)) <= mean * 1e-3);
  }, { seed: SEED });
});

Deno.test("merged parts equal the histogram of all values, in any grouping", () => {
  forAll([timesUs, timesUs, timesUs], (a, b, c) => {
    const whole = histogramOf([...a, ...b, ...c]).toSparse();
    const left = histogramOf(a);
    left.add(histogramOf(b));
    left.add(histogramOf(c));
    assert.deepEqual(left.toSparse(), whole);
    assert.deepEqual(
      mergeHistograms([c, b, a].map((part) => histogramOf(part).toSparse())).toSparse(),
      whole,
    );
  }, { seed: SEED });
});

Deno.test("the sum of two is what both recorded", () => {
  const perhaps = fc.array(timeUs, { maxLength: 400 });
  forAll([perhaps, perhaps], (one, other) => {
    const sum = addSparse(histogramOf(one).toSparse(), histogramOf(other).toSparse());
    assert.deepEqual(sum, histogramOf([...one, ...other]).toSparse());
  }, { seed: SEED });
});

Deno.test("drain gives everything and leaves an empty histogram", () => {
  const histogram = histogramOf([5, 70_000, 1_000_000]);
  assert.equal(histogram.drain().count, 3);
  assert.deepEqual(histogram.toSparse(), new Histogram().toSparse());
  histogram.record(6);
  assert.deepEqual([...histogram.toSparse().indices], [6]);
});

const ODD_VALUES: readonly [number, number, string][] = [
  [-3, 0, "a time below zero is counted as zero"],
  [0.4, 0, "a fraction is rounded to the nearest microsecond, down"],
  [0.5, 1, "a fraction is rounded to the nearest microsecond, up"],
  [HIGHEST_US + 5e9, HIGHEST_US, "a time over an hour is counted as an hour"],
  [Infinity, HIGHEST_US, "an endless time is counted as an hour"],
];
for (const [given, kept, sentence] of ODD_VALUES) {
  Deno.test(sentence, () => {
    const histogram = histogramOf([given]);
    assert.equal(histogram.count, 1);
    assert.equal(histogram.maxUs, kept);
  });
}

Deno.test("an empty histogram has no percentile, mean or deviation above zero", () => {
  const histogram = new Histogram();
  assert.deepEqual([histogram.valueAtPercentile(99), histogram.meanUs, histogram.stdevUs], [
    0,
    0,
    0,
  ]);
});

Deno.test("hdr-histogram-js decodes an encoded histogram to the same counts and percentiles", () => {
  forAll([timesUs], (values) => {
    const histogram = histogramOf(values);
    const encoded = encodeHistogram(histogram.toSparse());
    assert.ok(encoded.startsWith("HISTFAAA"));
    const witness = hdr.decodeFromCompressedBase64(encoded);
    assert.equal(witness.totalCount, values.length);
    for (const level of LEVELS.filter((level) => level > 0)) {
      const theirs = Math.min(witness.getValueAtPercentile(level), histogram.maxUs);
      assert.equal(histogram.valueAtPercentile(level), theirs, `p${level}`);
    }
  }, { seed: SEED, numRuns: 30 });
});

Deno.test("a histogram that hdr-histogram-js encoded is read bucket by bucket", () => {
  const witness = hdr.build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
  });
  const values = [1, 50, 2_047, 2_048, 123_456, HIGHEST_US];
  for (const value of values) witness.recordValue(value);
  const read = decodeHistogram(hdr.encodeIntoCompressedBase64(witness));
  assert.deepEqual([...read.toSparse().indices], [...histogramOf(values).toSparse().indices]);
});

Deno.test("encoding and decoding keeps every bucket, also for counts beyond 2³²", () => {
  const histogram = histogramOf([3, 900, 5_000_000]);
  histogram.addSparse({ ...histogramOf([900]).toSparse(), counts: Float64Array.of(2 ** 40) });
  const back = decodeHistogram(encodeHistogram(histogram.toSparse())).toSparse();
  assert.deepEqual(back.indices, histogram.toSparse().indices);
  assert.deepEqual(back.counts, histogram.toSparse().counts);
});

Deno.test("what is not a histogram is refused", () => {
  assert.throws(() => decodeHistogram("AAAA"), /Cannot decode the histogram/);
});
