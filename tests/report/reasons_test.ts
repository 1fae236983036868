/** Every code of what rules find, and of why they decide nothing, has one sentence: in the words of the field. */
import assert from "node:assert/strict";
import { claimSentence, verdictsJson } from "../../report/findings/claim_sentences.ts";
import { gateOutcome, gatesSentence } from "../../report/findings/threshold_sentences.ts";
import type { ClaimVerdict } from "../../report/judge/claims.ts";
import {
  type Absence,
  absenceText,
  type Found,
  type FoundSide,
  foundWords,
  type Reason,
  reasonText,
} from "../../report/judge/reasons.ts";
import { fact } from "../../report/judge/rules.ts";
import { judge, RATES } from "./claimed.ts";
import { assertClaimReadable, plain } from "./readable.ts";
import { resultsAt } from "./rates.ts";

/** A code without a sample does not compile. */
type Samples<Of extends { readonly code: string }> = {
  readonly [Code in Of["code"]]: readonly [
    found: Omit<Extract<Of, { readonly code: Code }>, "code">,
    sentence: string,
  ];
};

const CELL = { cell: "static, hono" };

const REASONS: Samples<Reason> = {
  "one-run": [{}, "one run: no interval"],
  "one-run-each": [{}, "one run each: no interval"],
  "one-run-of": [CELL, "one run of static, hono: no interval"],
  "one-run-with-figure": [{}, "only one run has the figure, so there is no interval"],
  "one-run-a-side": [{}, "one run says nothing about the next: measure 5 or more runs a side"],
  "no-interval": [{}, "the figure has no interval over the runs: compare another figure"],
  "no-ratio": [{}, "both figures are 0, so they have no ratio"],
  "across-limit": [{ more: "runs" }, "the interval spans the limit, more runs would decide"],
  "few-cells": [{ least: 4 }, "fewer than 4 cells: no interval"],
  "few-runs": [{}, "inconclusive: too few runs"],
  "measured-once": [{ name: "the peak" }, "the peak was measured once: no interval"],
  "at-least": [{ name: "the peak" }, "the peak is a lower bound, so its true value may be higher"],
  "settling-open": [
    CELL,
    "it is not certain that a run of static, hono had settled before it ended",
  ],
  "requests-open": [
    { ...CELL, count: 1_250 },
    "1,250 requests of static, hono had no response in time, so the true figure may be higher",
  ],
  "wrong-responses": [
    { ...CELL, wrongRatio: 0.2 },
    "20.0 % of the requests of static, hono were wrong or failed, and a fast error is not a success",
  ],
  "busy-machine": [
    { invalid: 3, runs: 10, without: "broken" },
    "3 of 10 runs behind the figure are not valid, and without these runs the condition does not hold",
  ],
  "busy-failures": [
    CELL,
    "the generator or the machine may have caused the failures of static, hono",
  ],
  "busy-peak": [
    { name: "the peak", invalid: 9, runs: 10 },
    "9 of 10 runs after the peak are not valid, so it was measured on a busy machine",
  ],
  "rounds-differ": [
    { name: "the peak", low: 19_000, high: 48_000 },
    "the peak was 19,000/s in one round and 48,000/s in another, so other programs disturbed it",
  ],
  groups: [
    {
      groups: {
        of: "next",
        clusters: [{ count: 4, value: 12 }, { count: 1, value: 80.1 }],
        unsettled: { count: 1, value: 80.1 },
      },
      unit: "ms",
    },
    "runs fall into two groups: 4 near 12.0 ms, 1 without a steady state near 80.1 ms",
  ],
  unsteady: [{ unsteady: { count: 4, of: 5 } }, "no steady state in 4 of 5 runs: run longer"],
  "few-requests": [
    { percentile: 99.9, needed: 10_000, count: 1_000 },
    "p99.9 needs 10,000 requests, but only 1,000 were measured",
  ],
  disturbed: [
    { side: "base", cores: 0.3 },
    "the base uses 30.0 % of a core more than the other while it rests, which may slow the other",
  ],
  "few-rounds": [
    {},
    "there are too few rounds to show how successive rounds depend on each other: measure for longer",
  ],
  longer: [{ seconds: 45 }, "measuring each server for about 45 s would decide"],
  "more-runs": [{ runs: 12, isEachSide: true }, "about 12 runs a side would decide"],
  "more-requests": [
    { requests: 3_838, seconds: 12.34, like: "without a failure" },
    "about 3,840 requests without a failure (12 s) would decide",
  ],
  "few-clusters": [
    { clusters: 3.21, needed: 10, seconds: 75.4 },
    "the run is long enough for only about 3 of the 10 clusters of slow or failed requests that a decision needs: " +
    "a run of about 1 min 15 s would suffice",
  ],
  wanders: [
    { seconds: 9 },
    "the run is too short to show the level around which it varies: a run of about 9 s would suffice",
  ],
  "not-valid": [
    { runs: 6, remedy: { code: "more-runs", runs: 12, isEachSide: false } },
    "about 12 runs would decide, but first remove what disturbs the runs, none of which is valid",
  ],
  "short-run": [
    { seconds: 5 },
    "the run is too short to show how its requests depend on each other: run for at least 5 s",
  ],
  "more-sessions": [{ sessions: 8 }, "about 8 sessions a side would decide"],
  "session-groups": [
    { groups: [{ count: 9, value: 0.99 }, { count: 2, value: 1.09 }] },
    "sessions fall into two groups, 9 near 0.99× and 2 near 1.09× their mean: measure both sides in one experiment",
  ],
  "other-session": [
    { within: "broken" },
    "worse in these two sessions, but how much results differ between sessions on this machine is unknown: measure both sides in " +
    "one experiment, or 3 sessions of each, preferably in alternation, or add 12 earlier sessions with --sessions",
  ],
  family: [
    { tests: 20, remedy: { code: "more-runs", runs: null, isEachSide: false } },
    "the condition fails when judged alone, but not after correction for 20 tests; the figure lies so close to the limit that 1,000 runs would not decide",
  ],
};

