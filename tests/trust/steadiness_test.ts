import assert from "node:assert/strict";
import { judge } from "../../runner/trust/judging.ts";
import type { Case } from "../../runner/trust/evidence.ts";
import { caseWith, worded } from "./case.ts";

type Warmup = Case["run"]["warmup"];

const never = (more: Partial<NonNullable<Warmup>>): Warmup => ({
  label: "no-steady-state",
  steadyFromS: null,
  ...more,
});

const FREEZES = { count: 3, longestS: 2.04, shareRatio: 0.2, periodS: 10 };

const reasons: [warmup: Warmup, says: string][] = [
  [never({}), "The run has no steady state. Make the run longer, or inspect the timeline."],
  [
    never({ unsettled: "drift", driftRatio: -0.123 }),
    "The run has no steady state (latency or rate drifts by 12 % from start to end). Make the run longer, or inspect the timeline.",
  ],
  [
    never({ unsettled: "freezes", freezes: FREEZES }),
    "The run has no steady state (the server sent no response for 2.0 s, 3 times, every 10 s). Make the run longer, or inspect the timeline.",
  ],
  [
    never({ unsettled: "cycle", cyclePeriodS: 3.04 }),
    "The run has no steady state (latency or rate swings every 3 s). Make the run longer, or inspect the timeline.",
  ],
  [
    never({ unsettled: "late", freezes: { ...FREEZES, count: 1, periodS: null } }),
    "The run has no steady state (latency or rate changes in the last quarter; the server sent no response for 2.0 s, once). Make the run longer, or inspect the timeline.",
  ],
];

for (const [warmup, says] of reasons) {
  Deno.test(`a run without a steady state is suspect: ${says}`, () => {
    assert.deepEqual(worded(caseWith({ run: { warmup } })), {
      trust: "suspect",
      sentences: [says],
      codes: ["unsteady"],
    });
  });
}

Deno.test("a run with a steady part, or too short for one, is not suspect for it; nor is a load that changes", () => {
  for (const label of ["flat", "warm-up", "slowdown", "too-short"] as const) {
    const warmup = { label, steadyFromS: label === "too-short" ? null : 1 };
    assert.equal(judge(caseWith({ run: { warmup } })).trust, "valid");
  }
  assert.equal(judge(caseWith({ run: { warmup: null } })).trust, "valid");
});

Deno.test("a run that others disturbed is not told to be longer, as it would settle no sooner", () => {
  const spoiled = {
    worker: { cpu: 0.4, waiting: 0.3 },
    surroundings: { others: 0.9 },
    run: { warmup: never({}) },
  };
  const { codes, sentences } = worded(caseWith(spoiled));
  assert.deepEqual(codes, ["neighbour", "unsteady"]);
  assert.equal(sentences[1], "The run has no steady state. Inspect the timeline.");
});
