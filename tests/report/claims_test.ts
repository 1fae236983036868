import assert from "node:assert/strict";
import { groupRuns } from "../../report/cells/cells.ts";
import { ratiosOf } from "../../report/judge/pairs.ts";
import { ratioInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import { poolLatency } from "../../report/figures/pool.ts";
import type { Claim, Results } from "../../runner/result/result.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { highestUsOf } from "../../runner/stats/histogram/histogram_counts.ts";
import { assertOutcomes, ends, foundOf, judge, outcomeOf, RATES } from "./claimed.ts";
import { survivors } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";

Deno.test("figures of 3,000/s and 1,000/s against each other and against quantities", () => {
  assertOutcomes(resultsAt(RATES), [
    ["rate(fast) > 2 × rate(slow)", "reproduced"],
    ["rate(fast) > 4 × rate(slow)", "not reproduced"],
    ["rate(fast) > 3 × rate(slow)", "across-limit"],
    ["2 × rate(slow) < rate(fast)", "reproduced"],
    ["rate(slow) >= rate(fast)", "not reproduced"],
    ["rate(fast) within 5% of 3 × rate(slow)", "reproduced"],
    ["rate(fast) within 5% of rate(slow)", "not reproduced"],
    ["rate(fast) within 0.01% of 3 × rate(slow)", "across-limit"],
    ["rate(fast) > 2900/s", "reproduced"],
    ["rate(fast) < 2900/s", "not reproduced"],
    ["rate(fast) <= 3000/s", "across-limit"],
    ["2900/s < rate(fast)", "reproduced"],
    ["1% > 5xx(fast)", "reproduced"],
    ["2 × rate(fast) > 5000/s", "reproduced"],
    ["2 × rate(fast) > 7000/s", "not reproduced"],
    ["rate(fast) within 5% of 2900/s", "reproduced"],
    ["2900/s within 5% of rate(fast)", "reproduced"],
    ["success() >= 99%", "reproduced"],
    ["5xx() <= 0%", "reproduced"],
    ["5xx(fast) <= 2 × 5xx(slow)", "reproduced"],
    ["5xx(fast) < 2 × 5xx(slow)", "not reproduced"],
    ["5xx(fast) < 2xx(slow)", "reproduced"],
    ["2xx(fast) > 5xx(slow)", "reproduced"],
    ["p99(fast) < 3 × p50(fast)", "reproduced"],
    ["max(fast) < 1ms", "not reproduced"],
    ["max(fast) > 10 × min(slow)", "reproduced"],
    ["max(fast) > 1000 × min(slow)", "not reproduced"],
    ["max(fast) within 1% of max(slow)", "across-limit"],
    ["lag.p99(fast) < 1ms", "no-figure"],
    ["rate(fast, connections=50) > 1/s", "wrong-selector"],
    ["rate(fast) > ceiling(redis)", "peak-not-measured"],
  ]);
});

Deno.test("what was found is the ratio of both figures, or the figure, with its interval", () => {
  const results = resultsAt(RATES);
  const { of, to, ratio } = foundOf(judge(results, "2 × rate(fast) > rate(slow)"), "ratio");
  assert.deepEqual(ends(ratio), ["3.00", "2.97", "3.04"]);
  assert.deepEqual([of.place, of.name, to.place], ["static, fast", "rate", "static, slow"]);
  assert.deepEqual([of.value, to.value].map((value) => value?.toPrecision(2)), [
    "3.0e+3",
    "1.0e+3",
  ]);
  const limit = foundOf(judge(results, "2 × rate(fast) > 5000/s"), "value");
  assert.deepEqual(limit.limit?.allowed, { low: 2_500, high: Infinity, isClosed: false });
  assert.deepEqual(limit.of.value?.toFixed(1), "3001.7");
  assert.equal(foundOf(judge(results, "max(fast) < 1ms"), "value").of.name, "max of a run");
});

Deno.test("a ratio has the interval that comparisons show, which know what all of the experiment do", () => {
  const cells = ["a", "b", "c", "d", "e", "f", "g", "h"].flatMap((scenario, i) =>
    ["slow", "fast"].map((target, at): CellSpec => ({
      ...{ target, scenario, medianMs: 20 + i - 5 * at, duration: 2, runs: 3 },
    }))
  );
  const results = resultsFixture({ cells });
  const scenarios = groupRuns(results);
  const [{ cells: [slow, fast] }] = scenarios;
  const [to, of] = [slow, fast].map(({ estimates }) => estimates.get("rate"));
  assert.ok(of && to);
  const compared = ratiosOf(scenarios, results)(of, to, "rate");
  const { ratio } = foundOf(judge(results, "rate(fast, a) > rate(slow, a)"), "ratio");
  assert.deepEqual(ratio?.interval, compared);
  assert.notDeepEqual(ratio?.interval, ratioInterval(of, to));
});

Deno.test("runs of two kinds decide a claim only where all of them are on the same side of it", () => {
  const kinds = resultsAt({ a: [1_000, 1_002, 998, 1_001, 600], b: around(1_000) });
  assertOutcomes(kinds, [
    ["rate(a) > 650/s", "groups"],
    ["rate(a) > 100/s", "reproduced"],
    ["rate(a) > 5000/s", "not reproduced"],
    ["rate(b) < 1.6 × rate(a)", "groups"],
    ["rate(b) < 3 × rate(a)", "reproduced"],
    ["rate(b) > 0.1 × rate(a)", "reproduced"],
    ["rate(b) > 4 × rate(a)", "not reproduced"],
  ]);
});

Deno.test("what slows both sides of some repetitions makes no two kinds of their ratios", () => {
  const slowed = resultsAt({
    fast: [2_000, 2_004, 1_996, 2_002, 1_200],
    slow: [1_000, 1_001, 999, 1_002, 600],
  });
  assertOutcomes(slowed, [
    ["rate(fast) > 1.5 × rate(slow)", "reproduced"],
    ["rate(fast) > 650/s", "reproduced"],
    ["rate(fast) > 1500/s", "groups"],
  ]);
});

Deno.test("a cell that keeps only some of its runs' steady parts is of two kinds", () => {
  for (const text of ["rate(a) > 1550/s", "rate(a) > 0.8 × rate(b)"]) {
    const { reason } = judge(survivors(), text).verdict.worst ?? {};
    assert.ok(reason?.code === "groups", `${text}: ${reason?.code}`);
    assert.equal(reason.groups.unsettled?.count, 5);
  }
});

Deno.test("one run each decides nothing, and says which side lacks an interval", () => {
  const once = resultsAt({ slow: [1_000], fast: [3_000] });
  assertOutcomes(once, [
    ["rate(fast) > 2 × rate(slow)", "one-run-each"],
    ["rate(fast) > 1/s", "one-run"],
  ]);
  const mixed = resultsAt({ slow: [1_000], fast: [3_000, 3_010] });
  const judged = judge(mixed, "rate(fast) > rate(slow)");
  assert.deepEqual(judged.verdict.worst?.reason, { code: "one-run-of", cell: "static, slow" });
});

Deno.test("wrong responses cannot make a target fast", () => {
  const change = (target: string): Partial<CellSpec> =>
    target === "fast" ? { wrongRatio: 0.2 } : {};
  assertOutcomes(resultsAt(RATES, change), [
    ["rate(fast) > 2 × rate(slow)", "wrong-responses"],
    ["rate(fast) > 4 × rate(slow)", "not reproduced"],
    ["p50(fast) < 1s", "wrong-responses"],
    ["p50(fast) < 1ms", "not reproduced"],
    ["final(fast) < 9s", "wrong-responses"],
    ["size(fast) < 1MB", "reproduced"],
  ]);
});

Deno.test("requests that timed out or were never sent leave a rate as it is, others that failed do not", () => {
  const cells = ["slow", "fast"].map((target) => ({
    ...{ target, scenario: "static", medianMs: target === "slow" ? 30 : 10, runs: 5 },
    timeoutRatio: target === "slow" ? 0.4 : 0,
  }));
  const results = resultsFixture({ cells });
  assertOutcomes(results, [
    ["rate(fast) > 2 × rate(slow)", "reproduced"],
    ["rate(slow) < 0.5 × rate(fast)", "reproduced"],
  ]);
  for (const { errors } of results.runs) {
    errors.reset = errors.timeout;
    errors.timeout = 0;
  }
  assertOutcomes(results, [["rate(slow) > 1/s", "wrong-responses"]]);
  const dropping = resultsAt(RATES);
  for (const { requests } of dropping.runs) {
    requests.dropped = requests.completed;
    requests.due += requests.dropped;
  }
  assertOutcomes(dropping, [["rate(fast) > 2 × rate(slow)", "reproduced"]]);
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
  const cells = [{ target: "a", scenario: "s", medianMs: 10, runs: 5, timeoutRatio: 0.005 }];
  assertOutcomes(resultsFixture({ cells }), [
    ["p99.9(a) < 100s", "requests-open"],
    ["p99.9(a) > 1ms", "reproduced"],
  ]);
  const results = partlyOpen();
  const { value, isAtLeast, atMost } = poolLatency(results.runs).percentile(95);
  assert.ok(isAtLeast && 1.05 * value < atMost && atMost < 2 * value, `${value} ${atMost}`);
  assertOutcomes(results, [
    [`p95(a) < ${Math.round(3 * value)}ms`, "reproduced"],
    [`p95(a) < ${Math.round(atMost)}ms`, "requests-open"],
  ]);
});

Deno.test("pairs decide: what is 1.2 times as long in every repetition is surely so, in another order it is not", () => {
  const results = resultsAt({ slow: around(1_000).slice(0, 3), fast: around(1_010).slice(0, 3) });
  const startUps = (of: (repetition: number) => number): string[] => {
    for (const run of results.runs) {
      run.startUp = run.target === "slow" ? run.repetition * 10 : of(run.repetition);
    }
    const judged = judge(results, "startUp(fast) < 2 × startUp(slow)");
    return [outcomeOf(judged), ...ends(foundOf(judged, "ratio").ratio).flatMap((end) => end ?? [])];
  };
  assert.deepEqual(startUps((repetition) => repetition * 12), [
    "reproduced",
    ...["1.20", "1.20", "1.20"],
  ]);
  assert.deepEqual(startUps((repetition) => (4 - repetition) * 12).slice(0, 2), [
    "across-limit",
    "1.20",
  ]);
});

Deno.test("what is 0 now and then is no infinite ratio for sure", () => {
  const results = resultsAt(RATES);
  const [first] = results.runs.filter(({ target }) => target === "fast");
  first.status = { "200": 1, "500": 1 };
  const judged = judge(results, "5xx(fast) > 5xx(slow)");
  assert.equal(outcomeOf(judged), "across-limit");
  assert.deepEqual(foundOf(judged, "ratio").ratio, {
    value: Infinity,
    interval: { low: 0, high: Infinity },
  });
});

Deno.test("a run's beginning, end and settling are figures of it", () => {
  const cells = [{ target: "a", scenario: "s", medianMs: 10, runs: 5, duration: 8, warmUp: 6 }];
  const results = resultsFixture({ cells });
  assertOutcomes(results, [
    ["stable(a) > 250ms", "reproduced"],
    ["stable(a) > 7s", "not reproduced"],
    ["stable.p90(a) > 250ms", "reproduced"],
    ["final(a) within 10% of 10ms", "reproduced"],
    ["final(a) < final.p75(a)", "reproduced"],
    ["final.p75(a) < final.p99(a)", "reproduced"],
    ["final.p99(a) < p99(a)", "reproduced"],
    ["final(a) < 0.8 × initial(a)", "reproduced"],
    ["initial(a) < initial.p99(a)", "reproduced"],
  ]);
  const others = resultsFixture({ cells });
  for (const { timeline } of others.runs) {
    for (const point of timeline.points) if (point.endS <= 0.5) point.p50 = 3;
  }
  assertOutcomes(others, [["initial(a) within 1% of 3ms", "reproduced"]]);
});

// Which cells a claim means.

/** Two targets, each asked two things with two numbers of connections; their medians in ms. */
function grid(median: (target: string, scenario: string, connections: number) => number): Results {
  const cells = ["cached", "plain"].flatMap((target) =>
    ["home", "search"].flatMap((scenario) =>
      [50, 200].map((connections): CellSpec => ({
        ...{ target, scenario, connections: 50, parameters: { connections }, runs: 4, duration: 2 },
        medianMs: median(target, scenario, connections),
      }))
    )
  );
  return resultsFixture({ cells });
}

const EVEN = (target: string): number => target === "cached" ? 10 : 30;
const GRID = grid((target, _, connections) => EVEN(target) * (connections === 200 ? 3 : 1));
const held = (results: Results, text: string): [string, number, number] => {
  const judged = judge(results, text);
  return [outcomeOf(judged), judged.verdict.holding, judged.verdict.of];
};

Deno.test("what is left out must hold for every value, matched on both sides", () => {
  const alike = "connections=50, connections=200";
  for (
    const [text, cells] of [
      ["p50(cached) < 0.5 × p50(plain)", 4],
      ["p50(connections=200) > 2 × p50(connections=50)", 4],
      ["p50(cached, plain, home) < 1s", 4],
      [`p50(cached, ${alike}) < 0.5 × p50(plain, ${alike})`, 4],
      // A cell is not compared with itself.
      ["p50(cached, home) < p50(cached, plain, home)", 2],
      ["rate(cached, home, connections=50) > 2 × rate(home, connections=50)", 1],
      ["p50(cached) / p50(plain) < 2 × mean(cached) / mean(plain)", 4],
    ] as const
  ) {
    assert.deepEqual(held(GRID, text), ["reproduced", cells, cells], text);
  }
});

Deno.test("one cell of all against the claim is enough, and it is the one that is shown", () => {
  const results = grid((target, scenario, connections) =>
    target === "cached" && scenario === "search" && connections === 200 ? 60 : EVEN(target)
  );
  const text = "p50(cached) < 0.5 × p50(plain)";
  assert.deepEqual(held(results, text), ["not reproduced", 3, 4]);
  const { of } = foundOf(judge(results, text), "ratio");
  assert.equal(of.place, "search, cached · connections 200");
  assertOutcomes(results, [
    ["p50(cached, home) < 0.5 × p50(plain, home)", "reproduced"],
    ["p50(cached, connections=50) < p50(plain, connections=50)", "reproduced"],
  ]);
});

Deno.test("of cells that all hold the one nearest to the limit is shown", () => {
  const places = ["rate() > 500/s", "rate() < 9000/s"]
    .map((text) => foundOf(judge(resultsAt(RATES), text), "value").of.place);
  assert.deepEqual(places, ["static, slow", "static, fast"]);
});

const MISSING: Results["missing"][number] = {
  ...{ target: "hapi", scenario: "static", parameters: {}, repetition: null },
  ...{ kind: "failed", reason: "it exited with code 1", evidence: [] },
};

Deno.test("a cell that was not measured leaves a claim open, and what the others say is known", () => {
  const missing = [MISSING, { ...MISSING, target: "slow", scenario: "fib" }];
  const results = { ...resultsAt(RATES), missing };
  assertOutcomes(results, [["rate(hapi) > rate(slow)", "cell-not-measured"]]);
  for (
    const [text, measured, holding] of [
      ["rate(static) > 500/s", "held", 2],
      ["rate(static) > 2000/s", "broken", 1],
    ] as const
  ) {
    const { outcome, verdict } = judge(results, text);
    assert.deepEqual(
      [outcome, verdict.measured, verdict.holding],
      ["inconclusive", measured, holding],
    );
  }
  const rates = Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`t${i}`, around(i * 1_000)]));
  const whole = resultsAt(rates);
  assertOutcomes(whole, [["correlation(rate, bytes) > -0.9", "reproduced"]]);
  const part = { ...whole, missing: [MISSING] };
  assertOutcomes(part, [["correlation(rate, bytes) > -0.9", "cell-not-measured"]]);
  // A run that failed beside others of its cell is no missing cell.
  const beside = { ...resultsAt(RATES), missing: [{ ...MISSING, target: "fast", repetition: 6 }] };
  assert.deepEqual(held(beside, "rate() > 500/s"), ["reproduced", 2, 2]);
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

