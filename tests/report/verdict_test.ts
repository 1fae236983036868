import assert from "node:assert/strict";
import { summaryText, verdictSentence } from "../../report/findings/judgements.ts";
import type { Shortfall } from "../../report/judge/shortfall.ts";
import type { Standing } from "../../report/judge/standing.ts";
import type {
  Lead,
  ScenarioSummary,
  Verdict,
  VerdictCode,
  VerdictEvidence,
  VerdictOf,
} from "../../report/judge/verdict.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { compareScenarios } from "../../report/subjects/verdict/compared_scenarios.ts";
import type { Results } from "../../runner/result/result.ts";
import { around, type Rates, resultsAt } from "./rates.ts";
import { compared } from "./figure_comparison.ts";

function summaryOf(results: Results): ScenarioSummary {
  return compareScenarios(groupRuns(results), {})[0].summary;
}

/** The evidence of a verdict that must have this code. */
function evidenceOf<Code extends VerdictCode>(
  verdict: Verdict,
  code: Code,
): VerdictEvidence[Code] {
  assert.equal(verdict.code, code);
  return (verdict as VerdictOf<Code>).evidence;
}

function verdictAt(rates: Rates, wrong: Readonly<Record<string, number>> = {}): Verdict {
  return summaryOf(resultsAt(rates, (target) => ({ wrongRatio: wrong[target] }))).verdict;
}

function nearly(value: number | null | undefined, expected: number): void {
  assert.ok(Math.abs((value ?? 0) / expected - 1) < 0.02, `${value}, not ${expected}`);
}

Deno.test("verdict: a target without a rival is alone, whatever its runs", () => {
  const { target, rate } = evidenceOf(verdictAt({ a: [1_000, 1_100, 900] }), "alone");
  assert.deepEqual([target, rate], ["a", 1_000]);
});

Deno.test("verdict: a difference that is real leads, over the next", () => {
  const { target, lead } = evidenceOf(
    verdictAt({ a: around(1_000), b: around(2_000, 0.001), c: around(4_000) }),
    "leads",
  );
  assert.deepEqual([target, lead.target, lead.rival], ["c", "c", "b"]);
  const { ratio, interval } = lead.decision;
  nearly(ratio, 2);
  assert.ok(interval !== null && interval.low > 1.9 && interval.high < 2.1);
});

Deno.test("verdict: what is the same within the margin is equivalent", () => {
  const { targets, marginRatio } = evidenceOf(
    verdictAt({ a: around(1_000), b: around(1_000, 0.0005) }),
    "equivalent",
  );
  assert.deepEqual([targets, marginRatio], [["b", "a"], 0.02]);
});

/** Why nobody is ahead for certain, and who seems to be. */
const OPEN: Record<string, [Rates, Standing, likely: string | null]> = {
  "one run each": [{ a: [1_000], b: [2_000] }, "one-run", "b"],
  "one run each at the same rate": [{ a: [1_000], b: [1_005] }, "one-run", null],
  "one run against several": [{ a: [1_000], b: [2_000, 2_100, 2_050] }, "few-runs", "b"],
  "too few runs": [{ a: [900, 1_000, 1_100], b: [1_000, 1_100, 950] }, "few-runs", null],
};

for (const [name, [rates, standing, likely]] of Object.entries(OPEN)) {
  Deno.test(`verdict: ${name} leave it undecided`, () => {
    const evidence = evidenceOf(verdictAt(rates), "undecided");
    assert.deepEqual([evidence.standing, evidence.likely], [standing, likely]);
    assert.deepEqual(evidence.targets.length, 2);
  });
}

Deno.test("verdict: a target that responds wrongly cannot win, however fast", () => {
  const rates = { a: around(1_000), b: around(9_000) };
  const { able, short, most } = evidenceOf(verdictAt(rates, { b: 0.5 }), "falls-short");
  assert.deepEqual([able, most, short.map(({ label, kind }) => [label, kind])], [
    "a",
    null,
    [["b", "wrong"]],
  ]);
  const none = evidenceOf(verdictAt({ a: [1_000] }, { a: 1 }), "falls-short");
  assert.deepEqual([none.able, none.most, none.short.length], [null, null, 1]);
});

Deno.test("verdict: a few faults are said beside it but do not exclude", () => {
  const results = resultsAt({ a: around(1_000), b: around(9_000) }, (target) => ({
    wrongRatio: target === "b" ? 0.005 : undefined,
  }));
  const { verdict, remarks: [remark, ...more] } = summaryOf(results);
  assert.equal(evidenceOf(verdict, "leads").target, "b");
  assert.ok(remark.kind === "errors" && remark.label === "b" && remark.isRanked);
  assert.deepEqual(more, []);
});

Deno.test("verdict: a rival that sent no response is no rival", () => {
  const { verdict, remarks } = summaryOf(resultsAt({ a: [1_000, 1_010], b: [0, 0] }));
  const { able, short } = evidenceOf(verdict, "falls-short");
  assert.deepEqual([able, short[0].kind, remarks], ["a", "silent", []]);
});

