import assert from "node:assert/strict";
import { driftOf } from "../../runner/stats/steady_state/flatness.ts";

function assertNear(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) < 1e-12, `${found}, not ${expected}`);
}

Deno.test("a straight line drifts by its rise, without doubt", () => {
  const { change, standardError } = driftOf([1, 1.5, 2, 2.5, 3]);
  assertNear(change, 2);
  assertNear(standardError, 0);
});

Deno.test("equal values don't drift", () => {
  assert.deepEqual(driftOf([4, 4, 4, 4]), { change: 0, standardError: 0, residualSquares: 0 });
});

Deno.test("alternating noise has the standard error of least squares", () => {
  // scipy.stats.linregress(range(6), [0, 1, 0, 1, 0, 1]): slope 0.0857142857, stderr 0.1399708424; times 5.
  const { change, standardError } = driftOf([0, 1, 0, 1, 0, 1]);
  assert.ok(Math.abs(change - 0.4285714286) < 1e-9);
  assert.ok(Math.abs(standardError - 0.699854212) < 1e-9);
});

Deno.test("noise that comes in waves counts for fewer values", () => {
  const alternating = [1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1];
  const waves = [1, 1, 1, -1, -1, -1, 1, 1, 1, -1, -1, -1];
  assert.ok(driftOf(waves).standardError > 1.3 * driftOf(alternating).standardError);
});
