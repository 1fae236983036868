import assert from "node:assert/strict";
import { ClosedPacer } from "../../runner/load/engine/pacer.ts";

Deno.test("a closed pacer gives all of its exchanges, even to a clock that is a little early", () => {
  const pacer = new ClosedPacer(3);
  assert.deepEqual([-5, -0.25, 7].map((nowUs) => pacer.take(nowUs)), [0, 0, 7]);
  assert.equal(pacer.take(8), -1);
  assert.equal(pacer.left, 0);
});