Deno.test("verdict: who responded only in what is discarded did not fail on all", () => {
  const results = resultsAt({ a: [1_000], b: [1_000] });
  results.experiment.discard = 1_000;
  const { timeline: { points }, requests } = results.runs[1];
  for (const point of points.slice(4)) point.completed = 0;
  Object.assign(requests, { completed: 500, failed: 500 });
  const { able, short: [{ kind, ratio }] } = evidenceOf(summaryOf(results).verdict, "falls-short");
  assert.deepEqual([able, kind, ratio], ["a", "failed", 0.5]);
});

Deno.test("verdict: at a rate of their own requests are the same for all, and p99 decides", () => {
  const slow = { a: 30, b: 10 } as Record<string, number>;
  const results = resultsAt(
    { a: around(1_000), b: around(1_000, 0.0005) },
    (target) => ({ medianMs: slow[target] }),
  );
  for (const run of results.runs) {
    const { connections, keepAlive, timeout } = run.load;
    const load = { connections, keepAlive, timeout, durationS: 2, rate: 1_000, seed: 1 };
    run.load = { kind: "rate", arrivals: "uniform", ...load };
  }
  const { target, lead } = evidenceOf(summaryOf(results).verdict, "leads");
  assert.deepEqual([target, lead.decision.figure], ["b", 99]);
});

Deno.test("verdict: each other target is a pair with the fastest", () => {
  const { pairs } = summaryOf(
    resultsAt({ a: around(1_000), b: around(4_310), c: around(2_000) }),
  );
  assert.deepEqual(pairs.map(({ base, next }) => [base, next]), [["c", "b"], ["a", "b"]]);
  nearly(pairs[1].comparison.figures[0].ratio, 4.31);
});

// The words: one sentence for each code.

function short(label: string, change: Partial<Shortfall>): Shortfall {
  return { label, kind: "failed", ratio: 0.5, offeredPerSec: 0, servedPerSec: 0, ...change };
}

const LEAD: Lead = {
  target: "a",
  rival: "b",
  decision: compared(1.25, 2.06, { verdict: "better" }),
  marginRatio: 0.02,
};
const SPAN = {
  ...LEAD,
  target: "connections 50",
  rival: "connections 1",
  factors: ["connections"],
};

/** A code without a sample does not compile. */
type Samples = { readonly [Code in VerdictCode]: readonly [VerdictEvidence[Code], string] };

const SAMPLES: Samples = {
  leads: [
    { factors: [], target: "a", lead: LEAD },
    "a is fastest: 1.60× [1.25, 2.06] the requests/s of b",
  ],
  depends: [
    {
      factors: ["connections", "delay"],
      settings: [
        {
          label: "delay 5",
          factors: [],
          verdict: {
            code: "equivalent",
            evidence: { factors: [], targets: ["a", "b"], marginRatio: 0.02 },
          },
        },
        {
          label: "delay 1",
          factors: [],
          verdict: { code: "leads", evidence: { factors: [], target: "a", lead: LEAD } },
        },
      ],
    },
    "Which is fastest depends on the number of connections and delay: a at delay 1; about as fast at delay 5",
  ],
  equivalent: [
    { factors: [], targets: ["a", "b", "c"], marginRatio: 0.02 },
    "b and c are about as fast as a: within 2 %",
  ],
  undecided: [
    {
      factors: [],
      targets: ["a", "b"],
      likely: "a",
      standing: "likely-ahead",
      lead: { ...LEAD, decision: compared(1.25, 2.06, { reason: "many" }) },
    },
    "a is likely faster than b, not proven: 3 runs",
  ],
  unsettled: [
    {
      targets: ["a", "b"],
      lead: {
        ...LEAD,
        decision: compared(1.25, 2.06, { reason: "unsteady", unsteady: { count: 4, of: 5 } }),
      },
    },
    "a against b: inconclusive, with no steady state in 4 of 5 runs",
  ],
  "falls-short": [
    {
      able: "a",
      at: "2,000/s",
      isOffered: true,
      short: [
        short("b", { kind: "slow", offeredPerSec: 2_000, servedPerSec: 1_604 }),
        short("c", { kind: "dropped", ratio: 0.12 }),
        short("d", { kind: "silent", ratio: 1 }),
        short("e", { kind: "wrong", ratio: 0.031 }),
        short("f", { ratio: 1 }),
      ],
      most: null,
    },
    "At 2,000/s only a keeps up: b completes 1,604 of 2,000 requests/s, 12 % of the requests to c were never sent, " +
    "d sent no response, e responds wrongly to 3.1 % and 1 more fall short",
  ],
  alone: [
    { target: "a", rate: 1_234.4, isAtLeast: false, within: null, span: SPAN },
    "a is fastest at connections 50 and slowest at connections 1: 1.60× [1.25, 2.06] the requests/s",
  ],
  "nothing-valid": [{ runs: 3 }, "None of 3 runs can be trusted"],
};

Deno.test("verdict: every code has its sentence", () => {
  for (const [code, [evidence, text]] of Object.entries(SAMPLES)) {
    const verdict = { code, evidence } as Verdict;
    assert.equal(verdictSentence(verdict).replaceAll("\u00a0", " "), text);
    assert.equal(summaryText({ verdict, remarks: [] }), `${verdictSentence(verdict)}.`);
  }
});
