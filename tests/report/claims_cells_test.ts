import assert from "node:assert/strict";
import type { JudgedClaim } from "../../report/judge/claims/claims.ts";
import type { Results } from "../../runner/result/result.ts";
import { assertJudged, judge, RATES } from "./claimed.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";

/** Two targets, each asked two things with two numbers of connections; their medians in ms. */
function grid(median: (target: string, scenario: string, connections: number) => number): Results {
  const cells = ["cached", "plain"].flatMap((target) =>
    ["home", "search"].flatMap((scenario) =>
      [50, 200].map((connections): CellSpec => ({
        target,
        scenario,
        connections: 50,
        parameters: { connections },
        medianMs: median(target, scenario, connections),
        runs: 4,
        duration: 2,
      }))
    )
  );
  return resultsFixture({ cells });
}

const EVEN = (target: string): number => target === "cached" ? 10 : 30;

Deno.test("what is left out must hold for every value, matched on both sides", () => {
  const judged = judge(grid(EVEN), "p50(cached) < 0.5 × p50(plain)");
  assertJudged(judged, "reproduced", /^holds in 4 of 4 cells; the nearest: p50 is /);
  assert.equal(judged.held, "4 of 4 cells");
});

Deno.test("one cell of all against the claim is enough, and it is the one that is shown", () => {
  const results = grid((target, scenario, connections) =>
    target === "cached" && scenario === "search" && connections === 200 ? 60 : EVEN(target)
  );
  const judged = judge(results, "p50(cached) < 0.5 × p50(plain)");
  assertJudged(
    judged,
    "not reproduced",
    /^holds in 3 of 4 cells; the worst: p50 is [\d.]+ ms \(search, cached · connections 200\) against [\d.]+ ms \(search, plain · connections 200\): /,
  );
  assertJudged(judge(results, "p50(cached, home) < 0.5 × p50(plain, home)"), "reproduced");
  assertJudged(
    judge(results, "p50(cached, connections=50) < p50(plain, connections=50)"),
    "reproduced",
  );
});

Deno.test("a factor named on both sides with two values is compared across them", () => {
  const results = grid((target, _, connections) => EVEN(target) * (connections === 200 ? 3 : 1));
  const judged = judge(results, "p50(connections=200) > 2 × p50(connections=50)");
  assertJudged(judged, "reproduced", /^holds in 4 of 4 cells/);
});

Deno.test("several targets or values mean each, and what both sides name alike is matched", () => {
  const results = grid((target, _, connections) => EVEN(target) * (connections === 200 ? 3 : 1));
  assert.equal(judge(results, "p50(cached, plain, home) < 1s").held, "4 of 4 cells");
  const alike = "connections=50, connections=200";
  const judged = judge(results, `p50(cached, ${alike}) < 0.5 × p50(plain, ${alike})`);
  assertJudged(judged, "reproduced", /^holds in 4 of 4 cells/);
  const across = judge(results, "p50(cached, home) < p50(cached, plain, home)");
  assert.equal(across.held, "2 of 2 cells");
});

Deno.test("a cell is not compared with itself", () => {
  const judged = judge(
    grid(EVEN),
    "rate(cached, home, connections=50) > 2 × rate(home, connections=50)",
  );
  assertJudged(judged, "reproduced", /\(home, plain · connections 50\)/);
  assert.equal(judged.held, "");
});

const MISSING: Results["missing"][number] = {
  target: "hapi",
  scenario: "home",
  parameters: {},
  repetition: null,
  kind: "failed",
  reason: "it exited with code 1",
  evidence: [],
};

function withMissing(): Results {
  const results = resultsAt(RATES);
  return {
    ...results,
    missing: [{ ...MISSING, scenario: "static" }, { ...MISSING, target: "slow", scenario: "fib" }],
  };
}

Deno.test("a cell that was not measured decides nothing, and why it was not is told", () => {
  assertJudged(
    judge(withMissing(), "rate(hapi) > rate(slow)"),
    "inconclusive",
    /^static, hapi was not measured: it exited with code 1$/,
  );
  assertJudged(
    judge(withMissing(), "rate(static) > 500/s"),
    "inconclusive",
    /^static, hapi was not measured: it exited with code 1; by the other cells it is reproduced: holds in 2 of 2 cells/,
  );
});

Deno.test("a cell that was not measured leaves a claim open, and what the measured ones say is shown", () => {
  assertJudged(
    judge(withMissing(), "rate(static) > 2000/s"),
    "inconclusive",
    /^static, hapi was not measured: .*; by the other cells it is not reproduced: holds in 1 of 2 cells; the worst: rate is .* \(static, slow\)/,
  );
});

