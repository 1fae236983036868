/** What pairs of runs, and the CPU time of requests, say in a comparison. */
import assert from "node:assert/strict";
import { comparedCard } from "../../report/subjects/comparison/card.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { comparePairs, comparisonOf } from "../../report/judge/comparison.ts";
import { groupOf } from "../../report/judge/group.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { comparisonJson, comparisonSuite } from "../../report/render/comparison.ts";
import {
  alarmsIn,
  doubtfulCells,
  lastRepetition,
  revisionSides,
  withFreshRuns,
} from "../../report/subjects/comparison/revisions.ts";
import { mayBeWorse } from "../../runner/stats/comparison/two_stage.ts";
import type { Results } from "../../runner/result/result.ts";
import { around, resultsAt } from "./rates.ts";
import { comparedText } from "./compared.ts";

/** CPU time of a request, µs, of each run of each target. */
function withCpu(results: Results, perRequestUs: (target: string, i: number) => number): Results {
  for (const run of results.runs) {
    const seconds = run.resources.at(-1)?.endS ?? 0;
    const cpu = perRequestUs(run.target, run.repetition - 1) * run.requests.completed / 1e6 /
      seconds;
    for (const point of run.resources) point.cpu = cpu;
  }
  return results;
}

const CPU_NOISE = [1, 1.002, 0.997, 1.001, 0.999];
const BASE = () => withCpu(resultsAt({ a: around(1_000) }), (_, i) => 100 * CPU_NOISE[i]);

/** The same session, so that the runs pair. */
const NOISY = [1_000, 940, 1_050, 1_010, 960];
const HEAVIER = () => withCpu(resultsAt({ a: NOISY }), (_, i) => 110 * CPU_NOISE[(i + 2) % 5]);

