import assert from "node:assert/strict";
import {
  pooledShare,
  type Proportion,
  requestsToDecide,
  shareDifference,
  shareInterval,
  shareP,
} from "../../runner/stats/confidence/proportion_interval.ts";

const none = (of: number): Proportion[] => [{ count: 0, of }];

Deno.test("none of 3,838 requests shows a share below 0.1 %, none of 3,837 does not", () => {
  // z² / (n + z²) ≤ 0.001 from n = 999 · 3.8415 on.
  assert.ok(pooledShare(none(3_838)).high <= 0.001);
  assert.ok(pooledShare(none(3_837)).high > 0.001);
  assert.equal(requestsToDecide(none(40), 0.001), 3_838);
});

Deno.test("one run has Wilson's interval", () => {
  const { value, ...range } = pooledShare([{ count: 15, of: 148 }]);
  assert.equal(value, 15 / 148);
  assert.deepEqual(range, shareInterval(15, 148));
});

Deno.test("runs that are alike have the interval of their sum, give or take the t of few runs", () => {
  const runs = Array.from({ length: 10 }, (_, i) => ({ count: 100 + i % 2, of: 10_000 }));
  const { low, high } = pooledShare(runs);
  const sum = shareInterval(1_005, 100_000);
  assert.deepEqual({ low, high }, sum);
});

Deno.test("runs that differ more than counting explains have a wider one, by Student's t", () => {
  const runs = [10, 200, 40, 90, 160].map((count) => ({ count, of: 10_000 }));
  const { value, low, high } = pooledShare(runs);
  assert.equal(value, 0.01);
  // The variance between runs is 64 times that of counting: t = 2.776 with so many fewer requests.
  const expected = shareInterval(500 / 64.1414, 50_000 / 64.1414, 2.77645);
  assert.ok(Math.abs(low - expected.low) < 1e-5, `${low} ${expected.low}`);
  assert.ok(Math.abs(high - expected.high) < 1e-5, `${high} ${expected.high}`);
});

Deno.test("one failure in all runs says nothing about how runs differ", () => {
  const runs = [{ count: 0, of: 5_000 }, { count: 1, of: 5_000 }];
  const { low, high } = pooledShare(runs);
  assert.deepEqual({ low, high }, shareInterval(1, 10_000));
});

Deno.test("a limit has p = 5 % where the interval ends at it", () => {
  for (
    const runs of [[{ count: 30, of: 1_000 }], [10, 45, 20].map((count) => ({ count, of: 900 }))]
  ) {
    const { low, high } = pooledShare(runs);
    for (const end of [low, high]) {
      assert.ok(Math.abs(shareP(runs, end) - 0.05) < 1e-6, `${shareP(runs, end)}`);
    }
  }
});

Deno.test("as many requests as are said decide, and no fewer", () => {
  for (const limit of [0.005, 0.02, 0.1]) {
    const needed = requestsToDecide([{ count: 10, of: 1_000 }], limit);
    const decides = (of: number): boolean => {
      const { low, high } = pooledShare([{ count: of / 100, of }]);
      return low > limit || high < limit;
    };
    assert.ok(decides(needed + 1) && !decides(needed - 1), `${needed} for ${limit}`);
  }
});

Deno.test("no number of requests decides about a share at its limit", () => {
  assert.equal(requestsToDecide([{ count: 10, of: 1_000 }], 0.01), Infinity);
});

// Newcombe 1998, table II, method 10.
const DIFFERENCES: [of: Proportion, to: Proportion, low: number, high: number][] = [
  [{ count: 56, of: 70 }, { count: 48, of: 80 }, 0.0524, 0.3339],
  [{ count: 9, of: 10 }, { count: 3, of: 10 }, 0.1705, 0.809],
  [{ count: 0, of: 10 }, { count: 0, of: 20 }, -0.1611, 0.2775],
  [{ count: 10, of: 10 }, { count: 0, of: 10 }, 0.6075, 1],
];

Deno.test("the difference of two shares has the interval that Newcombe published", () => {
  for (const [of, to, ...published] of DIFFERENCES) {
    const { value, low, high } = shareDifference([of], [to]);
    assert.equal(value, of.count / of.of - to.count / to.of);
    assert.deepEqual([low, high].map((end) => Number(end.toFixed(4))), published);
  }
});