Deno.test("cells that --only left out are known by what the file says of them", () => {
  const rows: [text: string, outcome: string, leftOut: string[]][] = [
    ["rate(delay=10ms) > 1/s", "cell-not-measured", ["search, cached", "search, front"]],
    ["rate(set.delay=0.01s, duration=2s) > 1/s", "reproduced", []],
    ["rate(app=api, connections=50) > 1/s", "cell-not-measured", ["home, plain"]],
    ["rate(home, cached, connections=50) > 1/s", "reproduced", []],
    ["rate(duration=3s) > 1/s", "none-selected", []],
    ["rate(plain) > 1/s", "cell-not-measured", ["home, plain", "search, plain"]],
    ["rate(size=3) > 1/s", "cell-not-measured", ["home, plain", "search, plain"]],
    ["rate(search, rate=300/s) > 1/s", "none-selected", []],
    ["rate(search, front, size=2, ttl=1m, store=redis) > 1/s", "cell-not-measured", [
      "search, front",
    ]],
    ["rate(front, home) > 1/s", "none-selected", []],
    ["rate(speed=1) > rate(speed=1, cached)", "wrong-selector", []],
  ];
  const results = partOfGrid();
  const found = rows.map(([text]) => {
    const judged = judge(results, text);
    const cells = judged.verdict.unmeasured.flatMap((one) => "cell" in one ? [one.cell] : []);
    return [text, outcomeOf(judged), cells];
  });
  assert.deepEqual(found, rows);
  const whole = resultsAt(RATES);
  Object.assign(Object(whole.experiment.targets), { koa: { app: "api" } });
  assertOutcomes(whole, [["rate(koa) > 1/s", "none-selected"]]);
  assertOutcomes(grid(EVEN), [["rate(connections=51) > 1/s", "none-selected"]]);
  const empty = resultsFixture({ cells: [], state: "interrupted" });
  assertOutcomes(empty, [["rate() > 1/s", "nothing-measured"]]);
});

