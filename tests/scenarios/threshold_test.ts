import assert from "node:assert/strict";
import { margin, parseThreshold, type Threshold } from "../../scenarios/claims/threshold.ts";
import { RIGHT, wrongLines } from "./right_experiment.ts";

function parsed(text: string): Threshold {
  const result = parseThreshold(text);
  assert.ok("threshold" in result, JSON.stringify(result));
  return result.threshold;
}

const limits: [text: string, figure: string, relation: string, limit: number][] = [
  ["p99 < 50ms", "p99", "<", 50],
  ["p99.9<=1.5s", "p99.9", "<=", 1_500],
  ["  mean   <  250 us ", "mean", "<", 0.25],
  ["latency.p95 ≤ 10ms", "p95", "<=", 10],
  ["service.p99.9 < 1s", "service.p99.9", "<", 1_000],
  ["success >= 99.9%", "success", ">=", 0.999],
  ["errors <= 0", "errors", "<=", 0],
  ["dropped < 0.1 %", "dropped", "<", 0.001],
  ["rate > 1000/s", "rate", ">", 1_000],
  ["rate ≥ 600/m", "rate", ">=", 10],
  ["lag.p99 < 1ms", "lag.p99", "<", 1],
  ["cpu < 1.5", "cpu", "<", 1.5],
  ["memory < 200MB", "memory", "<", 200e6],
];

for (const [text, figure, relation, limit] of limits) {
  Deno.test(`threshold: ${text}`, () => {
    const found = parsed(text);
    assert.ok(found.against === "limit");
    assert.deepEqual([found.figure, found.relation, found.limit], [figure, relation, limit]);
  });
}

Deno.test("threshold: against a baseline, with its margin or the usual one", () => {
  const margins = [
    "p99 not worse than baseline by 5%",
    "rate not worse than the baseline by 0.5%",
    "memory NOT worse than baseline",
  ].map((text) => {
    const found = parsed(text);
    return found.against === "baseline" && [found.figure, found.better, found.marginRatio];
  });
  assert.deepEqual(margins, [["p99", "lower", 0.05], ["rate", "higher", 0.005], [
    "memory",
    "lower",
    0.02,
  ]]);
});

Deno.test("threshold: of the cells that it names, as a claim names them", () => {
  const one = parsed("p99(wait) < 2s");
  assert.ok(one.against === "limit");
  assert.deepEqual([one.figure, one.selector?.text, one.relation, one.limit], [
    "p99",
    "wait",
    "<",
    2_000,
  ]);
  const turned = parsed("1000/s <= 2 × rate(cached, connections=50)");
  assert.ok(turned.against === "limit");
  assert.deepEqual([turned.figure, turned.relation, turned.limit], ["rate", ">=", 500]);
  assert.deepEqual(turned.selector?.parts, [
    { key: null, value: "cached" },
    { key: "connections", value: "50" },
  ]);
  const baseline = parsed('p99(wait, "a b") not worse than baseline by 5%');
  assert.ok(baseline.against === "baseline");
  assert.deepEqual([baseline.selector?.parts.length, baseline.marginRatio], [2, 0.05]);
});

Deno.test("threshold: of some cells against others", () => {
  const found = parsed("2 × rate(cached) > 3 × rate(plain)");
  assert.ok(found.against === "cells");
  assert.deepEqual(
    [found.figure, found.selector.text, found.relation, found.factor, found.to.selector.text],
    ["rate", "cached", ">", 1.5, "plain"],
  );
});

Deno.test("thresholds of a file name cells that are there", () => {
  const named = `${RIGHT}thresholds:\n  - p99(nobody) < 50ms\n`;
  assert.match(wrongLines(named).join("\n"), /^x.yaml:5:5: thresholds.0: Cannot find .*"nobody"/);
});

const wrong: [text: string, ...problems: RegExp[]][] = [
  [
    "p99 50ms",
    /^Cannot read "p99 50ms" as a threshold: write a figure, <, <=, > or >=, and a limit/,
  ],
  ["", /^Cannot read "" as a threshold/],
  ["p98 < 50ms", /^Cannot find the figure "p98": did you mean "p9\d"\?$/],
  ["succes > 99%", /^Cannot find the figure "succes": did you mean "success"\?$/],
  ["zebra < 1", /^Cannot find the figure "zebra": the figures are rate, success,/],
  ["p99 < 50", /^Cannot read "50" as a duration: write 50ms$/],
  ["rate > 1000", /^Cannot read "1000" as a rate: write 1000\/s$/],
  ["success >= 99.9", /^Cannot read "99.9" as a share: write 99.9%$/],
  ["success >= 0.999", /^Cannot read "0.999" as a share: write 99.9% or 0.999%$/],
  ["success >= 101%", /^Cannot read "101%" as a share: write a percentage from 0% to 100%/],
  ["p99 == 5ms", /^Cannot use == in a threshold: write <, <=, > or >=$/],
  ["p99 = 5", /^Cannot use = in/, /^Cannot read "5" as a duration/],
  ["p99 <", /^Cannot read "" as a duration/],
  ["errors < 0%", /no value is below 0; write <= 0$/],
  ["success > 100%", /no value is above 100%; write >= 100%$/],
  ["p99(wait) 2s", /^Cannot read "p99\(wait\) 2s" as a threshold: write a figure/],
  ["p98(wait) < 2s", /^Cannot find the figure "p98"/],
  ["p99(wait) < 2", /^Cannot read "2" as a duration: write 2ms$/],
  ["errors(wait) < 0%", /no value is below 0; write <= 0$/],
  [
    "rate(wait) > 0.5 × ceiling(generator)",
    /^Cannot use .* as a threshold: it contains a ceiling/,
  ],
  ["rate(a) > p99(b)", /their units differ$/],
  ["rate(a) within 5% of rate(b)", /^Cannot read .* as a threshold: write a figure, </],
  [
    "success not worse than baseline by 5",
    /^Cannot compare success with a baseline/,
    /as a margin: write 5%$/,
  ],
];

for (const [text, ...problems] of wrong) {
  Deno.test(`threshold: "${text}" is wrong, and why`, () => {
    const result = parseThreshold(text);
    assert.ok("problems" in result);
    assert.equal(result.problems.length, problems.length, result.problems.join("\n"));
    problems.forEach((problem, i) => assert.match(result.problems[i], problem));
  });
}

Deno.test("thresholds of a file are told of at their line, all at once", () => {
  const text = `${RIGHT}thresholds:\n  - p99 < 50ms\n  - p99 < 50\n  - rat > 1/s\n`;
  assert.deepEqual(wrongLines(text), [
    'x.yaml:6:5: thresholds.1: Cannot read "50" as a duration: write 50ms',
    'x.yaml:7:5: thresholds.2: Cannot find the figure "rat": did you mean "rate"?',
  ]);
  assert.deepEqual(wrongLines(`${RIGHT}thresholds: ["p99 < 50ms", "success >= 99.9%"]\n`), []);
});

Deno.test("a margin is a percentage", () => {
  assert.equal(margin.parse("2.5%"), 0.025);
  assert.equal(margin.parse(" 2.5 % "), 0.025);
  assert.equal(margin.parse("0%"), 0);
  assert.match(String(margin.safeParse("150").error), /write a percentage from 0% to 100%/);
  assert.match(String(margin.safeParse("2").error), /as a margin: write 2%/);
  assert.match(String(margin.safeParse("0.05").error), /as a margin: write 5% or 0.05%/);
});
