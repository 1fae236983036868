import assert from "node:assert/strict";
import { PERCENTILES } from "../../runner/stats/percentiles.ts";
import { encodeHistogram } from "../../runner/stats/hdr.ts";
import { Histogram } from "../../runner/stats/histogram.ts";
import { isLowerBound, poolLatency } from "../../report/pool.ts";
import { distributionOf, randomFrom } from "./intervals.ts";

type Latent = Parameters<typeof poolLatency>[0][number];

function runOf(valuesUs: readonly number[], censored = 0): Latent {
  const histogram = new Histogram();
  for (const us of valuesUs) histogram.record(us);
  return {
    latency: {
      ...distributionOf(histogram),
      clock: "sent",
      censored,
      fastest: histogram.minUs / 1_000,
    },
    histogram: encodeHistogram(histogram.toSparse()),
  };
}

function closeTo(actual: number, expected: number, share: number): void {
  assert.ok(Math.abs(actual - expected) <= expected * share, `${actual} is not ${expected}`);
}

Deno.test("pooled runs have the moments and percentiles of all their values together", () => {
  const random = randomFrom(1);
  const fast = Array.from({ length: 9_000 }, () => Math.round(100 + random() * 100));
  const slow = Array.from({ length: 1_000 }, () => Math.round(10_000 + random() * 90_000));
  const all = [...fast, ...slow].sort((a, b) => a - b);
  const pooled = poolLatency([runOf(fast, 2), runOf(slow, 3)]);
  const mean = all.reduce((total, us) => total + us, 0) / all.length;
  const variance = all.reduce((total, us) => total + (us - mean) ** 2, 0) / all.length;
  assert.equal(pooled.count, 10_000);
  assert.equal(pooled.censored, 5);
  assert.equal(pooled.fastest, all[0] / 1_000);
  assert.equal(pooled.max, all[all.length - 1] / 1_000);
  closeTo(pooled.mean, mean / 1_000, 1e-9);
  closeTo(pooled.stdev, Math.sqrt(variance) / 1_000, 1e-9);
  PERCENTILES.forEach((p, i) => {
    const naive = all[Math.max(0, Math.floor(p / 100 * all.length + 0.5) - 1)] / 1_000;
    closeTo(pooled.percentiles[i], naive, 0.001);
  });
});

Deno.test("a pooled p99 is not the mean of the runs' p99", () => {
  const pooled = poolLatency([
    runOf(Array(990).fill(1_000)),
    runOf(Array(10).fill(100_000)),
  ]);
  assert.equal(pooled.percentiles[PERCENTILES.indexOf(99)], 1);
});

Deno.test("a single run keeps its percentiles as they are in the results", () => {
  const run = runOf([123, 456, 789_123]);
  const pooled = poolLatency([run]);
  assert.deepEqual(pooled.percentiles, PERCENTILES.map((p) => run.latency.percentiles[`${p}`]));
});

Deno.test("runs without a latency add nothing, not even a minimum of 0", () => {
  const empty = { ...runOf([]), histogram: "" };
  assert.equal(poolLatency([empty, runOf([5_000])]).fastest, 5);
  assert.deepEqual({ ...poolLatency([empty]), histogram: null }, {
    count: 0,
    censored: 0,
    fastest: 0,
    mean: 0,
    stdev: 0,
    max: 0,
    percentiles: PERCENTILES.map(() => 0),
    histogram: null,
  });
});

const BOUNDS: readonly [number, number, number, boolean, string][] = [
  [100, 0, 99.99, false, "without lower bounds no percentile is one"],
  [100, 2, 99, true, "with two lower bounds among a hundred p99 may be any larger"],
  [100, 1, 99, false, "with one among a hundred p99 is not reached"],
  [100, 2, 95, false, "with two among a hundred p95 is not reached"],
  [10, 10, 50, true, "where all are lower bounds the median is one too"],
];
for (const [count, censored, p, expected, sentence] of BOUNDS) {
  Deno.test(sentence, () => assert.equal(isLowerBound({ count, censored }, p), expected));
}
