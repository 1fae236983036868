/** How much each value of a factor moves a percentile of all requests. */
import assert from "node:assert/strict";
import {
  distributionOf,
  quantileEffects,
  type RunDistribution,
} from "../../runner/stats/regression/quantile_regression.ts";
import { Histogram, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { heldShare, TAIL_CASES } from "../../bench/statistics/tail_effects.ts";
import { Random } from "../../bench/statistics/random.ts";

const OPTIONS = { share: 0.99, seed: 1, draws: 20 };

function requests(random: Random, medianUs: number): Histogram {
  const histogram = new Histogram();
  for (let i = 0; i < 2_000; i++) {
    histogram.record(Math.round(medianUs * Math.exp(0.5 * random.normal())));
  }
  return histogram;
}

const of = (histogram: Histogram): RunDistribution => {
  const found = distributionOf(histogram.toSparse());
  assert.ok(found !== null);
  return found;
};

Deno.test("of two cells the effect is the ratio of their percentiles", () => {
  const random = new Random(1);
  const [one, other] = [requests(random, 1_000), requests(random, 3_000)];
  const cells = [
    { row: [1, 0], runs: [of(one), of(one)] },
    { row: [1, 1], runs: [of(other), of(other)] },
  ];
  const found = quantileEffects(cells, OPTIONS);
  const ratio = valueAtPercentile(other.toSparse(), 99) / valueAtPercentile(one.toSparse(), 99);
  assert.ok(found !== null);
  assert.ok(Math.abs(Math.exp(found[1].value) / ratio - 1) < 0.01, `${found[1].value}`);
  // Runs that do not differ leave nothing in doubt.
  assert.ok(found[1].high - found[1].low < 1e-3);
});

Deno.test("effects that multiply are told apart, and each request above the fit is paid for below", () => {
  const random = new Random(2);
  const cells = [[0, 0], [0, 1], [1, 0], [1, 1]].map(([a, b]) => ({
    row: [1, a, b],
    runs: Array.from({ length: 3 }, () => of(requests(random, 1_000 * 2 ** a * 1.5 ** b))),
  }));
  const found = quantileEffects(cells, OPTIONS);
  assert.ok(found !== null);
  assert.ok(Math.abs(Math.exp(found[1].value) - 2) < 0.2, `${Math.exp(found[1].value)}`);
  assert.ok(Math.abs(Math.exp(found[2].value) - 1.5) < 0.15, `${Math.exp(found[2].value)}`);
});

Deno.test("a single run says nothing of how runs differ, and an empty one has no distribution", () => {
  const run = of(requests(new Random(3), 1_000));
  const cells = [{ row: [1, 0], runs: [run] }, { row: [1, 1], runs: [run, run] }];
  assert.equal(quantileEffects(cells, OPTIONS), null);
  assert.equal(distributionOf(new Histogram().toSparse()), null);
});

Deno.test("intervals hold what factors do in nine of ten experiments, and more", () => {
  const random = new Random(4);
  const cases = 20;
  const held = Array.from({ length: cases }, (_, seed) => heldShare(random, TAIL_CASES[0], seed));
  assert.ok(held.reduce((sum, share) => sum + share, 0) / cases >= 0.85, `${held}`);
});