// Peaks of throughput.

Deno.test("a peak is held by the interval of its rounds, the generator's is at least what was reached", () => {
  const once = { redis: { perSec: 4_000, by: "redis-benchmark" }, generator: null };
  assertOutcomes({ ...resultsAt(RATES), peakThroughput: once }, [
    ["rate(fast) < 0.9 × ceiling(redis)", "measured-once"],
    ["ceiling(generator) > rate(fast)", "peak-not-measured"],
    ["ceiling(redis) > 1000/s", "measured-once"],
  ]);
  const redis = { ...once.redis, rounds: [3_900, 4_000, 4_100] };
  const results = {
    ...resultsAt(RATES),
    peakThroughput: { redis, generator: { perSec: 4_000, by: "one worker" } },
  };
  assertOutcomes(results, [
    ["ceiling(redis) > 1000/s", "reproduced"],
    ["4100/s < ceiling(redis)", "across-limit"],
    ["rate(fast) < 0.9 × ceiling(redis)", "reproduced"],
    ["ceiling(redis) < rate(fast)", "not reproduced"],
    ["rate(fast) < 0.78 × ceiling(redis)", "across-limit"],
    ["ceiling(generator) > 1000/s", "reproduced"],
    ["ceiling(generator) < 3000/s", "not reproduced"],
    ["ceiling(generator) < 9000/s", "at-least"],
    ["rate(fast) < ceiling(generator)", "reproduced"],
    ["rate(fast) > 0.5 × ceiling(generator)", "at-least"],
    ["ceiling(redis) < 1.5 × ceiling(generator)", "reproduced"],
    ["ceiling(redis) > 0.5 × ceiling(generator)", "at-least"],
  ]);
  // 4,000 ± 4.303 · 100 / √3
  const { ratio } = foundOf(judge(results, "ceiling(redis) > 1000/s"), "ratio");
  assert.deepEqual(ends(ratio), ["4.00", "3.75", "4.25"]);
});

