import assert from "node:assert/strict";
import { verdictSentence } from "../../report/findings/judgements.ts";
import type { Verdict } from "../../report/judge/verdict.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import {
  compareScenarios,
  type ScenarioComparison,
} from "../../report/subjects/verdict/compared_scenarios.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

function compared(cells: readonly SweepCell[]): ScenarioComparison {
  return compareScenarios(groupRuns(sweepResults(cells)), {})[0];
}

function answer(cells: readonly SweepCell[]): string {
  return verdictSentence(verdict(cells)).replaceAll("\u00a0", " ");
}

function verdict(cells: readonly SweepCell[]): Verdict {
  return compared(cells).summary.verdict;
}

/** `cell against base` of each row. */
function pairs(cells: readonly SweepCell[]): string[] {
  const { table } = compared(cells);
  return table?.rows.map(([name, base]) => `${name.text} against ${base.text}`) ?? [];
}

/** One process and a cluster under CPU work: the cluster pays off once there is something to share. */
const CPU_TIMES = [0, 100, 500, 1_000];
const CLUSTERED = CPU_TIMES.flatMap((cpuTime, i): SweepCell[] => [
  { target: "one", parameters: { "set.cpuTime": cpuTime }, rate: 5_000 / (1 + 10 * i) },
  {
    target: "cluster",
    parameters: { "set.cpuTime": cpuTime },
    rate: i === 0 ? 4_000 : 1.9 * 5_000 / (1 + 10 * i),
  },
]);

Deno.test("targets are compared at equal values of the factors, never across them", () => {
  assert.deepEqual(pairs(CLUSTERED), [
    "cluster · cpuTime 0 against one · cpuTime 0",
    "cluster · cpuTime 100 against one · cpuTime 100",
    "cluster · cpuTime 500 against one · cpuTime 500",
    "cluster · cpuTime 1000 against one · cpuTime 1000",
  ]);
});

Deno.test("of an experiment that is not done nothing is compared across values of the factors", () => {
  const cell = (target: string, connections: number, rate: number): SweepCell => ({
    target,
    parameters: { connections },
    rate,
  });
  const [a1, b8, a8] = [cell("a", 1, 3), cell("b", 8, 24), cell("a", 8, 12)]
    .map((one) => ({ ...one, rates: [one.rate * 1_000] }));
  const { code, evidence } = verdict([a1, b8]);
  assert.ok(code === "undecided" && evidence.standing === "apart");
  assert.deepEqual(compared([a1, b8]).summary.pairs, []);
  assert.equal(answer([a1, b8, a8]), "b was fastest in one run each");
});

Deno.test("single runs at the same rate lead at no value", () => {
  const cells = [1, 8].flatMap((connections) =>
    ["a", "b"].map((target) => ({ target, parameters: { connections }, rate: 0, rates: [1_000] }))
  );
  assert.equal(answer(cells), "No target is fastest for certain at any number of connections");
});

Deno.test("the answer says who is fastest at which values", () => {
  const { code, evidence } = verdict(CLUSTERED);
  assert.ok(code === "depends");
  assert.deepEqual(
    evidence.settings.map(({ verdict }) => verdict.code === "leads" && verdict.evidence.target),
    ["one", "cluster", "cluster", "cluster"],
  );
  assert.equal(
    answer(CLUSTERED),
    "Which is fastest depends on cpuTime: one at cpuTime 0; cluster at cpuTime 100, 500 and 1,000",
  );
});

Deno.test("who leads at every value is said so, with the smallest lead", () => {
  const cells = [1, 16, 64].flatMap((connections): SweepCell[] => [
    { target: "slow", parameters: { connections }, rate: 1_000 },
    { target: "fast", parameters: { connections }, rate: 1_000 + 100 * connections },
  ]);
  assert.match(
    answer(cells),
    /^fast is fastest at every number of connections: at the least 1\.10\d*× .* of slow$/,
  );
});

Deno.test("where nobody leads at some values, the answer names them, and where nowhere says so", () => {
  const at = (connections: number, rates: readonly number[]): SweepCell[] =>
    rates.map((rate, i) => ({ target: `t${i}`, parameters: { connections }, rate }));
  const close = [at(10, [1_000, 1_000]), at(50, [1_000, 1_001])].flat();
  assert.match(
    answer(close),
    /^t\d and t\d are about as fast at every number of connections$/,
  );
  const mixed = answer([...close, ...at(200, [1_000, 3_000])]);
  assert.match(
    mixed,
    /depends on the number of connections: t1 at connections 200; about as fast at connections 10 and 50$/,
  );
});

