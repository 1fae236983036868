/** What an `ab` in slices says after its looks: what is open, and why it measures no more. */
import assert from "node:assert/strict";
import type { ExperimentLook } from "../../runner/experiment/blocks.ts";
import { lookAt } from "../../cli/experiment/looks.ts";
import { slicedComparison } from "../report/sliced.ts";

/** Twice the requests/s, and a p99 that hardly differs. */
function lookAfter(processes: number): ExperimentLook {
  return lookAt(() => slicedComparison({ processes, pairs: 20, ratio: 2 }), processes);
}

Deno.test("an ab says which figure of which cell is open, and when it looks again", () => {
  const { isEnough, note } = lookAfter(4);
  assert.equal(isEnough, false);
  assert.match(
    note ?? "",
    /^Undecided after 4 pairs of processes: p99 of static, app \(0\.96×\s\[.*\], inconclusive: too few runs\); the next check is at 6 pairs$/,
  );
});

Deno.test("an ab ends before its last look when more pairs would hardly decide what is open, and says so", () => {
  const { isEnough, note } = lookAfter(42);
  assert.equal(isEnough, true);
  assert.match(
    note ?? "",
    /^Stops after 42 pairs of processes, because more would hardly decide p99 of static, app \(0\.97×\s\[.*\], no difference seen\)$/,
  );
});

Deno.test("an ab says nothing between its looks", () => {
  assert.deepEqual(lookAfter(5), { isEnough: false, note: null });
});