// Ratios of ratios, labels of runs, and orders of cells.

/** Rates of 1,000 and 2,000; start-up times whose ratio is given, 1 % around. */
function startingUp(ratio: number, runs = 5): Results {
  const rates = { slow: around(1_000).slice(0, runs), fast: around(2_000, 0.001).slice(0, runs) };
  const made = resultsAt(rates);
  const noise = [100.4, 98.9, 101, 99.2, 100.5]; // in another order than the rates
  for (const run of made.runs) {
    run.startUp = noise[run.repetition - 1] * (run.target === "fast" ? ratio : 1);
  }
  return made;
}

Deno.test("whether one figure changes by more than another", () => {
  const text = "startUp(fast) / startUp(slow) < rate(fast) / rate(slow)";
  const unwatched = startingUp(1.5);
  for (const run of unwatched.runs) if (run.target === "slow") run.startUp = null;
  const rows: [results: Results, outcome: string][] = [
    [startingUp(1.5), "reproduced"],
    [startingUp(3), "not reproduced"],
    [startingUp(2), "across-limit"],
    [startingUp(1.5, 1), "one-run-each"],
    [unwatched, "no-figure"],
  ];
  for (const [results, outcome] of rows) assertOutcomes(results, [[text, outcome]]);
  const { ratio } = foundOf(judge(startingUp(1.5), text), "ratios");
  assert.deepEqual(ends(ratio, 1), ["0.7", "0.7", "0.8"]);
  // What a run does to two figures alike does not make their ratio uncertain.
  const swinging = resultsAt({ slow: [1_000, 3_000, 2_000], fast: [2_000, 4_000, 6_000] });
  for (const run of swinging.runs) run.startUp = run.rate * (run.target === "fast" ? 1.1 : 1);
  assertOutcomes(swinging, [[text.replace("<", ">"), "reproduced"]]);
  // What leaves one of four figures open leaves all of it open, whichever way.
  const wrong = startingUp(1.5);
  for (const run of wrong.runs) run.checks = { passed: 0, failed: run.requests.completed };
  assertOutcomes(wrong, [[text, "wrong-responses"], [text.replace("<", ">"), "wrong-responses"]]);
});

