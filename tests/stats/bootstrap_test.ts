import assert from "node:assert/strict";
import { bootstrap, type BootstrapOptions, type Estimate } from "../../runner/stats/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram.ts";
import type { Block, Figure } from "../../runner/stats/pool.ts";
import { quantileOf } from "../../runner/stats/quantile.ts";
import plain from "./data/bootstrap.json" with { type: "json" };
import hierarchical from "./data/hierarchical.json" with { type: "json" };

function blockOf(values: readonly number[], completed = values.length): Block {
  const latency = new Histogram();
  for (const value of values) latency.record(value);
  return { seconds: 1, completed, latency: latency.toSparse() };
}

function estimate(
  runs: Block[][],
  figure: Figure,
  options: Partial<BootstrapOptions> = {},
): Estimate {
  const [found] = bootstrap(runs, { figures: [figure], seed: 1, ...options });
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
    );
    assert.deepEqual(byRun, values);
    const sorted = logDraws.toSorted();
    assertRelative(value * Math.exp(quantileOf(sorted, 0.025)), low, 0.002);
    assertRelative(value * Math.exp(quantileOf(sorted, 0.975)), high, 0.002);
    const unbiased = Math.sqrt(values.length / (values.length - 1));
    assertRelative(logStandardError, unbiased * standardError / value, 0.03);
  });
}

for (const { figure, stdev, low, high } of hierarchical.cases) {
  Deno.test(`runs and blocks drawn: ${figure} of latency spreads as in NumPy`, () => {
    const runs = hierarchical.runs.map((run) => run.map((values) => blockOf(values)));
    const { value, logDraws } = estimate(runs, figure === "mean" ? "mean" : Number(figure));
    const sorted = logDraws.toSorted();
    assertRelative(stdevOf(logDraws), stdev, 0.03);
    assertRelative(value * Math.exp(quantileOf(sorted, 0.025)), low, 0.01);
    assertRelative(value * Math.exp(quantileOf(sorted, 0.975)), high, 0.01);
  });
}

const RUNS = [[blockOf([100, 200]), blockOf([150])], [blockOf([120, 130]), blockOf([400])], [
  blockOf([90]),
  blockOf([170]),
]];

Deno.test("the same seed draws the same, another one otherwise", () => {
  const draws = (seed: number): Float64Array =>
    estimate(RUNS, "mean", { seed, resamples: 100 }).logDraws;
  assert.deepEqual(draws(7), draws(7));
  assert.notDeepEqual(draws(7), draws(8));
});

Deno.test("the standard error comes of the differences between runs, not of those inside them", () => {
  const wildInside = Array.from({ length: 4 }, () => [blockOf([], 10), blockOf([], 1_000)]);
  const { logStandardError, logDraws } = estimate(wildInside, "rate");
  assert.equal(logStandardError, 0);
  assert.ok(stdevOf(logDraws) > 0.1);
});

Deno.test("one run has a value and draws, and no standard error", () => {
  const { value, logStandardError, logDraws } = estimate([RUNS[1]], "mean");
  assert.equal(value, 650 / 3);
  assert.ok(Number.isNaN(logStandardError));
  assert.ok(stdevOf(logDraws) > 0);
});

Deno.test("there is no estimate where a run may come up that has nothing", () => {
  const [rate, p50] = bootstrap([[blockOf([], 10)], [blockOf([], 0)]], {
    figures: ["rate", 50],
    seed: 1,
  });
  assert.deepEqual([rate, p50], [null, null]);
});
