import assert from "node:assert/strict";
import { estimateCell, RESAMPLES } from "../../runner/stats/confidence/bootstrap.ts";
import { cellKey } from "../../base/figures/cells.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { RunBlock } from "../../runner/stats/confidence/pool.ts";

const RUNS = [100, 104, 97, 101].map((completed): RunBlock[] => {
  const latency = new Histogram();
  latency.record(1e6 / completed);
  return [{ seconds: 1, completed, latency: latency.toSparse() }];
});

const SAMPLING = { session: "2031", repetitions: [1, 2, 3, 4] };

Deno.test("a cell is drawn alike each time", () => {
  const draws = (): Float64Array | undefined => estimateCell(RUNS, ["rate"], SAMPLING)[0]?.logDraws;
  assert.deepEqual(draws(), draws());
  assert.equal(draws()?.length, RESAMPLES);
});

Deno.test("the figures asked for beside it do not change one", () => {
  const [alone] = estimateCell(RUNS, ["rate"], SAMPLING);
  const [, beside] = estimateCell(RUNS, [50, "rate"], SAMPLING);
  assert.deepEqual(alone?.logDraws, beside?.logDraws);
  assert.equal(alone?.logStandardError, beside?.logStandardError);
});

Deno.test("without runs, or runs without intervals, there is nothing to estimate", () => {
  const none = { session: null, repetitions: [] };
  assert.deepEqual(estimateCell([], ["rate", 50], none), [null, null]);
  assert.deepEqual(estimateCell([[], []], ["rate"], { session: null, repetitions: [1, 2] }), [
    null,
  ]);
  const [rate] = estimateCell([RUNS[0], [], RUNS[2]], ["rate"], {
    session: null,
    repetitions: [1, 2, 3],
  });
  assert.deepEqual(rate?.repetitions, [1, 3]);
});

Deno.test("cells are told apart by target, scenario and parameters", () => {
  const cell = { target: "a", scenario: "s", parameters: { connections: 1 } };
  const names = [cell, { ...cell, target: "b" }, { ...cell, scenario: "t" }, {
    ...cell,
    parameters: {},
  }]
    .map(cellKey);
  assert.equal(new Set(names).size, 4);
  assert.equal(cellKey({ ...cell }), names[0]);
});
