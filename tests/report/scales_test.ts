import assert from "node:assert/strict";
import { trackTicks } from "../../report/client/charts/scales.ts";
import { logTicks } from "../../report/render/html/ticks.ts";

Deno.test("an axis of many decades has a tick at some of them only, and at 1", () => {
  const axis = { scale: "log", min: 1e-12, max: 1e14 } as const;
  const ticks = logTicks(axis, 7);
  assert.ok(ticks.length <= 7 && ticks.length >= 4 && ticks.includes(1), `${ticks}`);
});

Deno.test("no label of a track runs into the track above, and each track has one above its lowest", () => {
  for (const weight of [2, 3, 5]) {
    for (let max = 1; max < 1_000; max *= 1.07) {
      const ticks = trackTicks({ scale: "linear", min: 0, max }, weight);
      const highest = Math.max(...ticks);
      assert.ok(highest > 0 && (1 - highest / max) * 29 * weight >= 12.9, `${ticks} of ${max}`);
    }
  }
  const log = trackTicks({ scale: "log", min: 0.5, max: 10.1 }, 5);
  assert.deepEqual(log, [0.5, 1, 2, 5]);
});
