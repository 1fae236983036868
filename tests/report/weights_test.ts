import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { around } from "./rates.ts";
import { tablesIn } from "./said.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

/** Texts of the rows of what is explained; none where nothing is. */
function weights(cells: readonly SweepCell[]): string[][] {
  return tablesIn(reportModel(sweepResults(cells)), "sweeps")
    .filter(({ caption }) => caption.startsWith("Variance explained"))
    .flatMap(({ rows }) => rows.map((row) => row.map(({ text }) => text)));
}

/** Requests/s grow 8 times with connections, in steps of equal ratio, and as given with the target. */
function explained(factors: readonly number[], connections = [1, Math.sqrt(8), 8]): SweepCell[] {
  return ["slow", "fast"].flatMap((target, i) =>
    connections.map((n): SweepCell => ({
      target,
      parameters: { connections: n },
      rate: 0,
      rates: around(1_000 * n * factors[i]),
    }))
  );
}

Deno.test("weights: shares of the variance, and what each factor does from end to end", () => {
  const rows = weights(explained([1, 2]));
  assert.deepEqual(rows.map(([name, ends, share, , rate]) => [name, ends, rate, share]), [
    ["target", "slow → fast", "2.00", "14.3"],
    ["connections", "1 → 8", "8.00", "85.7"],
    ["factors together", "", "–", "0"],
    ["runs of a cell", "", "–", "< 0.01"],
  ]);
});

Deno.test("weights: a factor that one target has alone is told with the target", () => {
  const rows = weights([0, 500].flatMap((cpuTime): SweepCell[] => [
    { target: "one", parameters: { cpuTime }, rate: 1_000 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 2 }, rate: 2_000 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 4 }, rate: 4_000 },
  ]));
  assert.deepEqual(rows.slice(0, 2).map(([name]) => name), ["target and instances", "cpuTime"]);
  assert.equal(rows[0][1], "one → cluster · instances 4");
});

Deno.test("weights: a missing combination leaves nothing to weigh, nor do four cells", () => {
  const cells = explained([1, 2]);
  for (const some of [cells.slice(1), [0, 2, 3, 5].map((at) => cells[at])]) {
    assert.deepEqual(weights(some), []);
  }
});

Deno.test("weights: what a factor does a thousand times over is written out", () => {
  assert.equal(weights(explained([1, 1_500], [1, 4, 8]))[0][4], "1,500");
});
