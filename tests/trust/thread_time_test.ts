import assert from "node:assert/strict";
import { stepUsOf } from "../../base/system/clock.ts";
import { parseSchedstat, type ThreadTime, threadTime } from "../../base/system/thread_time.ts";

Deno.test("schedstat tells nanoseconds on a core, and in line for one", () => {
  assert.deepEqual(parseSchedstat("2500000 1500 12\n"), { cpuUs: 2_500, waitedUs: 1.5 });
});

Deno.test("a kernel that does not count tells zeros, and is not believed", () => {
  assert.equal(parseSchedstat("0 0 0\n"), null);
  assert.equal(parseSchedstat(""), null);
});

/** A system that has none of them but the process's. */
const NONE = {
  schedstat: () => null,
  windowsMs: () => null,
  macNs: () => null,
  process: () => ({ user: 700, system: 50 }),
};

const SYSTEMS: [what: string, clocks: Partial<Parameters<typeof threadTime>[0]>, ThreadTime][] = [
  [
    "Linux tells the time in line, too",
    { schedstat: () => "2500000 1500 12\n" },
    { cpuUs: 2_500, waitedUs: 1.5 },
  ],
  ["Windows tells milliseconds", { windowsMs: () => 31.25 }, { cpuUs: 31_250, waitedUs: null }],
  ["Windows may tell none yet", { windowsMs: () => 0 }, { cpuUs: 0, waitedUs: null }],
  ["macOS tells nanoseconds", { macNs: () => 2_500_400n }, { cpuUs: 2_500.4, waitedUs: null }],
  [
    "a kernel that does not count leaves the process's time",
    { schedstat: () => "0 0 0\n" },
    { cpuUs: 750, waitedUs: null },
  ],
  ["so does a system that denies its calls", {}, { cpuUs: 750, waitedUs: null }],
];

for (const [what, clocks, time] of SYSTEMS) {
  Deno.test(`of a thread's time, ${what}`, () => {
    assert.deepEqual(threadTime({ ...NONE, ...clocks }), time);
  });
}

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
