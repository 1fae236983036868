import assert from "node:assert/strict";
import { gateLine, type GateOutcome, worstOf } from "../../report/judge/gates/gates.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { judge, plain, thresholdsOf, timed } from "./gated.ts";
import { around, resultsAt } from "./rates.ts";

/** 10,000 requests: 4 reset, 5 under way at the end, 1 never sent, 5 answered wrong; the p99 at 49 ms. */
const WHOLE: Measurement = {
  ...timed([[9_850, 5], [140, 49]]),
  requests: { due: 10_000, completed: 9_990, failed: 4, unfinished: 5, dropped: 1 },
  status: { "200": 9_990 },
  errors: { reset: 4 },
  checks: { passed: 9_985, failed: 5 },
};

const ONE_RUN: [text: string, outcome: string, found: RegExp, changes?: Partial<Measurement>][] = [
  ["p99 < 50ms", "pass", /^p99 is 49\.0 ms$/],
  ["p99 < 49ms", "fail", /^p99 is 49\.0 ms$/],
  ["p99 <= 49ms", "pass", /^p99 is 49\.0 ms$/],
  ["rate > 1000/s", "pass", /^rate is 1,200\/s$/],
  ["rate >= 1201/s", "fail", /^rate is 1,200\/s$/],
  // 4 failed, 5 wrong, 1 never sent, of the 9,995 that were not under way at the end.
  ["success >= 99.8%", "pass", /^success is 99\.90 % \[99\.82 %, 99\.95 %\]$/],
  ["success >= 99.9%", "inconclusive", /^success is 99\.90 % .*: it lies at the limit/],
  ["success >= 99.96%", "fail", /^success is 99\.90 % /],
  ["errors <= 0.2%", "pass", /^errors is 0\.10 % \[0\.05 %, 0\.18 %\]$/],
  ["dropped < 0.1%", "pass", /^dropped is 0\.010 % \[0\.002 %, 0\.057 %\]$/],
  ["dropped <= 0", "fail", /^dropped is 0\.010 %$/],
  ["max < 49ms", "fail", /^max is 49\.0 ms$/],
  ["generator.cpu < 0.001", "fail", /^generator\.cpu is .* cores$/],
  ["success >= 99%", "fail", /^success is 80 % \[77 %, 82 %\]$/, {
    checks: { passed: 0, failed: 0 },
    status: { "200": 800, "503": 200 },
    requests: { due: 1_000, completed: 1_000, failed: 0, unfinished: 0, dropped: 0 },
  }],
  ["p99 < 50ms", "fail", /^nothing to judge: no request has a latency$/, {
    latency: { ...WHOLE.latency, count: 0 },
  }],
  ["rate < 5/s", "fail", /^nothing to judge: no request was due$/, {
    requests: { due: 0, completed: 0, failed: 0, unfinished: 0, dropped: 0 },
  }],
  ["errors <= 0", "fail", /^nothing to judge: no request ended$/, {
    requests: { due: 3, completed: 0, failed: 0, unfinished: 3, dropped: 0 },
    checks: { passed: 0, failed: 0 },
    status: {},
  }],
  ["lag.p99 < 1ms", "fail", /^nothing to judge: a closed loop/],
  [
    "cpu < 4",
    "fail",
    /^nothing to judge: CPU and memory are those of targets that Plateau starts$/,
  ],
  ["startUp < 1s", "fail", /^nothing to judge: the target was not started here$/],
  ["connect.p99 < 1s", "fail", /^nothing to judge: no connection was made$/, {
    connect: { ...WHOLE.connect, count: 0 },
  }],
];

for (const [text, outcome, found, changes] of ONE_RUN) {
  const given = changes ? `, given ${JSON.stringify(changes).slice(0, 60)}` : "";
  Deno.test(`one measurement: ${text} is ${outcome}${given}`, () => {
    const gate = judge(text, { ...WHOLE, ...changes });
    assert.equal(gate.outcome, outcome, gate.found);
    assert.match(gate.found, found);
  });
}

Deno.test("an open loop's lag is judged", () => {
  const { connections, keepAlive, timeout } = WHOLE.load;
  const common = { connections, keepAlive, timeout, arrivals: "uniform", seed: 1 } as const;
  const load = { kind: "rate", rate: 100, durationS: 3, ...common } as const;
  const generator = { ...WHOLE.generator, lag: { p50: 0.1, p99: 0.5, max: 2 } };
  assert.equal(judge("lag.p99 < 1ms", { ...WHOLE, load, generator }).outcome, "pass");
  assert.equal(judge("lag.max < 1ms", { ...WHOLE, load, generator }).outcome, "fail");
});

