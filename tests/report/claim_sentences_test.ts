/** Every code of what is found of a claim has a sentence, made from its evidence, in the words of the field. */
import assert from "node:assert/strict";
import type { ClaimCode, ClaimFindingOf } from "../../report/judge/claims/finding.ts";
import {
  claimSentence,
  foundText,
  invalidRunsSentence,
  unmeasuredSentence,
} from "../../report/judge/claims/sentences.ts";
import { assertClaimReadable, plain } from "./readable.ts";

const decided = { outcome: "reproduced", doubt: null, margin: 0 } as const;
const HONO = { name: "rate", cell: "static, hono", value: 30_000 };
const EXPRESS = { name: "rate", cell: "static, express", value: 15_000 };
const NO_RATE = { of: { ...HONO, value: 0 }, to: { ...EXPRESS, value: 0 } };
const HELD = {
  ratio: { value: 2, interval: { low: 1.9, high: 2.1 } },
  allowed: { low: 1.5, high: Infinity, isClosed: false },
};

/** A code without a sample does not compile. */
const CLAIMS: {
  readonly [Code in ClaimCode]: readonly [ClaimFindingOf<Code>, sentence: string, found: string];
} = {
  absent: [
    {
      ...decided,
      code: "absent",
      evidence: {
        absences: [
          { code: "nothing-measured", evidence: {} },
          { code: "figure-zero", evidence: {} },
          { code: "nothing-measured", evidence: {} },
        ],
      },
    },
    "nothing was measured; one of the figures is 0",
    "",
  ],
  ratio: [
    { ...decided, code: "ratio", evidence: { of: HONO, to: EXPRESS, unit: "perSec", ...HELD } },
    "rate is 30,000/s (static, hono) against 15,000/s (static, express): 2.00× [1.90, 2.10], " +
    "claimed more than 1.5×",
    "2.00× [1.90, 2.10]",
  ],
  "both-zero": [
    { ...decided, code: "both-zero", evidence: { ...NO_RATE, unit: "perSec" } },
    "rate is 0/s (static, hono) against 0/s (static, express)",
    "",
  ],
  "peak-ratio": [
    {
      ...decided,
      code: "peak-ratio",
      evidence: { of: HONO, peak: { name: "ceiling(redis)", value: 15_000 }, ...HELD },
    },
    "rate is 30,000/s (static, hono) against 15,000/s (ceiling(redis)): 2.00× [1.90, 2.10], " +
    "claimed more than 1.5×",
    "2.00× [1.90, 2.10]",
  ],
  "peak-zero": [
    {
      ...decided,
      code: "peak-zero",
      evidence: { of: NO_RATE.of, peak: { name: "ceiling(redis)", value: 0 } },
    },
    "rate is 0/s (static, hono) against 0/s (ceiling(redis))",
    "",
  ],
  limit: [
    {
      ...decided,
      code: "limit",
      evidence: {
        of: { ...HONO, name: "p99", value: 12 },
        interval: null,
        unit: "ms",
        limit: { value: 20, text: "20ms" },
        allowed: { low: -Infinity, high: 20, isClosed: true },
      },
    },
    "p99 is 12.0 ms (static, hono), claimed at most 20ms",
    "12.0 ms",
  ],
  constants: [
    {
      ...decided,
      code: "constants",
      evidence: {
        sides: [{ name: "ceiling(redis)", value: 30_000 }, { name: "15000/s", value: null }],
        ...HELD,
      },
    },
    "ceiling(redis) is 30,000/s, 15000/s: 2.00× [1.90, 2.10], claimed more than 1.5×",
    "2.00× [1.90, 2.10]",
  ],
  ratios: [
    {
      ...decided,
      code: "ratios",
      evidence: {
        figures: [HONO, EXPRESS, EXPRESS, EXPRESS],
        ...HELD,
        allowed: { low: 0.5, high: 2.5, isClosed: true },
      },
    },
    "rate is 2.00× (static, hono over static, express) against rate is 1.00× " +
    "(static, express over static, express): 2.00× [1.90, 2.10], claimed from 0.5× to 2.5×",
    "2.00× [1.90, 2.10]",
  ],
  correlation: [
    {
      ...decided,
      code: "correlation",
      evidence: {
        figures: ["rate", "p99"],
        relation: "<",
        limit: -0.5,
        rho: -0.9,
        interval: { low: -0.97, high: -0.7 },
        cells: 12,
        without: 1,
      },
    },
    "Spearman's correlation of rate and p99 is −0.90 [−0.97, −0.70] over 12 cells, " +
    "claimed below -0.5; 1 cell without both figures",
    "−0.90 [−0.97, −0.70]",
  ],
  warmup: [
    {
      outcome: "inconclusive",
      margin: 0.5,
      doubt: { code: "one-run", evidence: {}, advice: [] },
      code: "warmup",
      evidence: {
        cell: "static, hono",
        label: "warm-up",
        count: 1,
        of: 1,
        share: { value: 1, interval: null },
      },
    },
    "1 of 1 run of static, hono is warm-up: 100 %, claimed of more than half; one run: no interval",
    "1 of 1 run: 100 %",
  ],
};

for (const [code, [finding, sentence, found]] of Object.entries(CLAIMS)) {
  Deno.test(`a finding of a claim of code ${code} has a sentence`, () => {
    const text = plain(claimSentence(finding));
    assert.equal(text, sentence);
    assert.equal(plain(foundText(finding)), found);
    assertClaimReadable(text);
  });
}

Deno.test("cells that were not measured are named by their reason, and many of them counted", () => {
  const absences = ["a", "b", "c", "d", "e", "f", "g", "h", "a"].map((cell) => ({
    code: "cell-not-measured" as const,
    evidence: { cell, reason: "left out by --only" },
  }));
  const text = unmeasuredSentence([
    ...absences,
    { code: "cell-not-measured", evidence: { cell: "static, gin", reason: "no Go" } },
    { code: "constant-not-measured", evidence: { name: "ceiling(redis)" } },
  ]);
  assert.equal(
    text,
    "a; b; c; d; e; f and 2 more were not measured: left out by --only; " +
      "static, gin was not measured: no Go; ceiling(redis) was not measured",
  );
  assert.equal(unmeasuredSentence([]), "");
});

Deno.test("an outcome that rests on runs that are not valid says how many they are", () => {
  const text = invalidRunsSentence({ invalid: 3, runs: 10, without: "not reproduced" });
  assert.equal(
    text,
    "3 of 10 runs behind it are not valid, and without them it is not reproduced",
  );
  assertClaimReadable(text);
  assert.equal(
    invalidRunsSentence({ invalid: 1, runs: 1, without: "inconclusive" }),
    "1 of 1 run behind it is not valid, and without it it is inconclusive",
  );
});
