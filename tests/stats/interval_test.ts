import assert from "node:assert/strict";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import {
  bootstrap,
  type Estimate,
  type Sampling,
} from "../../runner/stats/confidence/bootstrap.ts";
import { Random } from "../../bench/statistics/random.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import {
  type ConfidenceInterval,
  contrastOf,
  intervalOf,
  pBeyond,
  pValueOf,
  ratioInterval,
  studentInterval,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { quantileOf } from "../../runner/stats/quantile.ts";
import reference from "./data/welch.json" with { type: "json" };

const NOTHING = new Histogram().toSparse();

/** An estimate of the rate of runs of one block each. */
function rateOf(values: readonly number[], sampling?: Sampling, resamples?: number): Estimate {
  const runs = values.map((completed) => [{ seconds: 1, completed, latency: NOTHING }]);
  const [found] = bootstrap(runs, { figures: ["rate"], sampling, resamples });
  assert.ok(found, "no estimate");
  return found;
}

function given(interval: ConfidenceInterval | null): ConfidenceInterval {
  assert.ok(interval, "no interval");
  return interval;
}

function assertRelative(found: number, expected: number, within: number): void {
  assert.ok(
    Math.abs(found / expected - 1) <= within,
    `${found}, not ${expected} within ${within * 100} %`,
  );
}

