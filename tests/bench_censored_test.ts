/** The simulation of the bench of censored times. */
import assert from "node:assert/strict";
import { meanMedian } from "../bench/censored/simulation.ts";
import { Random } from "../bench/statistics/random.ts";

const RUNS = 500;

for (const seconds of [1.5, 5.5, 10.5]) {
  for (const waits of [5, 0]) {
    const how = waits === 0 ? "interrupted at its deadline" : "that waits for its last requests";
    Deno.test(`a closed loop of ${seconds} s ${how} reads the median of exponential times within 3 %`, () => {
      const median = meanMedian(RUNS, { connections: 50, seconds, waits }, new Random(7));
      assert.ok(Math.abs(median / Math.LN2 - 1) < 0.03, `${median} s`);
    });
  }
}

Deno.test("whatever takes no time but the load's is no lower bound", () => {
  const one = { connections: 1, seconds: 1e-9, waits: 1e9 };
  const median = meanMedian(2_000, one, new Random(8));
  assert.ok(Math.abs(median - 1) < 0.1, "each run has one value, and their mean is a second");
});