type Label = NonNullable<Results["runs"][number]["warmup"]>["label"];

Deno.test("most runs must have a label, surely", () => {
  const five = (label: Label): Label[] => Array.from({ length: 5 }, () => label);
  const rows: [labels: (Label | null)[], outcome: string][] = [
    [five("warm-up"), "reproduced"],
    [five("flat"), "not reproduced"],
    [[...five("flat"), "flat", "flat", "warm-up"], "not reproduced"],
    [["flat", "warm-up", "flat", "warm-up"], "few-runs"],
    [[...five("warm-up"), "too-short"], "reproduced"],
    [["warm-up"], "one-run"],
    [five("too-short"), "runs-too-short"],
    [[null, null], "load-changes"],
  ];
  for (const [labels, outcome] of rows) {
    const results = resultsAt({ bun: labels.map(() => 1_000) });
    results.runs.forEach((run, i) => {
      const label = labels[i];
      run.warmup = label === null ? null : { label, steadyFromS: null };
    });
    assertOutcomes(results, [["warmup(bun) is warm-up", outcome]]);
  }
});

Deno.test("a correlation is Spearman's, by its formula of squared differences of ranks", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const results = resultsAt(Object.fromEntries(names.map((name, i) => [name, [1_000 + 100 * i]])));
  const ranks = [2, 1, 4, 3, 6, 5, 7, 8]; // d = ±1 six times: Σd² = 6
  for (const run of results.runs) run.startUp = 10 * ranks[names.indexOf(run.target)];
  const text = "correlation(rate, startUp; static) > 0.5";
  const { rho, cells } = foundOf(judge(results, text), "correlation");
  const expected = (1 - 6 * 6 / (8 * (8 ** 2 - 1))).toFixed(9);
  assert.deepEqual([rho.value.toFixed(9), cells], [expected, 8]);
  assertOutcomes(results, [
    [text, "reproduced"],
    ["correlation(rate, startUp) < 0", "not reproduced"],
    ["correlation(rate, startUp) >= 0.9", "across-limit"],
  ]);
  results.runs[0].startUp = null;
  const part = judge(results, "correlation(rate, startUp) > 0");
  assert.deepEqual([outcomeOf(part), foundOf(part, "correlation").without], ["reproduced", 1]);
  assertOutcomes(resultsAt({ a: [1_000], b: [2_000], c: [3_000] }), [
    ["correlation(rate, rate) > 0", "few-cells"],
    ["correlation(rate, 5xx) > 0", "no-order"],
  ]);
});

