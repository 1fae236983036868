import assert from "node:assert/strict";
import fc from "fast-check";
import { mergeBlocks, Pool, type RunBlock } from "../../runner/stats/confidence/pool.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { forAll } from "../for_all.ts";

const SEED = 19_790_101;
const ONCE = Float64Array.of(1);

function blockOf(values: readonly number[], seconds = 1): RunBlock {
  const latency = new Histogram();
  for (const value of values) latency.record(value);
  return { seconds, completed: values.length, latency: latency.toSparse() };
}

const timesUs = fc.array(fc.integer({ min: 1, max: 2_000_000 }), { maxLength: 60 });

Deno.test("a percentile of weighted blocks is that of the added histograms, within a bucket", () => {
  const blocks = fc.array(fc.tuple(timesUs, fc.integer({ min: 0, max: 4 })), {
    minLength: 1,
    maxLength: 6,
  });
  forAll([blocks, fc.double({ min: 0.1, max: 99.9, noNaN: true })], (weighted, percentile) => {
    const merged = new Histogram();
    for (const [values, weight] of weighted) {
      for (let i = 0; i < weight; i++) merged.addSparse(blockOf(values).latency);
    }
    const pool = new Pool(weighted.map(([values]) => blockOf(values)));
    const found = pool.figure(percentile, Float64Array.from(weighted, ([, weight]) => weight));
    if (merged.count === 0) assert.ok(Number.isNaN(found));
    else {
      const highest = merged.valueAtPercentile(percentile);
      assert.ok(
        found <= highest * 1.001 + 0.5 && found >= highest * 0.998 - 1.5,
        `${found}, not ${highest}`,
      );
    }
  }, { seed: SEED });
});

Deno.test("a percentile lies between the whole microseconds that were counted", () => {
  const pool = new Pool([blockOf([...new Array(50).fill(100), ...new Array(50).fill(101)])]);
  assert.equal(pool.figure(25, ONCE), 100);
  assert.equal(pool.figure(50, ONCE), 100.5);
  assert.equal(pool.figure(75, ONCE), 101);
});

Deno.test("the rate is of all blocks together: longer ones weigh more", () => {
  const pool = new Pool([{ ...blockOf([]), seconds: 3, completed: 30 }, {
    ...blockOf([]),
    seconds: 1,
    completed: 50,
  }]);
  assert.equal(pool.figure("rate", Float64Array.of(1, 1)), 20);
  assert.equal(pool.figure("rate", Float64Array.of(1, 3)), 30);
});

Deno.test("the mean is of all values together", () => {
  const pool = new Pool([blockOf([10, 20, 30]), blockOf([100])]);
  assert.equal(pool.figure("mean", Float64Array.of(1, 1)), 40);
  assert.equal(pool.figure("mean", Float64Array.of(0, 2)), 100);
});

Deno.test("blocks without values have a rate, but no mean and no percentile", () => {
  const pool = new Pool([blockOf([])]);
  assert.equal(pool.figure("rate", ONCE), 0);
  assert.ok(Number.isNaN(pool.figure("mean", ONCE)) && Number.isNaN(pool.figure(99, ONCE)));
});

Deno.test("merging blocks loses nothing", () => {
  const { seconds, completed, latency } = mergeBlocks([
    blockOf([1, 2], 0.25),
    blockOf([2, 900_000], 0.5),
  ]);
  assert.deepEqual([seconds, completed, latency.count, latency.sumUs], [0.75, 4, 4, 900_005]);
  const whole = blockOf([1, 2, 2, 900_000]).latency;
  assert.deepEqual([...latency.indices], [...whole.indices]);
  assert.deepEqual([...latency.counts], [...whole.counts]);
});
