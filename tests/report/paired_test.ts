/** What pairs of runs, and the CPU time of requests, say in a comparison. */
import assert from "node:assert/strict";
import { comparedCard } from "../../report/subjects/comparison/card.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { comparePairs, comparisonOf } from "../../report/judge/comparison.ts";
import { groupOf } from "../../report/judge/group.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { comparisonJson, comparisonSuite } from "../../report/render/comparison.ts";
import { confirmedBy } from "../../report/subjects/comparison/revisions.ts";
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

Deno.test("an alarm's confirmation leaves out CPU time that nobody saw, or that is open", () => {
  const same = withCpu(
    resultsAt({ a: around(1_001, 0.0003) }),
    (_, i) => 100 * [1, 1.2, 0.8, 1.1, 0.9][i],
  );
  assert.equal(confirmedBy(compareResults(BASE(), same), null).comparison.outcome, "pass");
  const worse = compareResults(BASE(), HEAVIER());
  const { alarms } = confirmedBy(worse, worse);
  assert.deepEqual(alarms.map(({ figure, again }) => [figure, again]), [["cpuPerRequest", "fail"]]);
});

Deno.test("what fresh runs do not bear out is worse in no form", () => {
  const [worse, same] = [compareResults(BASE(), HEAVIER()), compareResults(BASE(), BASE())];
  const { comparison: confirmed } = confirmedBy(worse, worse);
  assert.equal(comparedCard(confirmed).code, "costs");
  const { comparison: doubtful } = confirmedBy(worse, same);
  assert.notEqual(doubtful.outcome, "fail");
  assert.equal(comparedCard(doubtful).code, "undecided");
  const text = comparedText(doubtful);
  assert.match(
    text,
    /CPU\/request .*: inconclusive, worse at first, but fresh runs did not confirm it/,
  );
  const failures = [worse, doubtful].map((one) =>
    comparisonSuite(one, { startedAt: "", hostname: "" }).cases
      .filter(({ problem }) => problem?.kind === "failure").length
  );
  assert.deepEqual(failures, [1, 0]);
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
