/** CPU time of both sides between two readings. */
import assert from "node:assert/strict";
import { usedBetween } from "../../runner/slices/side_cpu.ts";

Deno.test("CPU time of a side is what its processes used since the reading before", () => {
  assert.equal(usedBetween(new Map([[1, 100], [2, 7]]), new Map([[1, 130], [2, 9]])), 32);
  assert.equal(usedBetween(new Map([[1, 100], [2, 7]]), new Map([[1, 130]])), 30);
  assert.equal(usedBetween(new Map([[1, 100]]), new Map()), null);
});

Deno.test("a process that was found late puts no time of earlier slices into the one at hand", () => {
  assert.equal(usedBetween(new Map([[1, 100]]), new Map([[1, 130], [2, 400]])), null);
  assert.equal(usedBetween(new Map([[1, 130], [2, 400]]), new Map([[1, 160], [2, 450]])), 80);
});
