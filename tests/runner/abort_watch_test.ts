/** When a load is hopeless by its own rules. */
import assert from "node:assert/strict";
import { AbortWatch } from "../../runner/measure/abort_watch.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";

/** Intervals of 250 ms, in each of which so many requests complete in so many milliseconds, and so many fail. */
function watched(
  rules: readonly string[],
  intervals: readonly { completed: number; ms: number; failed: number; wrong?: number }[],
): AbortWatch {
  const watch = new AbortWatch(rules, 250);
  let completedSoFar = 0;
  intervals.forEach(({ completed, ms, failed, wrong = 0 }, index) => {
    const latency = new Histogram();
    for (let i = 0; i < completed; i++) latency.record(ms * 1_000);
    completedSoFar += completed;
    watch.observe({ index, completed, failed, wrong, latency: latency.toSparse(), completedSoFar });
  });
  return watch;
}

Deno.test("errors above their share end a load, once there are enough of them", () => {
  const interval = { completed: 95, ms: 1, failed: 6 };
  const { found, signal } = watched(["errors > 5%"], Array(5).fill(interval));
  assert.deepEqual(found, { rule: "errors > 5%", beyond: 24, ended: 404, afterS: 1 });
  assert.ok(signal.aborted);
});

Deno.test("wrong responses are errors, and no successes", () => {
  const interval = { completed: 100, ms: 1, failed: 4, wrong: 60 };
  for (const rule of ["errors > 5%", "success < 50%"]) {
    const { found } = watched([rule], Array(5).fill(interval));
    assert.deepEqual(found, { rule, beyond: 64, ended: 104, afterS: 0.25 });
  }
});

Deno.test("a load at its limit goes on, and so does one without rules", () => {
  const interval = { completed: 95, ms: 1, failed: 5 };
  assert.equal(watched(["errors > 5%"], Array(40).fill(interval)).found, null);
  assert.equal(watched([], Array(5).fill({ completed: 0, ms: 1, failed: 99 })).found, null);
});

Deno.test("a percentile above its limit ends a load, by all requests so far", () => {
  const [fast, slow] = [{ completed: 900, ms: 10, failed: 0 }, {
    completed: 100,
    ms: 900,
    failed: 0,
  }];
  const rules = ["success < 50%", "p90 > 500ms"];
  assert.equal(watched(rules, [fast, slow]).found, null);
  const { found } = watched(rules, [fast, slow, slow]);
  assert.deepEqual(found, { rule: "p90 > 500ms", beyond: 200, ended: 1_100, afterS: 0.75 });
});
