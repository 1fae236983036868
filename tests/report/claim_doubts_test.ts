/** Every reason why a claim is not decided has a sentence, made from its evidence, in the words of the field. */
import assert from "node:assert/strict";
import type {
  AbsenceCode,
  ClaimAbsenceOf,
  ClaimDoubtOf,
  ClaimFinding,
  DoubtCode,
} from "../../report/judge/claims/finding.ts";
import { claimSentence } from "../../report/judge/claims/sentences.ts";
import { assertClaimReadable, plain } from "./readable.ts";

const UNDECIDED = { outcome: "inconclusive", doubt: null, margin: 0 } as const;

const BOTH_ZERO: ClaimFinding = {
  ...UNDECIDED,
  code: "both-zero",
  evidence: {
    of: { name: "rate", cell: "static, hono", value: 0 },
    to: { name: "rate", cell: "static, express", value: 0 },
    unit: "perSec",
  },
};

const CELLS = { cells: 2, without: 3 };

/** A code without a sample does not compile. */
const ABSENCES: {
  readonly [Code in AbsenceCode]: readonly [ClaimAbsenceOf<Code>, sentence: string];
} = {
  "cell-not-measured": [
    { code: "cell-not-measured", evidence: { cell: "static, hono", reason: "no Redis" } },
    "static, hono was not measured: no Redis",
  ],
  "no-figure": [
    {
      code: "no-figure",
      evidence: { cell: "static, hono", figure: "p99", reason: "no request ended" },
    },
    "static, hono has no p99: no request ended",
  ],
  "wrong-selector": [
    { code: "wrong-selector", evidence: { problem: "no target is named x" } },
    "no target is named x",
  ],
  "nothing-measured": [{ code: "nothing-measured", evidence: {} }, "nothing was measured"],
  "none-selected": [
    { code: "none-selected", evidence: { selector: "hono" } },
    "no cell of hono was measured",
  ],
  "no-pair": [
    { code: "no-pair", evidence: { left: "hono", right: "express" } },
    "no cell of hono has its like in express",
  ],
  "no-four": [{ code: "no-four", evidence: {} }, "no cells of the two ratios go together"],
  "figure-zero": [{ code: "figure-zero", evidence: {} }, "one of the figures is 0"],
  "constant-not-measured": [
    { code: "constant-not-measured", evidence: { name: "ceiling(redis)" } },
    "ceiling(redis) was not measured",
  ],
  "load-changes": [
    { code: "load-changes", evidence: { cell: "ramp, hono" } },
    "ramp, hono has a load that itself changes",
  ],
  "runs-too-short": [
    { code: "runs-too-short", evidence: { cell: "static, hono" } },
    "the runs of static, hono were too short to detect a warm-up",
  ],
  "no-order": [
    { code: "no-order", evidence: { ...CELLS, figures: ["rate", "p99"] } },
    "rate and p99 have no order over 2 cells; 3 cells without both figures",
  ],
};

for (const [code, [absence, sentence]] of Object.entries(ABSENCES)) {
  Deno.test(`an absence of code ${code} has a sentence`, () => {
    const evidence = { absences: [absence] };
    const text = claimSentence({ ...UNDECIDED, code: "absent", evidence });
    assert.equal(text, sentence);
    assertClaimReadable(text);
  });
}

/** A code without a sample does not compile. */
const DOUBTS: {
  readonly [Code in DoubtCode]: readonly [ClaimDoubtOf<Code>, sentence: string];
} = {
  "one-run": [{ code: "one-run", evidence: {}, advice: [] }, "one run: no interval"],
  "one-run-each": [{ code: "one-run-each", evidence: {}, advice: [] }, "one run each: no interval"],
  "one-run-of": [
    { code: "one-run-of", evidence: { cell: "static, hono" }, advice: [] },
    "one run of static, hono: no interval",
  ],
  "one-run-with-figure": [
    { code: "one-run-with-figure", evidence: {}, advice: [] },
    "one run has the figure: no interval",
  ],
  "requests-open": [
    { code: "requests-open", evidence: { cell: "static, hono" }, advice: [] },
    "requests of static, hono that timed out, were unfinished or were never sent would decide it",
  ],
  "settling-open": [
    { code: "settling-open", evidence: { cell: "static, hono" }, advice: [] },
    "a run of static, hono ended before it had surely settled",
  ],
  "wrong-responses": [
    { code: "wrong-responses", evidence: { cell: "static, hono", wrongRatio: 0.2 }, advice: [] },
    "20.0 % of the requests of static, hono were wrong or failed, and a fast error is no success",
  ],
  "measured-once": [
    { code: "measured-once", evidence: { name: "ceiling(redis)" }, advice: [] },
    "ceiling(redis) was measured once: no interval",
  ],
  "at-least": [
    { code: "at-least", evidence: { name: "ceiling(redis)" }, advice: [] },
    "ceiling(redis) is known to be at least that, and may be more",
  ],
  "across-limit": [
    { code: "across-limit", evidence: {}, advice: ["more-runs"] },
    "the interval lies across the limit, more runs would decide",
  ],
  "across-limit-of-cells": [
    { code: "across-limit-of-cells", evidence: {}, advice: ["more-cells"] },
    "the interval over the cells lies across the limit, more cells would decide",
  ],
  "few-cells": [
    { code: "few-cells", evidence: { least: 4 }, advice: [] },
    "fewer than 4 cells: no interval",
  ],
  "few-runs": [{ code: "few-runs", evidence: {}, advice: [] }, "inconclusive: too few runs"],
};

for (const [code, [doubt, sentence]] of Object.entries(DOUBTS)) {
  Deno.test(`a doubt about a claim of code ${code} has a sentence`, () => {
    const text = plain(claimSentence({ ...BOTH_ZERO, doubt }));
    assert.equal(
      text,
      `rate is 0/s (static, hono) against 0/s (static, express); ${sentence}`,
    );
    assertClaimReadable(text);
  });
}