Deno.test("one run each claims no more than that", () => {
  const cells = [1, 2, 3].flatMap((connections): SweepCell[] => [
    { target: "slow", parameters: { connections }, rate: 0, rates: [1_000] },
    { target: "fast", parameters: { connections }, rate: 0, rates: [2_000] },
  ]);
  assert.equal(
    answer(cells),
    "fast was fastest at every number of connections (inconclusive: too few runs)",
  );
});

Deno.test("a factor that one target has alone does not keep it from being compared", () => {
  const cells = [0, 500].flatMap((cpuTime): SweepCell[] => [
    { target: "one", parameters: { cpuTime }, rate: 1_000 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 2 }, rate: 1_900 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 4 }, rate: 3_600 },
  ]);
  assert.deepEqual(pairs(cells).slice(0, 2), [
    "cluster · cpuTime 0 · instances 2 against one · cpuTime 0",
    "cluster · cpuTime 0 · instances 4 against one · cpuTime 0",
  ]);
  assert.match(answer(cells), /^cluster is fastest at every cpuTime: at the least 3\.\d+× /);
});

Deno.test("of one target each number is compared with the first, one factor at a time", () => {
  const cells = [1, 2].flatMap((workers) =>
    [1, 10, 100].map((connections): SweepCell => ({
      parameters: { connections, workers },
      rate: 1_000 * Math.sqrt(connections) * workers,
    }))
  );
  assert.deepEqual(pairs(cells).sort(), [
    "a · connections 1 · workers 2 against a · connections 1 · workers 1",
    "a · connections 10 · workers 1 against a · connections 1 · workers 1",
    "a · connections 10 · workers 2 against a · connections 1 · workers 2",
    "a · connections 100 · workers 1 against a · connections 1 · workers 1",
    "a · connections 100 · workers 2 against a · connections 1 · workers 2",
  ]);
});

Deno.test("of one target the values of a factor of words are compared, at equal numbers", () => {
  const cells = ["off", "on"].flatMap((cache) =>
    [1, 10, 100].map((connections): SweepCell => ({
      parameters: { connections, "set.cache": cache },
      rate: 1_000 * Math.sqrt(connections) * (cache === "on" ? 2 : 1),
    }))
  );
  assert.deepEqual(pairs(cells).sort(), [
    "cache on · connections 1 against cache off · connections 1",
    "cache on · connections 10 against cache off · connections 10",
    "cache on · connections 100 against cache off · connections 100",
  ]);
  assert.match(answer(cells), /^cache on is fastest at every number of connections: /);
});

Deno.test("the answer of one target is from its slowest to its fastest value", () => {
  const { code, evidence } = verdict([1, 16, 64].map((connections) => ({
    parameters: { connections },
    rate: 1_000 * Math.min(connections, 10),
  })));
  assert.ok(code === "alone" && evidence.span !== null);
  const { target, rival, decision: { ratio, verdict: judged } } = evidence.span;
  assert.match(target, /^connections (16|64)$/);
  assert.deepEqual([rival, judged], ["connections 1", "better"]);
  assert.ok(Math.abs((ratio ?? 0) - 10) < 0.1);
});

Deno.test("the answer of one target that nothing changes has no fastest value", () => {
  const cells = [1, 16, 64].map((connections) => ({ parameters: { connections }, rate: 1_000 }));
  assert.equal(answer(cells), "a is about as fast at every number of connections");
});

Deno.test("a value at which a target answers wrong has no contest there", () => {
  const cells = CLUSTERED.map((cell, i) => i === 0 ? { ...cell, wrongRatio: 0.5 } : cell);
  assert.doesNotMatch(pairs(cells).join(), /cpuTime 0/);
  assert.equal(
    answer(cells),
    "At cpuTime 0 only cluster responds correctly: one responds wrongly to 10 %",
  );
});

Deno.test("times are ordered by how long they are, however they are written", () => {
  const cells = ["1s", "50ms", "200ms"].map((delay, i): SweepCell => ({
    parameters: { "set.delay": delay },
    rate: [1_000, 3_000, 2_000][i],
  }));
  assert.deepEqual(pairs(cells).sort(), [
    "a · delay 1s against a · delay 50ms",
    "a · delay 200ms against a · delay 50ms",
  ]);
});