Deno.test("a correlation over cells of which one was not measured is open", () => {
  const rates = Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`t${i}`, around(i * 1_000)]));
  const whole = resultsAt(rates);
  assertJudged(judge(whole, "correlation(rate, bytes) > -0.9"), "reproduced", /over 6 cells/);
  const part = resultsAt(rates);
  part.missing = [{ ...MISSING, scenario: "static" }];
  assertJudged(
    judge(part, "correlation(rate, bytes) > -0.9"),
    "inconclusive",
    /^static, hapi was not measured: .*; by the other cells it is reproduced: .* over 6 cells/,
  );
});

Deno.test("a run that failed beside others of its cell is not a missing cell", () => {
  const results = resultsAt(RATES);
  results.missing = [{ ...MISSING, target: "fast", scenario: "static", repetition: 6 }];
  assertJudged(judge(results, "rate() > 500/s"), "reproduced", /^holds in 2 of 2 cells/);
});

/** Two targets in two scenarios, of which only `cached, home` was measured, with what the file says of all. */
function partOfGrid(): Results {
  const results = grid(EVEN);
  results.runs = results.runs.filter(({ target, scenario }) =>
    target === "cached" && scenario === "home"
  );
  results.flags = { set: {}, only: { targets: ["cached", "front"], scenarios: ["home"] } };
  Object.assign(results.experiment, {
    targets: {
      cached: { app: "api", set: { delay: ["10ms"], size: [1, 2] } },
      plain: { app: "api", set: { size: 3 } },
      front: { proxy: { origin: "cached", store: ["memory", "redis"], ttl: 60_000 } },
    },
    scenarios: {
      home: { get: "/" },
      search: { get: "/search", load: { rate: [100, 200], timeout: [5_000] } },
    },
    load: { connections: [50, 200], duration: [2_000] },
  });
  return results;
}

const named: [text: string, outcome: JudgedClaim["outcome"], sentence: RegExp][] = [
  [
    "rate(delay=10ms) > 1/s",
    "inconclusive",
    /^search, cached; search, front were not measured: left out by --only; by the other cells it is reproduced/,
  ],
  ["rate(set.delay=0.01s, duration=2s) > 1/s", "reproduced", /^holds in 2 of 2 cells/],
  [
    "rate(app=api, connections=50) > 1/s",
    "inconclusive",
    /^home, plain was not measured: left out by --only; by the other cells it is reproduced: rate is .*connections 50/,
  ],
  ["rate(home, cached, connections=50) > 1/s", "reproduced", /^rate is .*connections 50/],
  ["rate(duration=3s) > 1/s", "inconclusive", /^no cell of duration=3s was measured$/],
  [
    "rate(plain) > 1/s",
    "inconclusive",
    /^home, plain; search, plain were not measured: left out by --only$/,
  ],
  [
    "rate(size=3) > 1/s",
    "inconclusive",
    /^home, plain; search, plain were not measured: left out by --only$/,
  ],
  [
    "rate(search, rate=100/s) > rate(search, rate=200/s)",
    "inconclusive",
    /^search, cached; search, plain; search, front were not measured: left out by --only$/,
  ],
  ["rate(search, rate=300/s) > 1/s", "inconclusive", /rate=300\/s was measured$/],
  ["rate(search, front, size=2, ttl=1m, store=redis) > 1/s", "inconclusive", /by --only$/],
  ["rate(front, home) > 1/s", "inconclusive", /^no cell of front, home was measured$/],
  [
    "rate(speed=1) > rate(speed=1, cached)",
    "inconclusive",
    /^Cannot find a factor "speed": the factors are connections$/,
  ],
];

for (const [text, outcome, sentence] of named) {
  Deno.test(`of a part of the cells: ${text}: ${outcome}`, () => {
    assertJudged(judge(partOfGrid(), text), outcome, sentence);
  });
}

Deno.test("targets of the experiment that were left out, and values that no cell has", () => {
  const results = resultsAt(RATES);
  Object.assign(Object(results.experiment.targets), { koa: { app: "api" } });
  const none = judge(results, "rate(koa) > 1/s");
  assertJudged(none, "inconclusive", /^no cell of koa was measured$/);
  assertJudged(
    judge(grid(EVEN), "rate(connections=51) > 1/s"),
    "inconclusive",
    /^no cell of connections=51 was measured$/,
  );
  const empty = resultsFixture({ cells: [], state: "interrupted" });
  assertJudged(judge(empty, "rate() > 1/s"), "inconclusive", /^nothing was measured$/);
});
