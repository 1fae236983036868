import assert from "node:assert/strict";
import {
  bootstrap,
  type BootstrapOptions,
  type Estimate,
  estimateOfMean,
} from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { PooledFigure, RunBlock } from "../../runner/stats/confidence/pool.ts";
import { quantileOf } from "../../runner/stats/quantile.ts";
import plain from "./data/bootstrap.json" with { type: "json" };

function blockOf(values: readonly number[], completed = values.length): RunBlock {
  const latency = new Histogram();
  for (const value of values) latency.record(value);
  return { seconds: 1, completed, latency: latency.toSparse() };
}

function estimate(
  runs: RunBlock[][],
  figure: PooledFigure,
  options: Partial<BootstrapOptions> = {},
): Estimate {
  const [found] = bootstrap(runs, { figures: [figure], ...options });
  assert.ok(found, "no estimate");
  return found;
}

function assertRelative(found: number, expected: number, within: number): void {
  assert.ok(
    Math.abs(found / expected - 1) <= within,
    `${found}, not ${expected} within ${within * 100} %`,
  );
}

function stdevOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

for (const { values, standardError, low, high } of plain.cases) {
  Deno.test(`the rate of ${values.length} runs of one block spreads as SciPy's bootstrap of their mean`, () => {
    const { value, byRun, logStandardError, logDraws } = estimate(
      values.map((rate) => [blockOf([], rate)]),
      "rate",
      { resamples: 10_000 },
    );
    assert.deepEqual(byRun, values);
    const sorted = logDraws.toSorted();
    assertRelative(value * Math.exp(quantileOf(sorted, 0.025)), low, 0.002);
    assertRelative(value * Math.exp(quantileOf(sorted, 0.975)), high, 0.002);
    const unbiased = Math.sqrt(values.length / (values.length - 1));
    assertRelative(logStandardError, unbiased * standardError / value, 0.03);
  });
}

Deno.test("a draw is the percentile of all values of the runs drawn, and every set of runs comes up", () => {
  const values = [[100, 200, 300, 400], [120, 130, 150], [900, 1_000, 1_100, 1_200, 1_300]];
  const { value, logDraws } = estimate(values.map((run) => [blockOf(run)]), 50);
  const runs = [0, 1, 2];
  const possible = runs.flatMap((a) => runs.flatMap((b) => runs.map((c) => [a, b, c])))
    .map((drawn) => medianBetween(drawn.flatMap((run) => values[run])));
  const found = new Set([...logDraws].map((draw) => (value * Math.exp(draw)).toFixed(6)));
  assert.deepEqual([...found].sort(), [...new Set(possible.map((one) => one.toFixed(6)))].sort());
});

/** Of whole values, each of which stands for the microsecond about it. */
function medianBetween(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = sorted.length / 2;
  const at = sorted[Math.ceil(rank) - 1];
  const below = sorted.filter((one) => one < at).length;
  const inside = sorted.filter((one) => one === at).length;
  return at - 0.5 + (rank - below) / inside;
}

const RUNS = [[blockOf([100, 200]), blockOf([150])], [blockOf([120, 130]), blockOf([400])], [
  blockOf([90]),
  blockOf([170]),
]];

Deno.test("runs of the same repetitions draw the same of them, those of others otherwise", () => {
  const draws = (repetitions: number[]): Float64Array =>
    estimate(RUNS, "mean", { sampling: { session: "s", repetitions }, resamples: 100 }).logDraws;
  assert.deepEqual(draws([1, 2, 3]), draws([1, 2, 3]));
  assert.notDeepEqual(draws([1, 2, 3]), draws([1, 2, 4]));
});

Deno.test("some of the repetitions are estimated as if the others had not been made", () => {
  const sampling = { session: "s", repetitions: [1, 2, 4] };
  const some = estimate(RUNS, "mean", { sampling }).of([4, 2]);
  const alone = estimate(RUNS.slice(1), "mean", {
    sampling: { session: "s", repetitions: [2, 4] },
  });
  assert.ok(some);
  const { of: _, ...rest } = some;
  const { of: __, ...expected } = alone;
  assert.deepEqual(rest, expected);
  assert.equal(some.of([1]), null);
});

Deno.test("the standard error comes of the differences between runs, not of those inside them", () => {
  const wildInside = Array.from({ length: 4 }, () => [blockOf([], 10), blockOf([], 1_000)]);
  const { logStandardError, logDraws } = estimate(wildInside, "rate");
  assert.equal(logStandardError, 0);
  assert.equal(stdevOf(logDraws), 0);
});

Deno.test("one run has a value, and no standard error", () => {
  const { value, logStandardError } = estimate([RUNS[1]], "mean");
  assert.equal(value, 650 / 3);
  assert.ok(Number.isNaN(logStandardError));
});

Deno.test("the mean of what runs have one value of is drawn with the runs", () => {
  const sampling = { session: "s", repetitions: [1, 2, 3] };
  const rates = estimate([10, 20, 60].map((rate) => [blockOf([], rate)]), "rate", { sampling });
  const means = estimateOfMean([10, 20, 60], sampling);
  assert.ok(means);
  assert.equal(means.value, 30);
  means.logDraws.forEach((draw, i) => assert.ok(Math.abs(draw - rates.logDraws[i]) < 1e-12));
  assert.equal(estimateOfMean([0, 0, 1], sampling), null);
});

Deno.test("there is no estimate where a run may come up that has nothing", () => {
  const [rate, p50] = bootstrap([[blockOf([], 10)], [blockOf([], 0)]], { figures: ["rate", 50] });
  assert.deepEqual([rate, p50], [null, null]);
});
