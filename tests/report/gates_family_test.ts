/** One exit code tells of all thresholds, so they are judged as one family. */
import assert from "node:assert/strict";
import { compareResults } from "../../report/subjects/compared_results.ts";
import { type Gate, judgeTogether } from "../../report/judge/gates/gates.ts";
import { fact, tested, type ThresholdEvidence } from "../../report/judge/gates/evidence.ts";
import { plain, thresholdsOf } from "./gated.ts";
import { around, resultsAt } from "./rates.ts";

function gateOf(evidence: ThresholdEvidence): Gate {
  return { threshold: "p99 < 50ms", scenario: "static", label: "a", evidence };
}

function failing(p: number): Gate {
  const remedy = "about 12 runs would decide";
  return gateOf(tested("p99 is 51 ms", { outcome: "fail", p, remedy }));
}

const passing = gateOf(tested("p99 is 9 ms", { outcome: "pass", p: 1e-9, remedy: "" }));

Deno.test("one threshold fails by its own p-value", () => {
  const [gate] = judgeTogether([failing(0.04)]);
  assert.deepEqual([gate.outcome, gate.found], ["fail", "p99 is 51 ms"]);
});

Deno.test("what fails alone and not among many is inconclusive, and says what would decide it", () => {
  const others = Array.from({ length: 19 }, () => passing);
  const [gate] = judgeTogether([failing(0.04), ...others]);
  assert.equal(gate.outcome, "inconclusive");
  assert.equal(
    gate.found,
    "p99 is 51 ms: it fails alone, but not surely among 20 tests; about 12 runs would decide",
  );
  assert.equal(judgeTogether([failing(0.0024), ...others])[0].outcome, "fail");
});

Deno.test("facts are no tests: they fail as they are, and make nothing harder", () => {
  const facts = Array.from({ length: 19 }, () => gateOf(fact("fail", "max is 90 ms")));
  const outcomes = judgeTogether([failing(0.04), ...facts]).map(({ outcome }) => outcome);
  assert.deepEqual(new Set(outcomes), new Set(["fail"]));
});

Deno.test("what passes does so by its own interval, however many fail", () => {
  const outcomes = judgeTogether([passing, failing(1e-6), failing(1e-6)]);
  assert.deepEqual(outcomes.map(({ outcome }) => outcome), ["pass", "fail", "fail"]);
});

Deno.test("the thresholds of a comparison are one family with the figures that decide it", () => {
  const [base, next] = [resultsAt({ a: around(1_000) }), resultsAt({ a: around(1_000, 0.0005) })];
  // 4 degrees of freedom: the limit is 3.3 standard errors away, which is p = 0.03.
  const thresholds = thresholdsOf("rate > 1012/s");
  const alone = compareResults(base, next, { thresholds }).gates[0];
  assert.equal(alone.outcome, "inconclusive", alone.found);
  assert.match(
    plain(alone).found,
    /: it fails alone, but not surely among 4 tests; about \d+ runs/,
  );
});

Deno.test("against a baseline of another session worse fails where it is known how sessions differ", () => {
  const session = (rate: number, day: number) => ({
    ...resultsAt({ a: around(rate) }),
    startedAt: `2031-05-0${day}T10:18:00.000Z`,
  });
  const earlier = [990, 1_000, 1_010, 1_004, 995].map((rate, day) => session(rate, day + 1));
  const thresholds = thresholdsOf("rate not worse than baseline by 5%");
  const judged = (options: { earlier?: typeof earlier }) => {
    const { gates } = compareResults(session(1_000, 8), session(600, 9), {
      thresholds,
      ...options,
    });
    return plain(gates[0]);
  };
  assert.equal(judged({ earlier }).outcome, "fail", judged({ earlier }).found);
  assert.equal(judged({}).outcome, "inconclusive");
  assert.match(judged({}).found, /: worse in these two sessions, /);
});
