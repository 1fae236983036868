import assert from "node:assert/strict";
import { type GateOutcome, judgeCells, worstOf } from "../../report/gates.ts";
import { gatedMeasurement } from "../../report/gates/cells.ts";
import { gateLine } from "../../report/gates/table.ts";
import { renderMarkdown } from "../../report/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderSummary } from "../../report/terminal/summary.ts";
import type { Measurement, Results } from "../../runner/result.ts";
import { parseThreshold, type Threshold } from "../../scenarios/threshold.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";

function thresholdsOf(...texts: string[]): Threshold[] {
  return texts.map((text) => {
    const parsed = parseThreshold(text);
    assert.ok("threshold" in parsed, JSON.stringify(parsed));
    return parsed.threshold;
  });
}

const BASE = measurementFixture({ target: "a", scenario: "s", medianMs: 5 });

/** Without lower bounds, which decide some thresholds by themselves. */
const WHOLE: Measurement = {
  ...BASE,
  rate: 1_200,
  latency: {
    ...BASE.latency,
    censored: 0,
    count: 1_000,
    percentiles: { ...BASE.latency.percentiles, "50": 5, "99": 49 },
    max: 80,
  },
  requests: { due: 1_000, completed: 990, failed: 4, unfinished: 5, dropped: 1 },
  status: { "200": 990 },
  errors: { reset: 4 },
  checks: { passed: 985, failed: 5 },
};

function judge(
  text: string,
  measurement: Measurement,
  baseline: Results | null = null,
): GateOutcome {
  const cells = [gatedMeasurement(measurement, baseline)];
  return judgeCells(thresholdsOf(text), cells, { hasBaseline: baseline !== null })[0];
}

const ONE_RUN: [text: string, outcome: string, found: RegExp, changes?: Partial<Measurement>][] = [
  ["p99 < 50ms", "pass", /^p99 is 49\.0 ms$/],
  ["p99 < 49ms", "fail", /^p99 is 49\.0 ms$/],
  ["p99 <= 49ms", "pass", /^p99 is 49\.0 ms$/],
  ["rate > 1000/s", "pass", /^rate is 1,200\/s$/],
  ["rate >= 1201/s", "fail", /^rate is 1,200\/s$/],
  // 4 failed, 5 wrong, 1 never sent, of the 995 that were not under way at the end.
  ["success >= 98.9%", "pass", /^success is 99\.0 %$/],
  ["success >= 99%", "fail", /^success is 99\.0 %$/],
  ["errors <= 1.01%", "pass", /^errors is 1\.01 %$/],
  ["dropped < 0.1%", "fail", /^dropped is 0\.10 %$/],
  ["max < 80ms", "fail", /^max is 80\.0 ms$/],
  ["generator.cpu < 0.001", "fail", /^generator\.cpu is .* cores$/],
  ["success >= 99%", "fail", /^success is 80\.0 %$/, {
    checks: { passed: 0, failed: 0 },
    status: { "200": 800, "503": 200 },
    requests: { due: 1_000, completed: 1_000, failed: 0, unfinished: 0, dropped: 0 },
  }],
  ["p99 < 50ms", "fail", /^p99 is 49\.0 ms or more: requests that timed out or were unfinished/, {
    latency: { ...WHOLE.latency, censored: 11 },
  }],
  ["p99 < 50ms", "pass", /^p99 is 49\.0 ms$/, { latency: { ...WHOLE.latency, censored: 10 } }],
  ["max < 9s", "fail", /or more/, { errors: { timeout: 1 } }],
  ["p99 > 40ms", "pass", /^p99 is 49\.0 ms$/, { latency: { ...WHOLE.latency, censored: 500 } }],
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
    assert.match(gate.found.replaceAll("\u00a0", " "), found);
  });
}

Deno.test("an open loop's lag is judged", () => {
  const { connections, keepAlive, timeout } = BASE.load;
  const common = { connections, keepAlive, timeout, arrivals: "uniform", seed: 1 } as const;
  const load = { kind: "rate", rate: 100, duration: 3, ...common } as const;
  const generator = { ...BASE.generator, lag: { p50: 0.1, p99: 0.5, max: 2 } };
  assert.equal(judge("lag.p99 < 1ms", { ...WHOLE, load, generator }).outcome, "pass");
  assert.equal(judge("lag.max < 1ms", { ...WHOLE, load, generator }).outcome, "fail");
});

