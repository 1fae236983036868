import assert from "node:assert/strict";
import type { ScenarioSummary } from "../../report/judge/summary.ts";
import { summaryText } from "../../report/judge/verdict_sentences.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { compareScenarios } from "../../report/subjects/verdict/compared_scenarios.ts";
import type { Results } from "../../runner/result/result.ts";
import { around, type Rates, resultsAt } from "./rates.ts";

/** Requests/s of each run by target; `wrong` is a share. */
interface Case {
  readonly rates: Rates;
  readonly wrong?: Readonly<Record<string, number>>;
  readonly says: RegExp;
  readonly never?: RegExp;
}

function answerTo(results: Results): ScenarioSummary {
  return compareScenarios(groupRuns(results), {})[0].summary;
}

function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

const RATIO = String.raw`\d\.\d\d× \[\d\.\d\d, \d\.\d\d\]`;

const CASES: Record<string, Case> = {
  "one target with one run has a figure, and no rival": {
    rates: { a: [1_000] },
    says: /^a served 1,000 requests\/s: in one run, p99 /,
    never: /fastest/,
  },
  "one target with several runs has its range": {
    rates: { a: [1_000, 1_100, 900] },
    says: /^a served 1,000 requests\/s: 900–1,100 over 3 runs/,
  },
  "one run each claims no more than that": {
    rates: { a: [1_000], b: [2_000] },
    says: /^b was fastest in one run each: 2,000 requests\/s, .*; 2\.00× the requests of a, p99 /,
    never: /\[|over/,
  },
  "one run each at the same rate has no winner": {
    rates: { a: [1_000], b: [1_005] },
    says:
      /^b and a differ too little for one run each: 1,005 requests\/s and 1,000 requests\/s, ratio 1\.0\d×\.$/,
    never: /fastest|proven/,
  },
  "one run against several is not enough either": {
    rates: { a: [1_000], b: [2_000, 2_100, 2_050] },
    says: /^b was fastest \(inconclusive: too few runs\): /,
    never: /\[/,
  },
  "a real difference has a ratio with its interval, of the requests and of p99": {
    rates: { a: around(1_000), b: around(2_000, 0.001) },
    says: new RegExp(
      `^b is fastest: [\\d,]+ requests/s \\([\\d,–]+ over 5 runs\\), p99 .*; ` +
        `${RATIO} the requests of a, p99 ${RATIO}\\.$`,
    ),
  },
  "what is the same within the margin has no winner": {
    rates: { a: around(1_000), b: around(1_000, 0.0005) },
    says:
      /^a is about as fast as b: within 2 %\. 1,001 requests\/s and .*, ratio 1\.\d+× \[.*\]\.$/,
    never: /fastest/,
  },
  "what can't be told says which change would have been": {
    rates: { a: [900, 1_000, 1_100], b: [1_000, 1_100, 950] },
    says:
      /^b against a: inconclusive in 3 runs each\. .*\[0\.\d+, 1\.\d+\], a change of \d\d % would have been seen/,
    never: /fastest|no difference/i,
  },
  "of many rivals only the next and the last are named": {
    rates: { a: around(1_000), b: around(2_000), c: around(4_000), d: around(8_000) },
    says: /× \[.*\] the requests of c, .*, the next; .* the requests of a, .*, the last\.$/,
    never: / b,/,
  },
  "a target that answers wrong cannot win, however fast": {
    rates: { a: around(1_000), b: around(9_000) },
    wrong: { b: 0.5 },
    says: /^Only a responds correctly: b responds wrongly to 14 %\. 1,000 requests\/s \(990–1,010/,
    never: /b .*fastest/,
  },
  "a few faults are said but do not exclude": {
    rates: { a: around(1_000), b: around(9_000) },
    wrong: { b: 0.005 },
    says: /^b is fastest: .* 0\.\d\d % of the requests to b failed or had a wrong response\.$/,
    never: /not ranked/,
  },
  "without a right answer nobody wins": {
    rates: { a: [1_000] },
    wrong: { a: 1 },
    says: /^No target responded correctly: .* of the requests to a /,
  },
  "a rival that sent no response is no rival": {
    rates: { a: [1_000, 1_010], b: [0, 0] },
    says: /^Only a responds correctly: b sent no response\. 1,005 requests\/s /,
    never: /Infinity|NaN|∞/,
  },
};

for (const [sentence, { rates, wrong, says, never }] of Object.entries(CASES)) {
  Deno.test(`answer: ${sentence}`, () => {
    const results = resultsAt(rates, (target) => ({ wrongRatio: wrong?.[target] }));
    const text = plain(summaryText(answerTo(results)));
    assert.match(text, says);
    if (never) assert.doesNotMatch(text, never);
  });
}

Deno.test("answer: each other target has a sentence against the fastest, as hyperfine has it", () => {
  const { pairs, brief } = answerTo(
    resultsAt({ a: around(1_000), b: around(4_310), c: around(2_000) }),
  );
  const sentence = new RegExp(`^b is ${RATIO} faster than c, p99 ${RATIO}$`);
  assert.match(plain(pairs[0]), sentence);
  assert.match(plain(pairs[1]), /^b is 4\.\d\d× .* faster than a, /);
  assert.doesNotMatch(brief, /×/);
});

Deno.test("answer: at a rate of their own requests are the same for all, and p99 decides", () => {
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
  assert.match(summaryText(answerTo(results)), /^b responds fastest: /);
});

Deno.test("answer: a p99 that lower bounds reach is told as one", () => {
  const results = resultsAt({ a: [1_000] });
  const { latency } = results.runs[0];
  latency.censored = Math.ceil(latency.count / 50);
  assert.match(plain(summaryText(answerTo(results))), /in one run, p99 ≥ [\d.]+ ms\.$/);
});

Deno.test("answer: who answered only in what is discarded did not answer nothing", () => {
  const results = resultsAt({ a: [1_000], b: [1_000] });
  results.experiment.discard = 1_000;
  const { timeline: { points }, requests } = results.runs[1];
  for (const point of points.slice(4)) point.completed = 0;
  Object.assign(requests, { completed: 500, failed: 500 });
  assert.match(
    plain(summaryText(answerTo(results))),
    /^Only a responds correctly: b fails on 50 %\. /,
  );
});
