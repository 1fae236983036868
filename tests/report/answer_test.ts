import assert from "node:assert/strict";
import { answerOf, answerText } from "../../report/answer.ts";
import type { Cell } from "../../report/cells.ts";
import { groupRuns } from "../../report/cells.ts";
import type { Results } from "../../runner/result.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";

/** Requests/s of each run by target; `wrong` is a share. */
interface Case {
  readonly rates: Readonly<Record<string, readonly number[]>>;
  readonly wrong?: Readonly<Record<string, number>>;
  readonly says: RegExp;
  readonly never?: RegExp;
}

function cellsOf({ rates, wrong = {} }: Case): readonly Cell[] {
  const specs = Object.entries(rates).map(([target, { length }]): CellSpec => ({
    target,
    scenario: "static",
    medianMs: 20,
    duration: 1,
    runs: length,
    wrongRatio: wrong[target],
  }));
  const results: Results = resultsFixture({ cells: specs });
  for (const run of results.runs) run.rate = rates[run.target][run.repetition - 1];
  return groupRuns(results)[0].cells;
}

const CASES: Record<string, Case> = {
  "one target with one run has a figure, and no rival": {
    rates: { a: [1_000] },
    says: /^a answered 1,000 requests\/s: in one run, p99 /,
    never: /fastest/,
  },
  "one target with several runs has its range": {
    rates: { a: [1_000, 1_100, 900] },
    says: /^a answered 1,000 requests\/s: 900–1,100 over 3 runs/,
  },
  "one run each claims no more than that": {
    rates: { a: [1_000], b: [2_000] },
    says: /^b was fastest in one run each: 2,000 requests\/s, .*; 2\.00× a\.$/,
    never: /\(/,
  },
  "the ratio is of medians, its range from the closest to the farthest runs": {
    rates: { a: [1_000, 1_100, 1_200], b: [2_000, 2_200, 2_400] },
    says:
      /^b is fastest: 2,200 requests\/s \(2,000–2,400 over 3 runs\).*; 2\.00× a \(1\.67–2\.40\)\.$/,
  },
  "ranges that overlap have no winner": {
    rates: { a: [1_000, 1_100], b: [1_050, 1_200] },
    says: /^b and a are too close to call: 1,125 .* \(ratio 0\.95–1\.20\)\.$/,
    never: /fastest/,
  },
  "of many rivals only the next and the last are named": {
    rates: { a: [10, 10], b: [20, 20], c: [40, 40], d: [80, 80] },
    says: /2\.00× c \(2\.00–2\.00\), the next, and 8\.00× a \(8\.00–8\.00\), the last\.$/,
    never: / b /,
  },
  "a target that answers wrong cannot win, however fast": {
    rates: { a: [1_000, 1_000], b: [9_000, 9_000] },
    wrong: { b: 0.5 },
    says: /^a answered 1,000 .* 50\.\d % of the requests to b .*, so it is not ranked\.$/,
  },
  "a few faults are said but do not exclude": {
    rates: { a: [1_000, 1_000], b: [9_000, 9_000] },
    wrong: { b: 0.005 },
    says: /^b is fastest: .* 0\.\d\d % of the requests to b failed or had a wrong answer\.$/,
    never: /not ranked/,
  },
  "without a right answer nobody wins": {
    rates: { a: [1_000] },
    wrong: { a: 1 },
    says: /^No target answered right: 100 % of the requests to a /,
  },
  "a rival that answered nothing is not divided by": {
    rates: { a: [100, 100], b: [0, 0] },
    says: /; b answered nothing\.$/,
    never: /Infinity|NaN/,
  },
};

for (const [sentence, example] of Object.entries(CASES)) {
  Deno.test(`answer: ${sentence}`, () => {
    const text = answerText(answerOf(cellsOf(example))).replaceAll("\u00a0", " ");
    assert.match(text, example.says);
    if (example.never) assert.doesNotMatch(text, example.never);
  });
}