/** Outcome of a threshold on five runs of around 1,000 requests/s. */
function overRuns(text: string, rates: readonly number[] = around(1_000)): GateOutcome {
  const results = resultsAt({ a: rates });
  results.experiment.thresholds = thresholdsOf(text);
  return reportModel(results).gates.outcomes[0];
}

const SEVERAL_RUNS: [sentence: string, text: string, outcome: string][] = [
  ["the whole interval is on the right side", "rate > 900/s", "pass"],
  ["the whole interval is on the wrong side", "rate > 1100/s", "fail"],
  ["the interval lies across the limit", "rate > 1000/s", "inconclusive"],
  ["of shares, too", "success >= 99%", "pass"],
  ["of the target's memory, too", "memory < 1MB", "fail"],
  ["the largest of all runs is a fact, not an estimate", "max < 1ms", "fail"],
];

for (const [sentence, text, outcome] of SEVERAL_RUNS) {
  Deno.test(`several runs: ${sentence}: ${text} is ${outcome}`, () => {
    const gate = overRuns(text);
    assert.equal(gate.outcome, outcome, gate.found);
    const hasInterval = /^(?:rate|memory)/.test(text);
    assert.equal(/\[.*\]$/.test(gate.found), hasInterval, gate.found);
  });
}

/** The outcome against a baseline of about 1,000 requests/s. */
function againstBaseline(text: string, rates: readonly number[]): GateOutcome {
  const results = resultsAt({ a: rates });
  results.experiment.thresholds = thresholdsOf(text);
  return reportModel(results, resultsAt({ a: around(1_000) })).gates.outcomes[0];
}

const BASELINES: [text: string, rates: readonly number[], outcome: string][] = [
  ["rate not worse than baseline by 5%", around(1_000, 0.0005), "pass"],
  ["rate not worse than baseline by 5%", around(5_000, 0.001), "pass"],
  ["rate not worse than baseline by 5%", around(800, 0.001), "fail"],
  ["rate not worse than baseline by 5%", [900, 1_000, 1_040, 930, 980], "inconclusive"],
  ["rate not worse than baseline by 50%", [900, 1_000, 1_040, 930, 980], "pass"],
  ["memory not worse than baseline by 50%", around(1_000), "pass"],
];

for (const [text, rates, outcome] of BASELINES) {
  Deno.test(`${text}: ${outcome} at ${rates.map(Math.round).join(", ")}`, () => {
    const gate = againstBaseline(text, rates);
    assert.equal(gate.outcome, outcome, gate.found);
    assert.match(gate.found, /in the baseline .*×.* is allowed$/);
  });
}

Deno.test("one run is held against one run of the baseline by their values", () => {
  const baseline = resultsAt({ a: [1_000] });
  assert.equal(judge("rate not worse than baseline by 5%", WHOLE, baseline).outcome, "pass");
  const slow = { ...WHOLE, rate: 940 };
  assert.equal(judge("rate not worse than baseline by 5%", slow, baseline).outcome, "fail");
});

Deno.test("a cell that the baseline has not fails, as it was compared with nothing", () => {
  const results = resultsAt({ a: [1_000, 1_010], b: [1_000, 1_010] });
  results.experiment.thresholds = thresholdsOf("rate not worse than baseline");
  const { outcomes } =
    reportModel(results, resultsAt({ a: [1_000, 1_010], c: [1_000, 1_010] })).gates;
  assert.deepEqual(outcomes.map(({ label }) => label), ["a", "b"]);
  assert.match(outcomes[1].found, /the baseline has no such cell/);
  assert.equal(outcomes[1].outcome, "fail");
});

Deno.test("without a baseline such thresholds are left out, and that is said", () => {
  const results = resultsAt({ a: [1_000, 1_010] });
  results.experiment.thresholds = thresholdsOf("rate not worse than baseline", "rate > 0/s");
  const { gates } = reportModel(results);
  assert.deepEqual(gates.outcomes.map(({ threshold }) => threshold), ["rate > 0/s"]);
  assert.match(gates.note, /^1 threshold not judged here, without a baseline/);
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