// Resamples know the standard error to some 2 %.
for (const { of, to, p, df, low, high } of reference.cases) {
  Deno.test(`the ratio of ${of.length} and ${to.length} runs has the interval and p of SciPy's Welch test of logarithms, p ${p.toFixed(3)}`, () => {
    const ratio = given(
      ratioInterval(rateOf(of, undefined, 10_000), rateOf(to, undefined, 10_000)),
    );
    const halfWidth = Math.log(high / low) / 2;
    assertRelative(ratio.low, low, halfWidth / 10);
    assertRelative(ratio.high, high, halfWidth / 10);
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
  const cases = Array.from({ length: 500 }, () => {
    const estimate = rateOf(
      Array.from({ length: 5 }, () => 1e6 * Math.exp(0.03 * normal())),
      undefined,
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
  const estimate = rateOf([100, 104, 97, 101, 110]);
  const [narrow, wide] = [0.9, 0.99].map((confidence) => given(intervalOf(estimate, confidence)));
  assert.equal(narrow.value, wide.value);
  assert.ok(wide.low < narrow.low && narrow.low < narrow.value);
  assert.ok(narrow.value < narrow.high && narrow.high < wide.high);
});

Deno.test("a ratio turned round has the turned interval", () => {
  const [a, b] = [rateOf([100, 104, 97, 101, 110]), rateOf([90, 95, 92, 97, 99])];
  const [one, other] = [given(ratioInterval(a, b)), given(ratioInterval(b, a))];
  assertRelative(one.value, 1 / other.value, 1e-12);
  assertRelative(one.low, 1 / other.high, 1e-9);
  assert.equal(one.degreesOfFreedom, other.degreesOfFreedom);
});

Deno.test("runs without any difference have an interval of no width, and a ratio that is certain", () => {
  const [a, b] = [rateOf([100, 100, 100]), rateOf([50, 50, 50])];
  const { low, high } = given(intervalOf(a));
  assert.deepEqual([low, high], [100, 100]);
  const ratio = given(ratioInterval(a, b));
  assert.deepEqual([ratio.low, ratio.high, pValueOf(ratio)], [2, 2, 0]);
  assert.equal(pValueOf(given(ratioInterval(a, a))), 1);
});

Deno.test("one run has no interval, and no ratio to others", () => {
  const [one, five] = [rateOf([100]), rateOf([99, 100, 101, 102, 103])];
  assert.deepEqual([intervalOf(one), ratioInterval(one, five), ratioInterval(five, one)], [
    null,
    null,
    null,
  ]);
});

const ONE: Sampling = { session: "one", repetitions: [1, 2, 3, 4, 5] };
/** What slowed a whole repetition, for both sides. */
const BLOCKS = [1, 0.9, 1.1, 0.95, 1.05];
const [OLD, NEW] = [[100, 101, 99, 100.5, 100], [95, 95.5, 95.2, 94.6, 95]].map((rates) =>
  rates.map((rate, i) => rate * BLOCKS[i])
);

Deno.test("what slows a whole repetition is on both sides of a ratio and cancels", () => {
  const paired = given(ratioInterval(rateOf(NEW, ONE), rateOf(OLD, ONE)));
  const apart = given(ratioInterval(rateOf(NEW), rateOf(OLD)));
  assertRelative(paired.value, apart.value, 1e-12);
  assert.ok(apart.low < 1 && apart.high > 1, JSON.stringify(apart));
  assert.ok(paired.high < 0.97, JSON.stringify(paired));
  assert.equal(paired.degreesOfFreedom, 4);
});

Deno.test("the interval of pairs is that of Student's t of their logarithms, as they differ by little", () => {
  const logs = NEW.map((rate, i) => Math.log(rate / OLD[i]));
  const mean = logs.reduce((sum, log) => sum + log, 0) / 5;
  const stdev = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / 4);
  // scipy.stats.t.ppf(0.975, 4)
  const reach = 2.7764 * stdev / Math.sqrt(5);
  const found = given(ratioInterval(rateOf(NEW, ONE, 20_000), rateOf(OLD, ONE, 20_000)));
  assertRelative(found.low, Math.exp(mean - reach), 0.0015);
  assertRelative(found.high, Math.exp(mean + reach), 0.0015);
});

Deno.test("repetitions that one side lacks are left out of both", () => {
  const four = { session: "one", repetitions: [1, 2, 4, 5] };
  const without = <T>(all: readonly T[]): T[] => all.filter((_, i) => i !== 2);
  const found = given(ratioInterval(rateOf(NEW, ONE), rateOf(without(OLD), four)));
  const expected = given(ratioInterval(rateOf(without(NEW), four), rateOf(without(OLD), four)));
  assert.deepEqual(found, expected);
});

Deno.test("runs of other sessions, or with no repetition in common, are no pairs", () => {
  const apart = given(ratioInterval(rateOf(NEW), rateOf(OLD))).logStandardError;
  const samplings: Sampling[] = [
    { ...ONE, session: "other" },
    { session: "one", repetitions: [6, 7, 8, 9, 10] },
  ];
  for (const sampling of samplings) {
    const found = given(ratioInterval(rateOf(NEW, ONE), rateOf(OLD, sampling)));
    assertRelative(found.logStandardError, apart, 0.06);
  }
});

Deno.test("a ratio of ratios pairs all four", () => {
  const terms = [NEW, OLD, OLD, NEW].map((rates, i) => ({
    estimate: rateOf(rates, ONE),
    power: [1, -1, -1, 1][i],
  }));
  const found = given(contrastOf(terms));
  const ratio = given(ratioInterval(rateOf(NEW, ONE), rateOf(OLD, ONE)));
  assertRelative(found.value, ratio.value ** 2, 1e-12);
  assertRelative(found.logStandardError, 2 * ratio.logStandardError, 1e-9);
});

Deno.test("the p of lying within a margin is that of one side at its edge, and of both without a margin", () => {
  const ratio = given(ratioInterval(rateOf(NEW, ONE), rateOf(OLD, ONE)));
  assertRelative(pBeyond(ratio, 1 / ratio.high - 1), 0.025, 1e-3);
  assert.equal(pBeyond(ratio, 0), pValueOf(ratio));
  assert.equal(pBeyond(ratio, 0.1), 1);
  const narrow = studentInterval(1, { variance: 1e-12, degreesOfFreedom: 4 }, 0.95);
  assertRelative(pBeyond({ ...narrow, value: narrow.high }, 0), 0.05, 1e-6);
});

Deno.test("a ratio at the edge of the margin is beyond it by chance in 1 of 20, however wide the margin is for the noise", () => {
  const random = new Random(9);
  for (const noise of [0.002, 0.01, 0.05, 0.5]) {
    const found = Array.from({ length: 2_000 }, () => {
      const [value, scale] = [random.normal(), [1, 2, 3, 4].map(() => random.normal() ** 2)];
      const variance = noise ** 2 * scale.reduce((sum, one) => sum + one, 0) / 4;
      const ratio = Math.exp(Math.log1p(0.02) + noise * value);
      return pBeyond(studentInterval(ratio, { variance, degreesOfFreedom: 4 }, 0.95), 0.02);
    }).filter((p) => p <= 0.05).length / 2_000;
    assert.ok(found > 0.035 && found < 0.065, `${noise}: ${found}`);
  }
});

Deno.test("the ratio of two figures says nothing of their product, whichever was asked for first", () => {
  const sampling = { session: "one", repetitions: [1, 2, 3, 4, 5] };
  const product = (isRatioFirst: boolean): ConfidenceInterval => {
    const one = rateOf([100, 120, 90, 110, 105], sampling);
    const other = rateOf([50, 61, 44, 56, 52], sampling);
    if (isRatioFirst) ratioInterval(one, other);
    return given(contrastOf([{ estimate: one, power: 1 }, { estimate: other, power: 1 }]));
  };
  assert.deepEqual(product(true), product(false));
  const ratio = given(ratioInterval(
    rateOf([100, 120, 90, 110, 105], sampling),
    rateOf([50, 61, 44, 56, 52], sampling),
  ));
  assert.ok(product(true).logStandardError > 5 * ratio.logStandardError);
});
