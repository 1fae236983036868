import assert from "node:assert/strict";
import { cellName, estimateCell, RESAMPLES } from "../../runner/stats/cell_estimates.ts";
import { Histogram } from "../../runner/stats/histogram.ts";
import type { Block } from "../../runner/stats/pool.ts";

const RUNS = [100, 104, 97, 101].map((completed): Block[] => {
  const latency = new Histogram();
  latency.record(1e6 / completed);
  return [{ seconds: 1, completed, latency: latency.toSparse() }];
});

Deno.test("a cell is drawn alike each time, and independently of others", () => {
  const draws = (name: string): Float64Array | undefined =>
    estimateCell(name, RUNS, ["rate"])[0]?.logDraws;
  assert.deepEqual(draws("a"), draws("a"));
  const [a, b] = [draws("a"), draws("b")];
  assert.ok(a && b && a.length === RESAMPLES);
  const product = a.reduce((sum, draw, i) => sum + draw * b[i], 0);
  const squares = a.reduce((sum, draw) => sum + draw ** 2, 0);
  assert.ok(Math.abs(product / squares) < 0.1, String(product / squares));
});

Deno.test("the figures asked for beside it do not change one", () => {
  assert.deepEqual(estimateCell("a", RUNS, ["rate"])[0], estimateCell("a", RUNS, [50, "rate"])[1]);
});

Deno.test("without runs, or runs without intervals, there is nothing to estimate", () => {
  assert.deepEqual(estimateCell("a", [], ["rate", 50]), [null, null]);
  assert.deepEqual(estimateCell("a", [[], []], ["rate"]), [null]);
  assert.equal(estimateCell("a", [...RUNS, []], ["rate"])[0]?.byRun.length, RUNS.length);
});

Deno.test("cells are told apart by target, scenario and parameters", () => {
  const cell = { target: "a", scenario: "s", parameters: { connections: 1 } };
  const names = [cell, { ...cell, target: "b" }, { ...cell, scenario: "t" }, {
    ...cell,
    parameters: {},
  }]
    .map(cellName);
  assert.equal(new Set(names).size, 4);
  assert.equal(cellName({ ...cell }), names[0]);
});
