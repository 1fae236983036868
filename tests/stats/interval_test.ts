import assert from "node:assert/strict";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { bootstrap, type Estimate } from "../../runner/stats/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram.ts";
import { type Interval, intervalOf, pValueOf, ratioOf } from "../../runner/stats/interval.ts";
import { quantileOf } from "../../runner/stats/quantile.ts";
import reference from "./data/welch.json" with { type: "json" };

const NOTHING = new Histogram().toSparse();

/** An estimate of the rate of runs of one block each. */
function rateOf(values: readonly number[], seed: number, resamples?: number): Estimate {
  const runs = values.map((completed) => [{ seconds: 1, completed, latency: NOTHING }]);
  const [found] = bootstrap(runs, { figures: ["rate"], seed, resamples });
  assert.ok(found, "no estimate");
  return found;
}

function given(interval: Interval | null): Interval {
  assert.ok(interval, "no interval");
  return interval;
}

function assertRelative(found: number, expected: number, within: number): void {
  assert.ok(
    Math.abs(found / expected - 1) <= within,
    `${found}, not ${expected} within ${within * 100} %`,
  );
}

// Welch's interval is even on both sides, the bootstrap's as lopsided as the runs are: a quarter of a half-width.
for (const { of, to, p, df, low, high } of reference.cases) {
  Deno.test(`the ratio of ${of.length} and ${to.length} runs has the interval and p of SciPy's Welch test of logarithms, p ${p.toFixed(3)}`, () => {
    const ratio = given(ratioOf(rateOf(of, 1), rateOf(to, 2)));
    const halfWidth = Math.log(high / low) / 2;
    assertRelative(ratio.low, low, halfWidth / 4);
    assertRelative(ratio.high, high, halfWidth / 4);
    assertRelative(ratio.degreesOfFreedom, df, 0.05);
    assert.ok(Math.abs(pValueOf(ratio) - p) < 0.03);
  });
}

Deno.test("95 % intervals of 5 runs cover the truth in 95 of 100 cases, where plain quantiles of the draws don't", () => {
  const random = xoroshiro128plus(5);
  const normal = (): number =>
    Array.from({ length: 12 }, () => (random.next() >>> 0) / 2 ** 32).reduce(
      (sum, one) => sum + one,
      -6,
    );
  const cases = Array.from({ length: 500 }, (_, seed) => {
    const estimate = rateOf(
      Array.from({ length: 5 }, () => 1e6 * Math.exp(0.03 * normal())),
      seed,
      500,
    );
    const { low, high } = given(intervalOf(estimate));
    const truth = 1e6 * Math.exp(0.03 ** 2 / 2);
    const drawn = [0.025, 0.975].map((share) =>
      estimate.value * Math.exp(quantileOf(estimate.logDraws.toSorted(), share))
    );
    return { ours: low <= truth && truth <= high, plain: drawn[0] <= truth && truth <= drawn[1] };
  });
  const share = (of: "ours" | "plain"): number =>
    cases.filter((one) => one[of]).length / cases.length;
  assert.ok(share("ours") >= 0.92 && share("ours") <= 0.98, `ours: ${share("ours")}`);
  assert.ok(share("plain") < 0.9, `plain: ${share("plain")}`);
});

Deno.test("a higher confidence makes a wider interval around the same value", () => {
  const estimate = rateOf([100, 104, 97, 101, 110], 3);
  const [narrow, wide] = [0.9, 0.99].map((confidence) => given(intervalOf(estimate, confidence)));
  assert.equal(narrow.value, wide.value);
  assert.ok(wide.low < narrow.low && narrow.low < narrow.value);
  assert.ok(narrow.value < narrow.high && narrow.high < wide.high);
});

Deno.test("a ratio turned round has the turned interval", () => {
  const [a, b] = [rateOf([100, 104, 97, 101, 110], 3), rateOf([90, 95, 92, 97, 99], 4)];
  const [one, other] = [given(ratioOf(a, b)), given(ratioOf(b, a))];
  assertRelative(one.value, 1 / other.value, 1e-12);
  assertRelative(one.low, 1 / other.high, 1e-9);
  assert.equal(one.degreesOfFreedom, other.degreesOfFreedom);
});

Deno.test("runs without any difference have an interval of no width, and a ratio that is certain", () => {
  const [a, b] = [rateOf([100, 100, 100], 1), rateOf([50, 50, 50], 2)];
  const { low, high } = given(intervalOf(a));
  assert.deepEqual([low, high], [100, 100]);
  const ratio = given(ratioOf(a, b));
  assert.deepEqual([ratio.low, ratio.high, pValueOf(ratio)], [2, 2, 0]);
  assert.equal(pValueOf(given(ratioOf(a, a))), 1);
});

Deno.test("one run has no interval, and no ratio to others", () => {
  const [one, five] = [rateOf([100], 1), rateOf([99, 100, 101, 102, 103], 2)];
  assert.deepEqual([intervalOf(one), ratioOf(one, five), ratioOf(five, one)], [null, null, null]);
});
