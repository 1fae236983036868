import assert from "node:assert/strict";
import { ExpectedError } from "../../base/errors.ts";
import { verifyGates } from "../../cli/output/verify.ts";
import type { ThresholdOutcome } from "../../report/judge/thresholds.ts";

async function endOf(
  ...outcomes: ThresholdOutcome[]
): Promise<{ code: number; lines: readonly string[] }> {
  const gates = outcomes.map((outcome, i) => ({
    threshold: `p9${i} < 1ms`,
    scenario: "static",
    label: "api",
    outcome,
    found: `p9${i} is 2 ms`,
  }));
  try {
    await verifyGates(gates);
    return { code: 0, lines: [] };
  } catch (error) {
    assert.ok(error instanceof ExpectedError, String(error));
    return { code: error.exitCode, lines: error.lines };
  }
}

const ends: [sentence: string, outcomes: ThresholdOutcome[], code: number][] = [
  ["there is no threshold", [], 0],
  ["all thresholds held", ["pass", "pass"], 0],
  ["a threshold failed", ["pass", "fail"], 1],
  ["a threshold is inconclusive", ["pass", "inconclusive"], 5],
  ["one failed and another is inconclusive", ["inconclusive", "fail"], 1],
];

for (const [sentence, outcomes, code] of ends) {
  Deno.test(`the exit code is ${code} when ${sentence}`, async () => {
    assert.equal((await endOf(...outcomes)).code, code);
  });
}

Deno.test("what failed is reported, a line each", async () => {
  assert.deepEqual((await endOf("pass", "fail", "inconclusive")).lines, [
    "1 of 3 thresholds fails, 1 is inconclusive",
    "  p91 < 1ms: static, api: p91 is 2 ms",
  ]);
});

Deno.test("a single threshold is not counted", async () => {
  assert.equal((await endOf("fail")).lines[0], "The threshold fails");
  assert.equal(
    (await endOf("inconclusive")).lines[0],
    "The threshold is inconclusive: there is not enough evidence for a verdict",
  );
});

Deno.test("what a summary before the reader's eyes says is not repeated", async () => {
  const gate = { threshold: "p99 < 1ms", scenario: "", label: "", found: "p99 is 2 ms" };
  for (const outcome of ["fail", "inconclusive"] as const) {
    await assert.rejects(
      verifyGates([{ ...gate, outcome }], { hasSummary: true }),
      (error) => error instanceof ExpectedError && error.lines.length === 1,
    );
  }
});
