import assert from "node:assert/strict";
import { capacitySentence, trialSentence } from "../../report/model/capacity.ts";
import { GLUE } from "../../report/model/numbers/units.ts";
import type { CapacityResult, CapacityTrial } from "../../runner/result/capacity.ts";

const TRIAL: CapacityTrial = {
  ratePerSec: 13_640,
  plannedS: 30,
  elapsedS: 1.5,
  completedPerSec: 12_300,
  outcome: "broken",
  counts: true,
  rules: [],
  p50: 400,
  p99: 800,
  success: 1,
  trust: "valid",
  findings: [],
  recoveryS: 2,
};

const RESULT: CapacityResult = {
  schema: "plateau.capacity/1",
  version: "0.0.0",
  url: "http://127.0.0.1/",
  within: ["p99 < 50ms"],
  load: { connections: 50, arrivals: "uniform", timeout: 5_000 },
  widthRatio: 0.02,
  trialS: [5, 30],
  budgetS: 1_200,
  seed: 1,
  elapsedS: 100,
  peakPerSec: 13_000,
  end: "found",
  capacity: { value: 12_400, low: 12_150, high: 12_650, bound: "target" },
  binding: "p99 < 50ms",
  breaking: [{ ofCapacity: 1.1, ratePerSec: 13_640, p99: 800, success: 1, recoveryS: 2 }],
  trials: [TRIAL],
};

function sentence(changed: Partial<CapacityResult> = {}): string {
  return capacitySentence({ ...RESULT, ...changed }).replaceAll(GLUE, " ");
}

Deno.test("the sentence of a capacity has its interval, its rule, how it breaks and how it recovers", () => {
  assert.equal(
    sentence(),
    "12,400/s [12,150, 12,650] with p99 < 50ms; p99 is 800 ms at 1.1 × the capacity; it recovers in 2 s",
  );
});

Deno.test("what was full is named, and a target that did not recover", () => {
  const full = { ...TRIAL, bottleneck: { kind: "core" as const } };
  const breaking = [{ ...RESULT.breaking[0], ofCapacity: 1.3 }];
  assert.match(
    sentence({ trials: [full], breaking }),
    /; then one core is full; p99 is 800 ms at 1\.3 × the capacity; it recovers in 2 s$/,
  );
  assert.match(
    sentence({ trials: [{ ...full, recoveryS: null }] }),
    /; it did not recover from every trial$/,
  );
});

Deno.test("of several rules the one that breaks first is named", () => {
  const within = ["p99 < 50ms", "success >= 99.9%"];
  assert.match(
    sentence({ within }),
    /with p99 < 50ms and success >= 99.9%; p99 < 50ms breaks first;/,
  );
});

Deno.test("a capacity that the generator ended is at least so many", () => {
  const capacity = { value: 52_000, low: 52_000, high: null, bound: "generator" as const };
  assert.equal(
    sentence({ capacity, end: "generator", binding: null, breaking: [] }),
    "At least 52,000/s (generator) with p99 < 50ms",
  );
});

Deno.test("a search without a rate that holds, and one that was cut off, have their reasons", () => {
  const none = { capacity: null, breaking: [] };
  assert.equal(
    sentence({ ...none, end: "nothing-holds" }),
    "No rate holds down to 13,640/s with p99 < 50ms",
  );
  assert.match(sentence({ end: "budget" }), /; inconclusive: the budget ended before ± 2.00 %$/);
  assert.match(sentence({ end: "disturbed" }), /; inconclusive: the machine disturbed the trials$/);
  assert.match(sentence({ ...none, end: "interrupted" }), /^No capacity known.*; interrupted$/);
});

Deno.test("a trial has its outcome, and where the capacity is by then", () => {
  const event = { kind: "trial", number: 3, trial: TRIAL, low: 12_000, high: 12_900 } as const;
  assert.equal(
    trialSentence(event).replaceAll(GLUE, " "),
    "[3] 13,640/s for 1.5 s: broken, p99 800 ms; the capacity is between 12,000/s and 12,900/s",
  );
  const doubted = { ...event, trial: { ...TRIAL, counts: false }, low: null };
  assert.match(trialSentence(doubted), /not counted, as the generator or the machine may be why$/);
});
