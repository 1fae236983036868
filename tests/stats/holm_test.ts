import assert from "node:assert/strict";
import { holm } from "../../runner/stats/comparison/significance_tests.ts";
import reference from "./data/holm.json" with { type: "json" };

for (const { p, adjusted } of reference.cases) {
  Deno.test(`Holm's correction of ${p.length} p-values from ${p[0]} is that of statsmodels`, () => {
    const found = holm(p);
    assert.equal(found.length, adjusted.length);
    found.forEach((value, i) =>
      assert.ok(Math.abs(value - adjusted[i]) < 1e-12, `${value}, not ${adjusted[i]}`)
    );
  });
}

Deno.test("Holm's correction of nothing is nothing", () => assert.deepEqual(holm([]), []));
