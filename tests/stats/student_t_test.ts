import assert from "node:assert/strict";
import { tQuantile, twoSidedP } from "../../runner/stats/confidence/student_t.ts";
import reference from "./data/student_t.json" with { type: "json" };

function assertRelative(found: number, expected: number, within: number): void {
  assert.ok(Math.abs(found / expected - 1) <= within, `${found}, not ${expected}`);
}

for (const { t, df, p, quantile } of reference.cases) {
  Deno.test(`t of ${t} with ${df} degrees of freedom has SciPy's p, and the 95 % point is SciPy's`, () => {
    assertRelative(twoSidedP(t, df), p, 1e-9);
    assertRelative(twoSidedP(-t, df), p, 1e-9);
    assertRelative(tQuantile(0.95, df), quantile, 1e-9);
  });
}

Deno.test("without end of degrees of freedom, t is normal", () => {
  assertRelative(tQuantile(0.95, Infinity), 1.959963984540054, 1e-6);
});

Deno.test("a quantile is the same however many others were asked for before it", () => {
  const first = [0.9, 0.95].map((confidence) => tQuantile(confidence, 4.5));
  for (let df = 1; df <= 200; df++) tQuantile(0.95, df);
  assert.deepEqual([0.9, 0.95].map((confidence) => tQuantile(confidence, 4.5)), first);
  assert.deepEqual(first.map((t) => twoSidedP(t, 4.5).toFixed(9)), ["0.100000000", "0.050000000"]);
});