Deno.test("CPU time: 10 % more a request is worse where requests/s are open", () => {
  const comparison = compareResults(BASE(), HEAVIER());
  const [{ comparison: cell }] = comparison.cells;
  assert.equal(comparisonOf(cell, "rate").verdict, "inconclusive");
  const cpu = comparisonOf(cell, "cpuPerRequest");
  assert.equal(cpu.verdict, "worse");
  assert.ok(Math.abs(cpu.base - 0.1) < 0.001 && Math.abs(cpu.next - 0.11) < 0.001);
  assert.equal(comparison.outcome, "fail");
  const { code, sentence } = comparedCard(comparison);
  assert.equal(code, "costs");
  assert.match(sentence, /^NEW costs 1\.1\d*× the CPU per request of BASE\.$/);
  const text = comparedText(comparison);
  assert.match(text, /CPU\/request 100\.0\sµs → 0\.110\sms, 1\.1\d*×\s.*: worse/);
  const json = JSON.stringify(comparisonJson(comparison));
  assert.match(json, /"cpuPerRequest":\{"base":0\.099/);
});

Deno.test("CPU time that is open leaves the verdict to requests/s and p99", () => {
  const next = withCpu(
    resultsAt({ a: around(1_001, 0.0003) }),
    (_, i) => 100 * [1, 1.2, 0.8, 1.1, 0.9][i],
  );
  const comparison = compareResults(BASE(), next);
  const [{ comparison: cell }] = comparison.cells;
  assert.equal(comparisonOf(cell, "cpuPerRequest").verdict, "inconclusive");
  assert.equal(comparisonOf(cell, "rate").verdict, "equivalent");
  const { code, notes } = comparedCard(comparison);
  assert.equal(code, "equivalent");
  assert.doesNotMatch(notes.join(), /CPU/);
});

Deno.test("CPU time that nobody saw is in no sentence, no testcase and no family", () => {
  const blind = (results: Results): Results => {
    for (const run of results.runs) run.resources = [];
    return results;
  };
  const comparison = compareResults(blind(BASE()), blind(HEAVIER()));
  const [{ comparison: cell }] = comparison.cells;
  const { ratio, reason } = comparisonOf(cell, "cpuPerRequest");
  assert.deepEqual([ratio, reason], [null, "nothing"]);
  assert.doesNotMatch(
    comparedText(comparison),
    /CPU/,
  );
  const { cases } = comparisonSuite(comparison, { startedAt: "", hostname: "" });
  assert.equal(cases.some(({ name }) => /CPU/.test(name)), false);
});

// What may be worse is measured again, and judged by both stages.

/** Rates of base and head, the fresh runs after the first, as `ab` compares them. */
function staged(
  first: readonly [base: readonly number[], head: readonly number[]],
  fresh: readonly [base: readonly number[], head: readonly number[]] | null,
): ResultsComparison {
  const of = ([base, head]: typeof first): Results => resultsAt({ base, head });
  const names = new Map([["a", { base: "base", head: "head" }]]);
  const results = fresh === null ? of(first) : withFreshRuns(of(first), of(fresh));
  const sides = revisionSides(results, names);
  const options = { revisions: { base: "b", next: "h" } };
  return compareResults(sides.base, sides.head, {
    ...options,
    ...fresh !== null && { firstStage: lastRepetition(of(first)) },
  });
}

const rateIn = ({ cells: [{ comparison }] }: ResultsComparison) => comparisonOf(comparison, "rate");
const NOISE = [0.99, 1.012, 1.001, 0.987, 1.01];
const ratesBy = (factor: number, turn = 0): number[] =>
  NOISE.map((_, i) => 1_000 * factor * NOISE[(i + turn) % 5]);
const LEVEL = ratesBy(1);

const OPEN: [sentence: string, factor: number, isAgain: boolean][] = [
  ["no change", 1, false],
  ["a gain", 1.05, false],
  ["a loss about the margin", 0.975, true],
  ["a loss beyond it", 0.93, true],
];

for (const [sentence, factor, isAgain] of OPEN) {
  Deno.test(`ab: ${sentence} after the first blocks is ${isAgain ? "" : "not "}measured again`, () => {
    const first = staged([LEVEL, ratesBy(factor, 2)], null);
    const { interval } = rateIn(first);
    const rule = { marginRatio: first.marginRatio, better: "higher" } as const;
    assert.equal(interval && mayBeWorse(interval, rule), isAgain);
    if (isAgain) assert.equal(doubtfulCells(first).length, 1);
  });
}

Deno.test("ab: a loss that both stages see is worse, by the ratio of all blocks", () => {
  const comparison = staged([LEVEL, ratesBy(0.95, 2)], [LEVEL, ratesBy(0.94, 3)]);
  const rate = rateIn(comparison);
  assert.deepEqual([rate.verdict, rate.reason, rate.pairs], ["worse", null, 10]);
  assert.ok(rate.ratio !== null && rate.ratio > 0.944 && rate.ratio < 0.95, `${rate.ratio}`);
  assert.deepEqual(rate.stages?.blocks, { first: 5, fresh: 5 });
  const json = JSON.stringify(comparisonJson(comparison));
  assert.match(json, /"stages":\{"first":0\.9\d+,"fresh":0\.9\d+,"blocks":\{"first":5,"fresh":5\}/);
  assert.match(
    comparedText(comparison),
    /Every figure that seemed worse after 5 blocks was measured again in 5 fresh blocks/,
  );
});

Deno.test("ab: a loss that fresh blocks do not see is inconclusive, however large the first was", () => {
  const gone = staged([LEVEL, ratesBy(0.8, 2)], [LEVEL, ratesBy(0.999, 2)]);
  assert.equal(rateIn(gone).verdict, "inconclusive");
  const alarms = alarmsIn(staged([LEVEL, ratesBy(0.8, 2)], null), gone);
  assert.deepEqual(alarms.map(({ figure, outcome }) => [figure, outcome]), [[
    "rate",
    "inconclusive",
  ]]);
});

Deno.test("ab: a loss that all blocks together see is worse only if the fresh ones alone are beyond the margin", () => {
  const noisy = (factor: number, turn: number): number[] =>
    Array.from(
      { length: 20 },
      (_, i) => 1_000 * factor * (1 + 0.02 * Math.sin(3 * turn + 7 * i + i * i)),
    );
  const ends = [0.983, 0.96].map((factor) => {
    const { verdict, reason, stages } = rateIn(
      staged([noisy(1, 0), noisy(0.94, 1)], [noisy(1, 2), noisy(factor, 3)]),
    );
    assert.ok(stages !== null && stages.fresh < 1);
    return reason ?? verdict;
  });
  assert.deepEqual(ends, ["unconfirmed", "worse"]);
});

Deno.test("ab: the ratio shown is not that of the blocks that were picked for being bad", () => {
  const rate = rateIn(staged([LEVEL, ratesBy(0.962, 2)], [LEVEL, ratesBy(0.985, 3)]));
  const pooled = Math.exp((Math.log(0.962) + Math.log(0.985)) / 2);
  assert.ok(rate.ratio !== null && rate.ratio > pooled, `${rate.ratio} ${pooled}`);
  assert.ok(rate.interval && rate.interval.low < 0.962 && rate.interval.high > 0.985);
});

Deno.test("ab: CPU time that nobody saw, or that is open, is no alarm", () => {
  const open = withCpu(
    resultsAt({ a: around(1_001, 0.0003) }),
    (_, i) => 100 * [1, 1.2, 0.8, 1.1, 0.9][i],
  );
  const same = compareResults(BASE(), open);
  assert.deepEqual(alarmsIn(same, same), []);
  const worse = compareResults(BASE(), HEAVIER());
  assert.deepEqual(
    alarmsIn(worse, worse).map(({ figure, outcome, isStaged }) => [figure, outcome, isStaged]),
    [["cpuPerRequest", "fail", false]],
  );
});

Deno.test("20 pairs of cells lend each other degrees of freedom, and a common base lends none", () => {
  const noise = (at: number) => Array.from({ length: 5 }, (_, i) => Math.sin(9 * at + 4 * i * i));
  const rates = (offset: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, cell) => [
      `c${cell}`,
      noise(cell + offset).map((one) => 1_000 * (1 + 0.02 * one)),
    ]));
  const freedomOf = (count: number): number => {
    const { cells } = compareResults(resultsAt(rates(0, count)), resultsAt(rates(100, count)));
    return comparisonOf(cells[0].comparison, "rate").interval?.degreesOfFreedom ?? 0;
  };
  assert.equal(freedomOf(5), 7);
  assert.ok(freedomOf(20) > 7, `${freedomOf(20)}`);
  const [base, ...others] = groupRuns(resultsAt(rates(0, 21)))[0].cells.map(groupOf);
  const [shared] = comparePairs(others.map((next) => ({ base, next })));
  assert.ok([4, 7].includes(comparisonOf(shared, "rate").interval?.degreesOfFreedom ?? 0));
});
