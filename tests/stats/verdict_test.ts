import assert from "node:assert/strict";
import {
  type Comparison,
  comparisonVerdict,
  runsToDecide,
  smallestChangeOf,
  type Verdict,
  type VerdictReason,
} from "../../runner/stats/comparison/verdict.ts";

/** A slowdown of 8 %, seen by all, with a margin of 2 %; for each row, what differs. */
function comparison(low: number, high: number, differs: Partial<Comparison> = {}): Comparison {
  return {
    ratio: { value: Math.sqrt(low * high), low, high, logStandardError: 0.01, degreesOfFreedom: 8 },
    adjustedP: 0.001,
    exact: { p: 0.008, leastP: 0.008 },
    marginRatio: 0.02,
    better: "lower",
    ...differs,
  };
}

const table: Readonly<Record<string, [Comparison, Verdict | VerdictReason]>> = {
  "a latency that is surely longer is worse": [comparison(1.05, 1.11), "worse"],
  "one that is surely shorter is better": [comparison(0.9, 0.95), "better"],
  "a rate that is surely higher is better": [
    comparison(1.05, 1.11, { better: "higher" }),
    "better",
  ],
  "one that is surely lower is worse": [comparison(0.9, 0.95, { better: "higher" }), "worse"],
  "an interval within the margin is equivalent": [comparison(0.99, 1.015), "equivalent"],
  "even when it excludes 1: the difference is real, and too small to matter": [
    comparison(1.005, 1.015),
    "equivalent",
  ],
  "the margin is as wide below 1 as above, as a ratio": [comparison(1 / 1.02, 1.02), "equivalent"],
  "an interval around 1 that passes the margin is inconclusive": [
    comparison(0.95, 1.08, { adjustedP: 0.6 }),
    "few-runs",
  ],
  "an estimate within the margin is no verdict, though 1 is excluded": [
    comparison(1.001, 1.03),
    "margin",
  ],
  "nor is one beyond it, where the interval begins within: it differs by less than matters, perhaps":
    [comparison(1.01, 1.09), "margin"],
  "what doesn't survive Holm's correction is inconclusive": [
    comparison(1.05, 1.11, { adjustedP: 0.051 }),
    "many",
  ],
  "what the exact test denies is inconclusive": [
    comparison(1.05, 1.11, { exact: { p: 0.15, leastP: 0.008 } }),
    "exact",
  ],
  "where the exact test can't speak, 3 runs and 3, the interval decides": [
    comparison(1.05, 1.11, { exact: { p: 0.1, leastP: 0.1 } }),
    "worse",
  ],
  "with a margin of 10 %, 8 % is inconclusive when it may be 11": [
    comparison(1.05, 1.11, { marginRatio: 0.1 }),
    "margin",
  ],
  "and equivalent when it can't": [comparison(1.05, 1.09, { marginRatio: 0.1 }), "equivalent"],
  "without a margin, any difference that is real counts": [
    comparison(1.001, 1.003, { marginRatio: 0 }),
    "worse",
  ],
};

for (const [sentence, [given, expected]] of Object.entries(table)) {
  Deno.test(`verdict: ${sentence}`, () => {
    const { verdict, reason } = comparisonVerdict(given);
    assert.equal(reason ?? verdict, expected);
    if (reason !== null) assert.equal(verdict, "inconclusive");
  });
}

Deno.test("the smallest change that could have been seen is 3.2 standard errors with 8 degrees of freedom", () => {
  // scipy.stats.t.ppf(0.975, 8) + scipy.stats.t.ppf(0.8, 8) = 3.1949
  const found = smallestChangeOf(comparison(1, 1).ratio, { marginRatio: 0 });
  assert.ok(Math.abs(found - Math.expm1(0.031949)) < 1e-5, `${found}`);
});

Deno.test("the smallest change that could have been seen is larger where more confidence is asked for", () => {
  // scipy.stats.t.ppf(0.995, 8) + scipy.stats.t.ppf(0.8, 8) = 4.2443
  const found = smallestChangeOf(comparison(1, 1).ratio, { marginRatio: 0, confidence: 0.99 });
  assert.ok(Math.abs(found - Math.expm1(0.042443)) < 1e-5, `${found}`);
});

Deno.test("the smallest change must pass the margin first", () => {
  const { ratio } = comparison(1, 1);
  const [without, beyond] = [0, 0.02].map((marginRatio) =>
    smallestChangeOf(ratio, { marginRatio })
  );
  assert.ok(Math.abs((1 + beyond) / (1 + without) - 1.02) < 1e-9);
});

Deno.test("about as many runs are asked for as would narrow the interval into the margin", () => {
  const { ratio } = comparison(0.98, 1.02);
  const found = runsToDecide({ ...ratio, degreesOfFreedom: 4 }, { runs: 5, marginRatio: 0.02 });
  // (t₀.₉₇₅ + t₀.₈ of n − 1) · 0.01 · √(5 / n) = ln 1.02 holds first for n = 13, by SciPy.
  assert.ok(found !== null && Math.abs(found - 13) <= 1, `${found}`);
});

Deno.test("no number of runs shows what lies on the edge of the margin", () => {
  const { ratio } = comparison(1.02 / 1.01, 1.02 * 1.01);
  assert.equal(runsToDecide(ratio, { runs: 5, marginRatio: 0.02 }), null);
});
