import assert from "node:assert/strict";
import { spearmanInterval } from "../../runner/stats/regression/correlation.ts";

/** tanh(atanh ρ ± 1.959964 √((1 + ρ²/2) / (n − 3))), worked out elsewhere. */
const known: [rho: number, n: number, low: number, high: number][] = [
  [0.8, 10, 0.24257, 0.9603],
  [-0.3, 20, -0.66149, 0.17461],
  [0.5, 4, -0.91035, 0.98963],
];

for (const [rho, n, low, high] of known) {
  Deno.test(`the interval of Spearman's rho ${rho} of ${n}`, () => {
    const interval = spearmanInterval(rho, n);
    assert.ok(interval);
    assert.deepEqual([interval.low, interval.high].map((end) => Number(end.toFixed(5))), [
      low,
      high,
    ]);
  });
}

Deno.test("a perfect order of few things is not sure to be one", () => {
  const [four, twenty] = [4, 20].map((n) => spearmanInterval(1, n));
  assert.ok(four && twenty);
  assert.deepEqual([four.high, twenty.high], [1, 1]);
  assert.ok(four.low < 0.1 && twenty.low > 0.95 && twenty.low < 1);
  const reverse = spearmanInterval(-1, 20);
  assert.ok(reverse);
  assert.equal(reverse.low, -1);
  assert.ok(Math.abs(reverse.high + twenty.low) < 1e-12);
});

Deno.test("three things have no interval", () => {
  assert.equal(spearmanInterval(0.5, 3), null);
});