Deno.test("a correlation of two selectors pairs their cells by what neither names", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const rates = Object.fromEntries(names.map((name, i) => [name, [1_000 + 100 * i]]));
  const results = resultsAt(rates);
  const other = resultsAt(Object.fromEntries(names.map((name, i) => [name, [9_000 - 100 * i]])));
  for (const run of other.runs) run.scenario = "redis";
  results.runs.push(...other.runs);
  const { rho, cells } = foundOf(
    judge(results, "correlation(rate(static), rate(redis)) < 0"),
    "correlation",
  );
  assert.deepEqual([Number(rho.value.toFixed(9)), cells], [-1, 8]);
  assertOutcomes(results, [
    ["correlation(rate(static), rate(redis)) < -0.5", "reproduced"],
    ["correlation(rate(static), rate(redis)) > 0", "not reproduced"],
    ["correlation(rate(a, static), rate(a, redis)) > 0", "no-order"],
  ]);
});

Deno.test("where the set-up of a claim is not the one here, it is open whatever was measured", () => {
  const results = resultsAt(RATES);
  results.machine.allowedCores = 2;
  const cores = (cores: number) => ({ text: `cores >= ${cores}`, cores });
  const load = (term: "timeout" | "duration", leastMs: number) => ({
    text: `${term} >= ${leastMs}ms`,
    load: { term, leastMs },
  });
  const claim = (text: string) => ({ text, says: judge(results, text).claim.says });
  const [up, down] = ["rate(fast) > rate(slow)", "rate(slow) > rate(fast)"];
  const rows: [text: string, given: Claim["given"], outcome: string, isDecidable: boolean][] = [
    [down, cores(4), "fewer-cores", false],
    [up, cores(4), "fewer-cores", false],
    [down, cores(2), "not reproduced", true],
    [up, cores(2), "reproduced", true],
    [down, load("timeout", 5_000), "not reproduced", true],
    [up, load("timeout", 5_001), "shorter-load", false],
    [down, load("timeout", 5_001), "shorter-load", false],
    [up, load("duration", 1_000), "reproduced", true],
    [up, load("duration", 60_000), "shorter-load", false],
    [down, claim("rate(slow) > 1/s"), "not reproduced", true],
    [down, claim("rate(slow) > 9000/s"), "given", false],
    [up, claim("rate(slow) > 9000/s"), "given", false],
    [up, claim("rate(slow) > 1/s"), "reproduced", true],
  ];
  for (const [text, given, outcome, isDecidable] of rows) {
    const judged = judge(results, text, { given });
    assert.deepEqual([outcomeOf(judged), judged.isDecidable], [outcome, isDecidable], text);
  }
});

