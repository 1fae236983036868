import assert from "node:assert/strict";
import { percentileOf, poolLatency } from "../../report/figures/pool.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { PERCENTILES } from "../../runner/stats/quantile.ts";
import { censoredMeasurement, FROZEN, INTERRUPTED, TIMED_OUT } from "./censored_results.ts";
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

Deno.test("a single run keeps its percentiles as they are in the results", () => {
  const run = runOf([123, 456, 789_123]);
  const pooled = poolLatency([run]);
  assert.deepEqual(pooled.percentiles, PERCENTILES.map((p) => run.latency.percentiles[`${p}`]));
});

Deno.test("runs without a latency add nothing, not even a minimum of 0", () => {
  const empty = { ...runOf([]), histogram: "" };
  assert.equal(poolLatency([empty, runOf([5_000])]).fastest, 5);
  const { count, censored, fastest, mean, stdev, max, percentiles, ended, percentile } =
    poolLatency([empty]);
  assert.deepEqual([count, censored, fastest, mean, stdev, max, ended.count], Array(7).fill(0));
  assert.deepEqual(percentiles, PERCENTILES.map(() => 0));
  assert.deepEqual(percentile(99), { value: 0, isAtLeast: false, atMost: 0 });
});

const BOUNDS: readonly [number, number, number, boolean, string][] = [
  [100, 0, 99.99, false, "without lower bounds no percentile is one"],
  [100, 2, 99, true, "with two lower bounds among a hundred p99 may be any larger"],
  [100, 1, 99, false, "with one among a hundred p99 is not reached"],
  [100, 2, 95, false, "with two among a hundred p95 is not reached"],
  [10, 10, 50, true, "where all are lower bounds the median is one too"],
];
for (const [count, censored, p, expected, sentence] of BOUNDS) {
  Deno.test(`of results that only count them, ${sentence}`, () => {
    const run = runOf(Array(count).fill(7_000), censored);
    const { isAtLeast, atMost } = poolLatency([run]).percentile(p);
    assert.deepEqual([isAtLeast, atMost], [expected, expected ? Infinity : 7]);
  });
}

Deno.test("a server that froze has a p95 of the requests that were never sent, as a lower bound", () => {
  const pooled = poolLatency([censoredMeasurement(FROZEN)]);
  const sorted = FROZEN.requests.map(({ ms }) => ms).sort((a, b) => a - b);
  const p95 = pooled.percentile(95);
  closeTo(p95.value, sorted[949], 0.001);
  assert.ok(p95.value > 1_700);
  assert.deepEqual([p95.isAtLeast, p95.atMost], [true, Infinity]);
  // 393 of 1,000 are bounds: half of all were answered, whatever became of these.
  const p50 = pooled.percentile(50);
  closeTo(p50.atMost, 10, 0.001);
  assert.deepEqual(["mean", "max", 99].map((of) => pooled.isAtLeast(of as 99)), [true, true, true]);
  assert.deepEqual([pooled.ended.count, pooled.fastest], [607, 5]);
});

Deno.test("a closed loop's bounds tell nothing of the times below which they began to count", () => {
  const pooled = poolLatency([censoredMeasurement(INTERRUPTED)]);
  const p50 = pooled.percentile(50);
  closeTo(p50.value, 1_019, 0.002);
  assert.deepEqual([p50.isAtLeast, p50.atMost], [true, Infinity]);
});

Deno.test("percentiles that time-outs can't reach are exact, those that they could are lower bounds", () => {
  const pooled = poolLatency([censoredMeasurement(TIMED_OUT)]);
  const marks = PERCENTILES.map((p) => pooled.isAtLeast(p));
  assert.deepEqual(marks, [false, false, false, false, true, true, true]);
  assert.equal(pooled.percentile(95).atMost, pooled.percentile(95).value);
  assert.equal(percentileOf(pooled, 99), 1_000);
});

Deno.test("of several runs all bounds are pooled, and one without them dilutes them", () => {
  const clean = { ...TIMED_OUT, requests: TIMED_OUT.requests.filter(({ as }) => as !== "timeout") };
  const runs = [TIMED_OUT, clean, clean].map(censoredMeasurement);
  const pooled = poolLatency(runs);
  assert.deepEqual([pooled.count, pooled.censored], [10_000 + 2 * 9_800, 200]);
  assert.deepEqual([pooled.isAtLeast(99), pooled.isAtLeast(99.9)], [false, true]);
  closeTo(pooled.percentile(99).value, 14, 0.001);
});

Deno.test("what a run's results name as lower bounds is what its report marks", () => {
  for (const load of [FROZEN, INTERRUPTED, TIMED_OUT]) {
    const run = censoredMeasurement(load);
    const pooled = poolLatency([run]);
    const figures = [...PERCENTILES, "mean", "max"] as const;
    assert.deepEqual(
      figures.filter((figure) => pooled.isAtLeast(figure)).map(String),
      run.latency.lowerBounds,
    );
  }
});
