import { claimsModel, type JudgedClaim } from "../../report/judge/claims/claims.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { percentileBounds } from "../../report/figures/pool.ts";
import type { Results } from "../../runner/result/result.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { highestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import assert from "node:assert/strict";
import { assertJudged, claimOf, judge, RATES } from "./claimed.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { resultsAt } from "./rates.ts";

const ratios: [text: string, outcome: JudgedClaim["outcome"], sentence?: RegExp][] = [
  [
    "rate(fast) > 2 × rate(slow)",
    "reproduced",
    /^rate is 3,00\d\/s \(static, fast\) against 1,000\/s \(static, slow\): 3\.00× \[2\.9\d*, 3\.0\d*\], claimed more than 2×$/,
  ],
  ["rate(fast) > 4 × rate(slow)", "not reproduced", /claimed more than 4×$/],
  [
    "rate(fast) > 3 × rate(slow)",
    "inconclusive",
    /claimed more than 3×; the interval lies across the limit, more runs would decide$/,
  ],
  ["2 × rate(slow) < rate(fast)", "reproduced", /: 0\.33\d*× .*, claimed less than 0\.5×$/],
  ["rate(slow) >= rate(fast)", "not reproduced", /claimed at least 1×$/],
  ["rate(fast) within 5% of 3 × rate(slow)", "reproduced", /claimed from 2\.85× to 3\.15×$/],
  ["rate(fast) within 5% of rate(slow)", "not reproduced", /claimed from 0\.95× to 1\.05×$/],
  ["rate(fast) within 0.01% of 3 × rate(slow)", "inconclusive"],
  [
    "rate(fast) > 2900/s",
    "reproduced",
    /^rate is 3,00\d\/s \[.*\] \(static, fast\), claimed more than 2900\/s$/,
  ],
  ["rate(fast) < 2900/s", "not reproduced", /claimed less than 2900\/s$/],
  ["rate(fast) <= 3000/s", "inconclusive", /lies across the limit/],
  ["2900/s < rate(fast)", "reproduced", /claimed more than 2900\/s$/],
  ["1% > 5xx(fast)", "reproduced", /^5xx is 0 % \(static, fast\), claimed less than 1%$/],
  ["2 × rate(fast) > 5000/s", "reproduced", /claimed more than 2,500\/s$/],
  ["rate(fast) within 5% of 2900/s", "reproduced", /claimed from 2,755\/s to 3,045\/s$/],
  ["2900/s within 5% of rate(fast)", "reproduced"],
  ["success() >= 99%", "reproduced", /^holds in 2 of 2 cells; the nearest: success is 100 %/],
  ["5xx() <= 0%", "reproduced"],
  [
    "5xx(fast) <= 2 × 5xx(slow)",
    "reproduced",
    /^5xx is 0 % \(static, fast\) against 0 % \(static, slow\)$/,
  ],
  [
    "5xx(fast) < 2xx(slow)",
    "reproduced",
    /^5xx is 0 % \(static, fast\) against 2xx 100 % \(static, slow\): 0×, claimed less than 1×$/,
  ],
  ["2xx(fast) > 5xx(slow)", "reproduced", /: ∞×, claimed more than 1×$/],
  [
    "p99(fast) < 3 × p50(fast)",
    "reproduced",
    /^p99 is .* \(static, fast\) against p50 .* \(static, fast\): 1\.\d+× \[/,
  ],
  [
    "max(fast) < 1ms",
    "not reproduced",
    /^max of a run is 16\d ms \[\d+ ms, \d+ ms\] \(static, fast\), claimed less than 1ms$/,
  ],
  [
    "max(fast) > 10 × min(slow)",
    "reproduced",
    /^max of a run is .* against min of a run .* \(static, slow\): \d+\.\d× \[\d.*\], claimed more than 10×$/,
  ],
  ["max(fast) > 1000 × min(slow)", "not reproduced"],
  ["max(fast) within 1% of max(slow)", "inconclusive", /; the interval lies across the limit/],
  [
    "lag.p99(fast) < 1ms",
    "inconclusive",
    /^static, fast has no lag\.p99: a closed loop sends when/,
  ],
  [
    "rate(fast, connections=50) > 1/s",
    "inconclusive",
    /^Cannot find a factor "connections": nothing varies$/,
  ],
  ["rate(fast) > ceiling(redis)", "inconclusive", /^ceiling\(redis\) was not measured$/],
];

for (const [text, outcome, sentence] of ratios) {
  Deno.test(`of 3,000/s and 1,000/s: ${text}: ${outcome}`, () => {
    assertJudged(judge(resultsAt(RATES), text), outcome, sentence);
  });
}

Deno.test("one run each shows the ratio and decides nothing", () => {
  const results = resultsAt({ slow: [1_000], fast: [3_000] });
  const two = judge(results, "rate(fast) > 2 × rate(slow)");
  assertJudged(two, "inconclusive", /: 3\.00×, claimed more than 2×; one run each: no interval$/);
  assert.equal(two.found, "3.00×");
  const one = judge(results, "rate(fast) > 1/s");
  assertJudged(
    one,
    "inconclusive",
    /^rate is 3,000\/s \(static, fast\), claimed more than 1\/s; one run: no interval$/,
  );
  const mixed = judge(
    resultsAt({ slow: [1_000], fast: [3_000, 3_010] }),
    "rate(fast) > rate(slow)",
  );
  assertJudged(mixed, "inconclusive", /; one run of static, slow: no interval$/);
});

Deno.test("wrong responses cannot make a target fast", () => {
  const change = (target: string): Partial<CellSpec> =>
    target === "fast" ? { wrongRatio: 0.2 } : {};
  const results = resultsAt(RATES, change);
  assertJudged(
    judge(results, "rate(fast) > 2 × rate(slow)"),
    "inconclusive",
    /; 1\d\.\d % of the requests of static, fast were wrong or failed, and a fast error is no success$/,
  );
  assertJudged(judge(results, "rate(fast) > 4 × rate(slow)"), "not reproduced");
  assertJudged(judge(results, "p50(fast) < 1s"), "inconclusive", /a fast error is no success$/);
  assertJudged(judge(results, "p50(fast) < 1ms"), "not reproduced");
});

Deno.test("requests that timed out leave a rate as it is: they took their time", () => {
  const cells = ["slow", "fast"].map((target) => ({
    ...{ target, scenario: "static", medianMs: target === "slow" ? 30 : 10, runs: 5 },
    timeoutRatio: target === "slow" ? 0.4 : 0,
  }));
  const results = resultsFixture({ cells });
  assertJudged(judge(results, "rate(fast) > 2 × rate(slow)"), "reproduced");
  assertJudged(judge(results, "rate(slow) < 0.5 × rate(fast)"), "reproduced");
  for (const { errors } of results.runs) {
    errors.reset = errors.timeout;
    errors.timeout = 0;
  }
  assertJudged(judge(results, "rate(slow) > 1/s"), "inconclusive", /a fast error is no success$/);
});

Deno.test("requests that were never sent leave a rate as it is", () => {
  const results = resultsAt(RATES);
  for (const { requests } of results.runs) {
    requests.dropped = requests.completed;
    requests.due += requests.dropped;
  }
  assertJudged(judge(results, "rate(fast) > 2 × rate(slow)"), "reproduced");
});

Deno.test("a percentile of requests that were not answered is only a lower bound", () => {
  const cells = [{ target: "a", scenario: "s", medianMs: 10, runs: 5, timeoutRatio: 0.005 }];
  const results = resultsFixture({ cells });
  const bound = judge(results, "p99.9(a) < 100s");
  assertJudged(
    bound,
    "inconclusive",
    /requests of s, a that timed out, were unfinished or were never sent would decide it$/,
  );
  assertJudged(judge(results, "p99.9(a) > 1ms"), "reproduced");
});

/** In each run 3 % of the requests, those that were watched for the shortest time, had no response. */
function partlyOpen(): Results {
  const cells = [{ target: "a", scenario: "s", medianMs: 100, runs: 5, connections: 100 }];
  const results = resultsFixture({ cells });
  const runs = results.runs.map((run): Results["runs"][number] => {
    const all = decodeSparse(run.histogram);
    const open = new Histogram();
    const censored = Math.round(0.03 * all.count);
    for (let i = 0; open.count < censored; i++) {
      for (let k = 0; k < all.counts[i]; k++) open.record(highestUsOf(all.indices[i]));
    }
    return {
      ...run,
      latency: { ...run.latency, clock: "intended", censored: open.count },
      censoredHistogram: encodeHistogram(open.toSparse()),
    };
  });
  return { ...results, runs };
}

Deno.test("requests without a response leave a percentile open as far as they could move it, and no farther", () => {
  const results = partlyOpen();
  const { value, isAtLeast, atMost } = percentileBounds(results.runs, 95);
  assert.ok(isAtLeast && 1.05 * value < atMost && atMost < 2 * value, `${value} ${atMost}`);
  assertJudged(judge(results, `p95(a) < ${Math.round(3 * value)}ms`), "reproduced");
  assertJudged(
    judge(results, `p95(a) < ${Math.round(atMost)}ms`),
    "inconclusive",
    /requests of s, a that timed out, were unfinished or were never sent would decide it$/,
  );
});

Deno.test("pairs decide: what is 1.2 times as long in every repetition is surely so, in another order it is not", () => {
  const results = resultsAt({ slow: [1_000, 1_000, 1_000], fast: [1_000, 1_000, 1_000] });
  for (const run of results.runs) run.startUp = run.repetition * (run.target === "slow" ? 10 : 12);
  assertJudged(
    judge(results, "startUp(fast) < 2 × startUp(slow)"),
    "reproduced",
    /: 1\.20+× \[1\.20+, 1\.20+\]/,
  );
  for (const run of results.runs) {
    if (run.target === "fast") run.startUp = (4 - run.repetition) * 12;
  }
  const judged = judge(results, "startUp(fast) < 2 × startUp(slow)");
  assertJudged(judged, "inconclusive", /: 1\.20× \[.*\], claimed less than 2×; the interval lies/);
  for (const run of results.runs) if (run.target === "fast") run.startUp = 100 + run.repetition;
  assert.match(
    judge(results, "startUp(fast) > startUp(slow)").found,
    /^5\.10×\s\[1\.4\d,\s1\d\.\d\]$/,
  );
});

Deno.test("what is 0 now and then is no infinite ratio for sure", () => {
  const results = resultsAt(RATES);
  const [first] = results.runs.filter(({ target }) => target === "fast");
  first.status = { "200": 1, "500": 1 };
  assertJudged(judge(results, "5xx(fast) > 5xx(slow)"), "inconclusive", /: ∞× \[0, ∞\)/);
});

Deno.test("time to stable latency is claimed in its own unit", () => {
  const cells = [{ target: "a", scenario: "s", medianMs: 10, runs: 5, duration: 8, warmUp: 6 }];
  const results = resultsFixture({ cells });
  assertJudged(
    judge(results, "stable(a) > 250ms"),
    "reproduced",
    /^stable is .* \(s, a\), claimed/,
  );
  assertJudged(judge(results, "stable(a) > 7s"), "not reproduced");
  assertJudged(judge(results, "stable.p90(a) > 250ms"), "reproduced", /^stable\.p90 is /);
});

Deno.test("the final latency is that of the end, whatever came before", () => {
  const cells = [{ target: "a", scenario: "s", medianMs: 10, runs: 5, duration: 8, warmUp: 6 }];
  const results = resultsFixture({ cells });
  assertJudged(judge(results, "final(a) within 10% of 10ms"), "reproduced", /^final is .* ms /);
  assertJudged(judge(results, "final(a) < final.p75(a)"), "reproduced");
  assertJudged(judge(results, "final.p75(a) < final.p99(a)"), "reproduced");
  assertJudged(judge(results, "final.p99(a) < p99(a)"), "reproduced");
  const wrong = resultsFixture({ cells: [{ ...cells[0], wrongRatio: 0.5 }] });
  assertJudged(judge(wrong, "final(a) < 100ms"), "inconclusive", /a fast error is no success$/);
});

Deno.test("the initial latency is that of the first half second", () => {
  const cells = [{ target: "a", scenario: "s", medianMs: 10, runs: 5, duration: 8, warmUp: 6 }];
  const results = resultsFixture({ cells });
  assertJudged(judge(results, "final(a) < 0.8 × initial(a)"), "reproduced", /initial .* ms /);
  assertJudged(judge(results, "initial(a) < initial.p99(a)"), "reproduced");
  const others = resultsFixture({ cells });
  for (const { timeline } of others.runs) {
    for (const point of timeline.points) if (point.endS <= 0.5) point.p50 = 3;
  }
  assertJudged(judge(others, "initial(a) within 1% of 3ms"), "reproduced");
});

Deno.test("the claims are counted in a sentence", () => {
  const results = resultsAt(RATES);
  const summaries = [
    ["rate() > 1/s"],
    ["rate() > 1/s", "rate() > 9000/s"],
    ["rate() > 1/s", "rate() > 2/s", "rate() > 9000/s", "max() > 150ms"],
    [],
  ].map((texts) => {
    results.experiment.claims = texts.map((text) => claimOf(text));
    return claimsModel(groupRuns(results), results).summary;
  });
  assert.deepEqual(summaries, [
    "1 of 1 claim reproduced",
    "1 of 2 claims reproduced, 1 not",
    "2 of 4 claims reproduced, 1 not, 1 inconclusive",
    "",
  ]);
});