const ABSENCES: Samples<Absence> = {
  "cell-not-measured": [{ ...CELL, why: "no Redis" }, "static, hono was not measured: no Redis"],
  "no-figure": [
    { ...CELL, figure: "p99", why: "no request ended" },
    "static, hono has no p99: no request ended",
  ],
  "nothing-to-judge": [{ why: "no request ended" }, "nothing to judge: no request ended"],
  "no-baseline": [{ why: "no such cell" }, "nothing to compare with: no such cell"],
  "wrong-selector": [{ problem: "no target is named x" }, "no target is named x"],
  "nothing-measured": [{}, "nothing was measured"],
  "none-selected": [{ selector: "hono" }, "no cell of hono was measured"],
  "no-pair": [{ left: "hono", right: "gin" }, "no cell of hono has a counterpart in gin"],
  "no-four": [{}, "the two ratios have no cells in common"],
  "figure-zero": [{}, "one of the figures is 0"],
  "peak-not-measured": [{ name: "the peak" }, "the peak was not measured"],
  "load-changes": [CELL, "the load of static, hono itself changes during a run"],
  "runs-too-short": [CELL, "the runs of static, hono were too short to detect a warm-up"],
  "no-order": [
    { figures: ["rate", "p99"], cells: 2, without: 3 },
    "Spearman's correlation of rate and p99 has no value: over 2 cells, at least one of the two figures does not vary; " +
    "left out: 3 cells with a figure missing",
  ],
};

const side = (place: string, value: number | null, name = "rate"): FoundSide => ({
  ...{ name, place, value, unit: "perSec", isAtLeast: false },
});
const [HONO, GIN] = [side("static, hono", 30_000), side("static, gin", 15_000)];
const RATIO = { value: 2, interval: { low: 1.9, high: 2.1 } };
const OVER = { low: 1.5, high: Infinity, isClosed: false };

const P99: FoundSide = { name: "p99", place: "", value: 61.2, unit: "ms", isAtLeast: true };

