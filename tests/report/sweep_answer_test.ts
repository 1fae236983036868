import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import type { ConclusionModel } from "../../report/subjects/verdict/conclusion.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

function answer(cells: readonly SweepCell[]): ConclusionModel {
  return reportModel(sweepResults(cells)).card;
}

/** The code, and who leads at each setting. */
function leaders(cells: readonly SweepCell[]): (string | null)[] {
  const { code, winners } = answer(cells);
  return [code, ...winners.map(({ winner }) => winner)];
}

/** `cell against base` of each row. */
function pairs(cells: readonly SweepCell[]): string[] {
  const [{ compared: { table } }] = reportModel(sweepResults(cells)).context.scenarios;
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
  assert.equal(answer([a1, b8]).code, "incomparable");
  assert.match(answer([a1, b8, a8]).figure?.label ?? "", /^requests\/s of b over a$/);
});

Deno.test("single runs lead at no value", () => {
  const cells = [1, 8].flatMap((connections) =>
    ["a", "b"].map((target, i): SweepCell => ({
      ...{ target, parameters: { connections }, rate: 0, rates: [1_000 * (1 + i)] },
    }))
  );
  assert.deepEqual(leaders(cells), ["undecided", null, null]);
});

Deno.test("the answer says who is fastest at which values", () => {
  assert.deepEqual(leaders(CLUSTERED), ["depends", "one", "cluster", "cluster", "cluster"]);
  assert.match(answer(CLUSTERED).sentence, /depends on cpuTime: cluster leads in 3 of 4 settings/);
});

Deno.test("who leads at every value is said so, with the range of the lead", () => {
  const cells = [1, 16, 64].flatMap((connections): SweepCell[] => [
    { target: "slow", parameters: { connections }, rate: 1_000 },
    { target: "fast", parameters: { connections }, rate: 1_000 + 100 * connections },
  ]);
  assert.equal(
    answer(cells).sentence,
    "fast leads in all 3 settings: 1.1–7.4× the requests/s of slow.",
  );
});

Deno.test("where nobody leads at some values, the answer counts them", () => {
  const at = (connections: number, rates: readonly number[]): SweepCell[] =>
    rates.map((rate, i) => ({ target: `t${i}`, parameters: { connections }, rate }));
  const close = [at(10, [1_000, 1_000]), at(50, [1_000, 1_001])].flat();
  assert.deepEqual(leaders(close), ["equivalent", null, null]);
  const mixed = [...close, ...at(200, [1_000, 3_000])];
  assert.deepEqual(leaders(mixed), ["leads", null, null, "t1"]);
  assert.match(answer(mixed).sentence, / in 1 of 3 settings: .*; equivalent in 2\.$/);
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
  assert.deepEqual(leaders(cells), ["leads", "cluster", "cluster"]);
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
  assert.deepEqual(leaders(cells), ["leads", "cache on", "cache on", "cache on"]);
});

Deno.test("a value at which a target answers wrong has no contest there", () => {
  const cells = CLUSTERED.map((cell, i) => i === 0 ? { ...cell, wrongRatio: 0.5 } : cell);
  assert.doesNotMatch(pairs(cells).join(), /cpuTime 0/);
  assert.deepEqual(leaders(cells), ["leads", "cluster", "cluster", "cluster", "cluster"]);
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
