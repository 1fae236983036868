/** Thresholds that name their cells, on drawn results. */
import assert from "node:assert/strict";
import { type GateOutcome, gatesModel } from "../../report/judge/gates/gates.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import type { Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { plain, thresholdsOf } from "./gated.ts";

const RESULTS = resultsFixture({
  cells: [
    { target: "plain", scenario: "list", medianMs: 12, runs: 6 },
    { target: "cached", scenario: "list", medianMs: 2, runs: 6 },
    { target: "plain", scenario: "wait", medianMs: 40, runs: 6 },
    { target: "cached", scenario: "wait", medianMs: 38, runs: 6 },
  ],
});

function judged(text: string, results: Results = RESULTS): GateOutcome[] {
  const thresholds = thresholdsOf(text);
  const gated = { ...results, experiment: { ...results.experiment, thresholds } };
  return gatesModel(groupRuns(gated), gated, null).outcomes.map(plain);
}

function told(text: string, results: Results = RESULTS): string[] {
  return judged(text, results).map(({ scenario, label, outcome }) =>
    `${scenario}, ${label}: ${outcome}`
  );
}

Deno.test("a threshold of named cells is held against them alone", () => {
  assert.deepEqual(told("p50(list) < 20ms"), ["list, plain: pass", "list, cached: pass"]);
  assert.deepEqual(told("p50(cached, list) < 1ms"), ["list, cached: fail"]);
  assert.deepEqual(told("p50() < 20ms").map((line) => line.split(": ")[1]), [
    "pass",
    "pass",
    "fail",
    "fail",
  ]);
});

Deno.test("a threshold of one figure against another is held against each pair", () => {
  assert.deepEqual(told("rate(cached) > 1.5 × rate(plain)"), [
    "list, cached: pass",
    "wait, cached: fail",
  ]);
  assert.deepEqual(told("rate(cached, list) > 20 × rate(plain, list)"), ["list, cached: fail"]);
  assert.deepEqual(told("p50(cached, list) < 0.5 × p50(plain, list)"), ["list, cached: pass"]);
  assert.deepEqual(told("rate(list) > rate(wait)"), ["list, plain: pass", "list, cached: pass"]);
});

Deno.test("what decides a pair is the interval of its ratio", () => {
  const [{ found }] = judged("rate(cached, list) > 1.5 × rate(plain, list)");
  assert.match(
    found,
    /^rate is [\d,]+\/s, rate is [\d,]+\/s in list, plain: \d.*× \[.*\], allowed > 1.5×$/,
  );
});

Deno.test("a pair with one run each is undecided, and says why", () => {
  const cells = ["plain", "cached"].map((target, i) => ({
    target,
    scenario: "list",
    medianMs: 12 / (1 + 5 * i),
  }));
  const once = resultsFixture({ cells });
  const [gate] = judged("rate(cached) > 2 × rate(plain)", once);
  assert.equal(gate.outcome, "inconclusive");
  assert.match(gate.found, /one run each: no interval/);
});

Deno.test("a gate that names what was not measured does not open", () => {
  const missing: Results["missing"] = [{
    target: "gone",
    scenario: "list",
    parameters: {},
    repetition: null,
    kind: "failed",
    reason: "it never started",
    evidence: [],
  }];
  const results = resultsFixture({
    cells: [{ target: "plain", scenario: "list", medianMs: 12, runs: 3 }],
    missing,
    experiment: { targets: { plain: { app: "api" }, gone: { app: "api" } } },
  });
  assert.deepEqual(told("p50(gone) < 20ms", results), ["list, gone: fail"]);
  assert.deepEqual(told("rate(plain) > rate(gone)", results), ["list, plain: fail"]);
  assert.match(judged("p50(gone) < 20ms", results)[0].found, /not measured: it never started/);
  assert.match(judged("p50(nobody) < 20ms", results)[0].found, /Cannot find .*nobody/);
});

Deno.test("those that time out leave a faster rate open", () => {
  const results = resultsFixture({
    cells: [
      { target: "plain", scenario: "list", medianMs: 12, runs: 5 },
      { target: "cached", scenario: "list", medianMs: 6, runs: 5, wrongRatio: 0.4 },
    ],
  });
  const [gate] = judged("rate(cached) > rate(plain)", results);
  assert.equal(gate.outcome, "inconclusive");
  assert.match(gate.found, /wrong or failed, and a fast error is no success/);
});