const FOUND: Samples<Found> = {
  absent: [
    { absences: [{ code: "figure-zero" }, { code: "no-four" }, { code: "figure-zero" }] },
    "one of the figures is 0; the two ratios have no cells in common",
  ],
  value: [
    {
      of: HONO,
      interval: null,
      limit: {
        ...{ value: 20_000, text: "20000/s" },
        allowed: { low: -Infinity, high: 20_000, isClosed: true },
      },
    },
    "rate is 30,000/s (static, hono), claimed at most 20000/s",
  ],
  share: [
    { name: "errors", share: { value: 0.0612, interval: { low: 0.05, high: 0.07 } } },
    "errors is 6.1 % [5.0 %, 7.0 %]",
  ],
  ratio: [
    { of: HONO, to: GIN, ratio: RATIO, allowed: OVER },
    "rate is 30,000/s (static, hono) against 15,000/s (static, gin): 2.00× [1.90, 2.10], claimed more than 1.5×",
  ],
  ratios: [
    {
      figures: [HONO, GIN, GIN, GIN],
      ratio: RATIO,
      allowed: { low: 0.5, high: 2.5, isClosed: true },
    },
    "rate is 2.00× (static, hono over static, gin) against rate is 1.00× (static, gin over static, gin): " +
    "2.00× [1.90, 2.10], claimed from 0.5× to 2.5×",
  ],
  correlation: [
    {
      ...{ figures: ["rate", "p99"], cells: 12, without: 1 },
      allowed: { low: -Infinity, high: -0.5, isClosed: false },
      rho: { value: -0.9, interval: { low: -0.97, high: -0.7 } },
    },
    "Spearman's correlation of rate and p99 is −0.90 [−0.97, −0.70] over 12 cells, claimed less than -0.5; " +
    "left out: 1 cell with a figure missing",
  ],
  warmup: [
    { ...CELL, label: "warm-up", count: 1, of: 1, share: { value: 1, interval: null } },
    "1 of 1 run of static, hono is warm-up (100 %); the claim requires more than half",
  ],
};

function verdictOf(found: Found, others: Partial<ClaimVerdict> = {}): ClaimVerdict {
  const outcome = "held";
  const worst = fact(outcome, found);
  return { outcome, measured: outcome, worst, holding: 1, of: 1, unmeasured: [], ...others };
}

function check<Of extends { readonly code: string }>(
  samples: Samples<Of>,
  textOf: (found: Of) => string,
): void {
  const rows: [code: string, sample: readonly [object, string]][] = Object.entries(samples);
  for (const [code, [found, sentence]] of rows) {
    Deno.test(`what is found with code ${code} has a sentence: ${sentence}`, () => {
      const text = plain(textOf(Object.assign(found, { code }) as Of & typeof found));
      assert.equal(text, sentence);
      assertClaimReadable(text);
    });
  }
}

check(REASONS, reasonText);
check(ABSENCES, absenceText);
check(FOUND, (found: Found) => foundWords(found).text);

Deno.test("a gate says why what was found decides nothing, and what it is held against", () => {
  const gate = { threshold: "p99 < 50ms", scenario: "", label: "" };
  const textOf = (found: Found, reason: Reason | null): string =>
    plain(gateOutcome({ ...gate, evidence: { ...fact("held", found), reason } }).found);
  assert.equal(
    textOf({ code: "value", of: P99, interval: null, limit: null }, {
      ...{ code: "requests-open", cell: "", count: 1 },
    }),
    "p99 is ≥ 61.2 ms: 1 request had no response in time, so the true figure may be higher",
  );
  const to = { ...P99, place: "the baseline", isAtLeast: false };
  const baseline = { of: P99, to, ratio: RATIO, allowed: OVER } as const;
  assert.equal(
    textOf({ code: "ratio", ...baseline, verb: "allowed" }, null),
    "p99 is ≥ 61.2 ms against 61.2 ms (the baseline): 2.00× [1.90, 2.10], allowed more than 1.5×",
  );
});

Deno.test("how many thresholds fail and are open is said in a sentence", () => {
  const said = (...outcomes: ("pass" | "fail" | "inconclusive")[]): string =>
    gatesSentence(outcomes.map((outcome) => ({
      ...{ threshold: "p99 < 50ms", scenario: "", label: "", found: "", outcome },
    })));
  assert.deepEqual(
    [said("pass"), said("fail"), said("inconclusive"), said("pass", "pass")],
    [
      "The threshold holds.",
      "The threshold fails.",
      "The threshold is inconclusive.",
      "Both thresholds hold.",
    ],
  );
  assert.equal(said("pass", "inconclusive", "inconclusive"), "2 of 3 thresholds are inconclusive.");
  assert.equal(said("fail", "pass", "pass"), "1 of 3 thresholds fails.");
  assert.equal(said("fail", "fail", "inconclusive"), "2 of 3 thresholds fail, 1 is inconclusive.");
});

