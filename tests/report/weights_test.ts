import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import type { SweepModel } from "../../report/subjects/sweeps/sweeps.ts";
import { around } from "./rates.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

function sweepsOf(cells: readonly SweepCell[]): readonly SweepModel[] {
  return reportModel(sweepResults(cells)).context.sweeps;
}

function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

/** Requests/s grow 8 times with connections, in steps of equal ratio, and twice with the target. */
const EXPLAINED = ["slow", "fast"].flatMap((target, i) =>
  [1, Math.sqrt(8), 8].map((connections): SweepCell => ({
    target,
    parameters: { connections },
    rate: 0,
    rates: around(1_000 * connections * (1 + i)),
  }))
);

Deno.test("weights: shares of the variance, and what each factor does from end to end", () => {
  const [{ weights }] = sweepsOf(EXPLAINED);
  assert.ok(weights);
  assert.equal(
    plain(weights.findings[0]),
    "Requests/s: connections 86 %, target 14 %, together 0 %, runs < 1 %.",
  );
  const rows = weights.table.rows.map((row) => row.slice(0, 3).map(({ text }) => text));
  assert.deepEqual(rows.slice(0, 2), [
    ["target", "slow → fast", "2.00×"],
    ["connections", "1 → 8", "8.00×"],
  ]);
});

Deno.test("weights: a factor that one target has alone is told with the target", () => {
  const cells = [0, 500].flatMap((cpuTime): SweepCell[] => [
    { target: "one", parameters: { cpuTime }, rate: 1_000 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 2 }, rate: 2_000 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 4 }, rate: 4_000 },
  ]);
  const [{ weights }] = sweepsOf(cells);
  assert.deepEqual(weights?.table.rows.slice(0, 2).map((row) => row[0].text), [
    "target and instances",
    "cpuTime",
  ]);
  assert.equal(weights?.table.rows[0][1].text, "one → cluster · instances 4");
});

Deno.test("weights: a missing combination leaves nothing to weigh, nor do four cells", () => {
  assert.deepEqual(sweepsOf(EXPLAINED.slice(1)).map(({ weights }) => weights), [null]);
  assert.deepEqual(sweepsOf([0, 2, 3, 5].map((at) => EXPLAINED[at])), []);
});

Deno.test("weights: what a factor does a thousand times over is written out", () => {
  const cells = ["slow", "fast"].flatMap((target, i) =>
    [1, 4, 8].map((connections): SweepCell => ({
      target,
      parameters: { connections },
      rate: 0,
      rates: around([2, 3_000][i] * connections),
    }))
  );
  const [{ weights }] = sweepsOf(cells);
  assert.equal(weights?.table.rows[0][2].text, "1,500×");
});