/** Outcome of a threshold on five runs of around 1,000 requests/s. */
function overRuns(text: string, rates: readonly number[] = around(1_000)): GateOutcome {
  const results = resultsAt({ a: rates });
  results.experiment.thresholds = thresholdsOf(text);
  return plain(reportModel(results).gates.outcomes[0]);
}

const SEVERAL_RUNS: [sentence: string, text: string, outcome: string, found: RegExp][] = [
  ["the whole interval is on the right side", "rate > 900/s", "pass", /\[.*\]$/],
  ["the whole interval is on the wrong side", "rate > 1100/s", "fail", /\[.*\]$/],
  [
    "the interval lies across the limit",
    "rate > 997/s",
    "inconclusive",
    /\]: about \d+ runs would decide$/,
  ],
  ["of shares, too", "success >= 99%", "pass", /^success is 100 % \[99\.\d+ %, 100 %\]$/],
  ["of the target's memory, too", "memory < 1MB", "fail", /\[.*\]$/],
  ["the largest of all runs is a fact, not an estimate", "max < 1ms", "fail", /^max is [\d.]+ ms$/],
  ["bounds too few to move the percentile", "p95 < 100ms", "pass", /^p95 is [23]\d\.\d ms \[.*\]$/],
  [
    "bounds that could move it over the limit",
    "p99.9 < 400ms",
    "inconclusive",
    /^p99\.9 is ≥ .*: 250 requests never ended, so it may be more$/,
  ],
  ["bounds that could only make it worse", "p99.9 < 50ms", "fail", /^p99\.9 is ≥ /],
  ["bounds that could only make it better", "p99.9 > 50ms", "pass", /^p99\.9 is ≥ /],
  [
    "too few requests for the percentile",
    "p99.99 < 9s",
    "inconclusive",
    /: p99\.99 needs 100,000 requests, \d+,\d+ were measured$/,
  ],
];

for (const [sentence, text, outcome, found] of SEVERAL_RUNS) {
  Deno.test(`several runs: ${sentence}: ${text} is ${outcome}`, () => {
    const gate = overRuns(text);
    assert.equal(gate.outcome, outcome, gate.found);
    assert.match(gate.found, found);
  });
}

Deno.test("runs of two kinds decide nothing where the limit is between them", () => {
  const kinds = [1_000, 1_002, 998, 1_001, 600];
  const split = overRuns("rate > 700/s", kinds);
  assert.equal(split.outcome, "inconclusive");
  assert.match(split.found, /: runs fall into two groups: 4 near 1,000\/s, 1 near 600\/s$/);
  assert.equal(overRuns("rate > 100/s", kinds).outcome, "pass");
});

Deno.test("a threshold on results without a run fails", () => {
  const results = resultsFixture({ cells: [], state: "interrupted" });
  results.experiment.thresholds = thresholdsOf("p99 < 50ms");
  assert.deepEqual(reportModel(results).gates.outcomes.map(gateLine), [
    "✗ p99 < 50ms: nothing was measured",
  ]);
});

Deno.test("a failure outweighs what is inconclusive, and that outweighs a pass", () => {
  const outcomes = (["pass", "inconclusive", "fail"] as const).map((outcome) => ({ outcome }));
  assert.deepEqual([3, 2, 1, 0].map((count) => worstOf(outcomes.slice(0, count))), [
    "fail",
    "inconclusive",
    "pass",
    "pass",
  ]);
});

Deno.test("terminal, page model and markdown say the same of a threshold", () => {
  const results = resultsAt({ a: around(1_000) });
  results.experiment.thresholds = thresholdsOf("rate > 1100/s", "rate > 900/s");
  const model = reportModel(results);
  const text = renderSummary(model, { width: 200, color: false, unicode: true });
  const markdown = renderMarkdown(model);
  assert.match(text, /✗ rate > 1100\/s: static, a: rate is [\d.,]+\/s \[.*\]\n✓ rate > 900\/s: /);
  assert.match(markdown, /### Thresholds\n\n\| Threshold \| Of \| Outcome \| Found \|\n/);
  assert.match(markdown, /\| rate &gt; 1100\/s \| static, a \| ✗ fail \| rate is /);
  const outcomes = model.gates.table?.rows.map(([, , { text }]) => text);
  assert.deepEqual(outcomes, ["✗ fail", "✓ pass"]);
});
