/** Thresholds that compare with a baseline: of another session, of the same, or of one run. */
import assert from "node:assert/strict";
import type { GateOutcome } from "../../report/judge/gates/gates.ts";
import { reportModel } from "../../report/model.ts";
import { judge, plain, thresholdsOf, timed } from "./gated.ts";
import { around, resultsAt } from "./rates.ts";

/** The outcome against a baseline of about 1,000 requests/s, of another session or of the same. */
function againstBaseline(
  text: string,
  rates: readonly number[],
  startedAt = "2031-05-03T10:18:00.000Z",
): GateOutcome {
  const results = resultsAt({ a: rates });
  results.experiment.thresholds = thresholdsOf(text);
  const baseline = { ...resultsAt({ a: around(1_000) }), startedAt };
  return plain(reportModel(results, baseline).gates.outcomes[0]);
}

/** What passes does so where it was measured. */
const HERE = /×.* is allowed, in these two sessions$/;

const BASELINES: [text: string, rates: readonly number[], outcome: string, end: RegExp][] = [
  ["rate not worse than baseline by 5%", around(1_000, 0.0005), "pass", HERE],
  ["rate not worse than baseline by 5%", around(5_000, 0.001), "pass", HERE],
  [
    "rate not worse than baseline by 5%",
    around(800, 0.001),
    "inconclusive",
    /: worse in these two sessions, /,
  ],
  [
    "rate not worse than baseline by 5%",
    [900, 1_000, 1_040, 930, 980],
    "inconclusive",
    /: about \d+ runs a side would decide$/,
  ],
  ["rate not worse than baseline by 50%", [900, 1_000, 1_040, 930, 980], "pass", HERE],
  ["memory not worse than baseline by 50%", around(1_000), "pass", HERE],
  [
    "rate not worse than baseline by 5%",
    [1_000],
    "inconclusive",
    /: one run says nothing about the next: /,
  ],
  [
    "max not worse than baseline by 5%",
    around(1_000),
    "inconclusive",
    /: it has no interval over the runs: /,
  ],
];

for (const [text, rates, outcome, end] of BASELINES) {
  Deno.test(`${text}: ${outcome} at ${rates.map(Math.round).join(", ")}`, () => {
    const gate = againstBaseline(text, rates);
    assert.equal(gate.outcome, outcome, gate.found);
    assert.match(gate.found, /in the baseline /);
    assert.match(gate.found, end);
  });
}

Deno.test("what is worse in the same session fails", () => {
  const { startedAt } = resultsAt({ a: [1_000] });
  const text = "rate not worse than baseline by 5%";
  const gate = againstBaseline(text, around(800, 0.001), startedAt);
  assert.equal(gate.outcome, "fail", gate.found);
  assert.match(gate.found, / 5 % is allowed$/);
  const same = againstBaseline(text, around(1_000, 0.0005), startedAt);
  assert.equal(same.outcome, "pass", same.found);
});

Deno.test("one run against one run of the baseline decides nothing, whatever their values", () => {
  const baseline = resultsAt({ a: [1_000] });
  for (const rate of [1, 940, 1_200, 1e6]) {
    const gate = judge(
      "rate not worse than baseline by 5%",
      { ...timed([[1_000, 5]]), rate },
      baseline,
    );
    assert.equal(gate.outcome, "inconclusive");
    assert.match(gate.found, /: one run says nothing about the next: measure 5 or more a side$/);
  }
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