Deno.test("the shortest run of the claimed cells is as long as the claim asks for, or the claim is open", () => {
  const outcomes = (results: Results, term: "timeout" | "duration", leastMs: number): string[] =>
    ["rate(fast) > rate(slow)", "rate(fast) > 1/s"].map((text) =>
      outcomeOf(judge(results, text, { given: { text: term, load: { term, leastMs } } }))
    );
  const hasty = resultsAt(RATES);
  for (const { target, load } of hasty.runs) if (target === "slow") load.timeout = 4_000;
  assert.deepEqual(outcomes(hasty, "timeout", 5_000), ["shorter-load", "reproduced"]);
  const inPhases = resultsAt(RATES);
  for (const run of inPhases.runs) {
    const { connections, keepAlive, timeout } = run.load;
    run.load = {
      ...{ kind: "phases", arrivals: "uniform", pool: "own", seed: 1 },
      ...{ connections, keepAlive, timeout },
      phases: [{ durationS: 20, from: 1, to: 1 }, { durationS: 40, from: 1, to: 9 }],
    };
  }
  assert.deepEqual(outcomes(inPhases, "duration", 60_000), ["reproduced", "reproduced"]);
  assert.deepEqual(outcomes(inPhases, "duration", 60_001), ["shorter-load", "shorter-load"]);
});
