/** Which part of a run is profiled. */
import assert from "node:assert/strict";
import { sampledPart } from "../../runner/profile/sampled_part.ts";

const run = (steadyFromS: number | null, elapsedS = 10) => ({ elapsedS, warmup: { steadyFromS } });

const CASES: readonly [string, Parameters<typeof sampledPart>, [number, number] | null][] = [
  ["from the latest steady start of the measured runs", [10, 0, [run(2), run(3)]], [3, 6.8]],
  ["after what is discarded", [10, 5, [run(2)]], [5, 4.8]],
  ["from a quarter on where no run was steady", [10, 0, [run(null)]], [2.5, 7.3]],
  ["a third at least, however late the steady part", [9, 0, [run(8.9)]], [6, 2.82]],
  ["of a run that ends by count, within the shortest so far", [null, 0, [run(1, 5)]], [1, 2.92]],
  ["nothing where no run shows how long one takes", [null, 0, []], null],
];

for (const [what, given, part] of CASES) {
  Deno.test(`sampledPart() is ${what}`, () => {
    const found = sampledPart(...given);
    if (part === null) return assert.equal(found, null);
    assert.ok(found !== null);
    assert.ok(Math.abs(found.fromS - part[0]) < 1e-9, `${found.fromS}`);
    assert.ok(Math.abs(found.forS - part[1]) < 1e-9, `${found.forS}`);
  });
}
