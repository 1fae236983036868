import assert from "node:assert/strict";
import { ClosedSupply } from "../../runner/load/engine/pacer.ts";

Deno.test("a closed supply gives all of its exchanges, even to a clock that is a little early", () => {
  const supply = new ClosedSupply(3);
  assert.deepEqual([-5, -0.25, 7].map((nowUs) => supply.take(nowUs)), [0, 0, 7]);
  assert.equal(supply.take(8), -1);
  assert.equal(supply.left, 0);
});
