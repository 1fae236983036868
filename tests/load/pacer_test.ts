import assert from "node:assert/strict";
import { ClosedPacer } from "../../runner/load/engine/pacer.ts";
import { OpenPacer } from "../../runner/load/engine/pacers.ts";

Deno.test("a closed pacer gives all of its exchanges, even to a clock that is a little early", () => {
  const pacer = new ClosedPacer(3);
  assert.deepEqual([-5, -0.25, 7].map((nowUs) => pacer.take(nowUs)), [0, 0, 7]);
  assert.equal(pacer.take(8), -1);
  assert.equal(pacer.left, 0);
});

function openPacer(dues: readonly number[]): OpenPacer {
  const left = [...dues];
  return new OpenPacer({ next: () => left.shift() ?? Infinity });
}

Deno.test("an open pacer foresees what is due, gives all of it, and drops the rest", () => {
  const dues = [1, 2, 40, 41, 900];
  const pacer = openPacer(dues);
  assert.deepEqual([0, 3, 1, 5, 9].map((later) => pacer.coming(later)), [
    1,
    41,
    2,
    Infinity,
    Infinity,
  ]);
  assert.deepEqual([pacer.take(2), pacer.take(2), pacer.take(2)], [1, 2, -1]);
  assert.deepEqual([pacer.nextUs, pacer.coming(0), pacer.coming(1), pacer.coming(2)], [
    40,
    40,
    41,
    900,
  ]);
  const dropped: number[] = [];
  pacer.drop(900, (dueUs) => dropped.push(dueUs));
  assert.deepEqual(dropped, [40, 41]);
  assert.equal(pacer.coming(1), Infinity);
});