Deno.test("a share is written with two digits of the rarer side, and as few as it takes", () => {
  const texts = [0.9996, 0.5, 1, 0].map((value) =>
    plain(foundWords({ code: "share", name: "success", share: { value, interval: null } }).text)
  );
  assert.deepEqual(texts, ["99.960 %", "50 %", "100 %", "0 %"].map((text) => `success is ${text}`));
});

const FOUND_RATIO = { code: "ratio", ...FOUND.ratio[0] } as const;

Deno.test("peaks and quantities stand as what they are, and two that are 0 without a ratio", () => {
  const peak = side("ceiling(redis)", 15_000, "");
  const texts = [[HONO, peak, RATIO], [peak, side("9000/s", null, ""), RATIO], [HONO, GIN, null]]
    .map(([of, to, ratio]) => ({ ...FOUND_RATIO, of, to, ratio }) as Found)
    .map((found) => plain(foundWords(found).text));
  assert.deepEqual(texts, [
    "rate is 30,000/s (static, hono) against 15,000/s (ceiling(redis)): 2.00× [1.90, 2.10], claimed more than 1.5×",
    "ceiling(redis) is 15,000/s against 9000/s: 2.00× [1.90, 2.10], claimed more than 1.5×",
    "rate is 30,000/s (static, hono) against 15,000/s (static, gin)",
  ]);
});

Deno.test("a claim of several cells says in how many it holds, and which were not measured and why", () => {
  const missing = ["a", "b", "c", "d", "e", "f", "g", "h", "a"].map((cell) => ({
    ...{ code: "cell-not-measured", cell, why: "left out by --only" } as const,
  }));
  const unmeasured = [...missing, { code: "peak-not-measured", name: "ceiling(redis)" } as const];
  const of = { holding: 7, of: 9, measured: "broken", unmeasured } as const;
  const text = plain(claimSentence({ verdict: verdictOf(FOUND_RATIO, of), doubt: null }));
  assert.match(
    text,
    /^a; b; c; d; e; f and 2 more were not measured: left out by --only; ceiling\(redis\) was not measured; judged by the other cells, the claim is not reproduced: holds in 7 of 9 cells; the worst: rate is /,
  );
  const alone = claimSentence({
    verdict: verdictOf(FOUND_RATIO, { worst: null, unmeasured }),
    doubt: null,
  });
  assert.match(alone, /ceiling\(redis\) was not measured$/);
});

Deno.test("what else leaves a claim open stands before what its figures say", () => {
  const verdict = verdictOf(FOUND_RATIO);
  const texts = [
    { code: "busy-machine", invalid: 1, runs: 1, without: "inconclusive" },
    { code: "fewer-cores", least: 8, cores: 2 },
    { code: "shorter-load", term: "timeout", leastMs: 10_000, ms: 2_000 },
    { code: "shorter-load", term: "duration", leastMs: 60_000, ms: 4_000 },
    { code: "given", text: "errors() > 1%", met: verdict },
  ] as const;
  assert.deepEqual(
    texts.map((doubt) => plain(claimSentence({ verdict, doubt })).split(/;| \(st/)[0]),
    [
      "the run behind the figure is not valid",
      "the claim was published for a machine with at least 8 cores, but this one has 2",
      "the claim was published for a time-out of at least 10 s, but here the time-out is 2 s",
      "the claim was published for a load of at least 1 min, but here the load lasts 4 s",
      "the claim was published under the condition errors() > 1%, which is reproduced here (rate is 30,000/s",
    ],
  );
  assert.match(
    claimSentence({ verdict, doubt: texts[1] }),
    /; as measured here, reproduced: rate is /,
  );
});

Deno.test("a verdict for scripts has its figure, its doubt and plain spaces", () => {
  const results = resultsAt(RATES);
  const told = { source: "p. 6", note: "theirs" };
  const [held, open] = verdictsJson([
    judge(results, "rate() > 500/s", told),
    judge(results, "rate(fast) <= 3000/s"),
  ]);
  assert.deepEqual({ ...held, found: "", sentence: "" }, {
    ...{ claim: "rate() > 500/s", ...told, outcome: "reproduced", doubt: "" },
    ...{ found: "", held: "2 of 2 cells", sentence: "" },
  });
  assert.match(held.found, /^1,000\/s \[/);
  assert.match(held.sentence, /^holds in 2 of 2 cells; the nearest: rate is 1,000\/s \[/);
  assert.equal(open.doubt, "the interval spans the limit, more runs would decide");
});
