import assert from "node:assert/strict";
import { stepUsOf } from "../../base/system/clock.ts";
import { parseSchedstat, threadTime } from "../../base/system/thread_time.ts";

Deno.test("schedstat tells nanoseconds on a core, and in line for one", () => {
  assert.deepEqual(parseSchedstat("2500000 1500 12\n"), { cpuUs: 2_500, waitedUs: 1.5 });
});

Deno.test("a kernel that does not count tells zeros, and is not believed", () => {
  assert.equal(parseSchedstat("0 0 0\n"), null);
  assert.equal(parseSchedstat(""), null);
});

Deno.test("a thread that works uses CPU time", () => {
  const before = threadTime();
  const endMs = performance.now() + 10_000;
  while (threadTime().cpuUs === before.cpuUs && performance.now() < endMs);
  assert.ok(threadTime().cpuUs > before.cpuUs);
});

Deno.test("the step of a clock is its smallest one", () => {
  let reads = 0;
  assert.equal(stepUsOf(() => Math.floor(reads++ / 3) * 40), 40);
  const moments = [0, 10, 10, 13, 20];
  assert.equal(stepUsOf(() => moments.shift() ?? 20), 3);
  assert.equal(stepUsOf(() => 7), Infinity);
});
