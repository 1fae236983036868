import assert from "node:assert/strict";
import {
  cpuStatFiles,
  parseThrottledMs,
  parseTicks,
  surroundingsBetween,
  watchSurroundings,
} from "../../runner/trust/surroundings.ts";
import { testWith } from "../needs.ts";

const STAT = `cpu  300 20 200 900 40 10 30 50 7 0
cpu0 100 10 100 500 20 5 10 30 7 0
cpu1 200 10 100 400 20 5 20 20 0 0
intr 12345
ctxt 67
`;

Deno.test("time of all cores: in use is user, nice, system and interrupts; guests are in user already", () => {
  assert.deepEqual(parseTicks(STAT, null), { cores: 2, total: 1550, busy: 560, stolen: 50 });
});

Deno.test("only cores that we may run on count", () => {
  assert.deepEqual(parseTicks(STAT, [1]), { cores: 1, total: 775, busy: 335, stolen: 20 });
  assert.equal(parseTicks(STAT, [7]), null);
  assert.equal(parseTicks("", null), null);
});

Deno.test("old kernels tell neither interrupts nor stolen time", () => {
  const ticks = parseTicks("cpu0 100 10 100 500\n", null);
  assert.deepEqual(ticks, { cores: 1, total: 710, busy: 210, stolen: 0 });
});

Deno.test("time that a CPU limit took is told in microseconds by version 2, in nanoseconds by 1", () => {
  assert.equal(parseThrottledMs("usage_usec 5\nnr_throttled 2\nthrottled_usec 1500\n"), 1.5);
  assert.equal(parseThrottledMs("nr_periods 3\nnr_throttled 2\nthrottled_time 2500000\n"), 2.5);
  assert.equal(parseThrottledMs("usage_usec 5\nuser_usec 5\n"), null);
});

Deno.test("the group's own cpu.stat is looked for first, then that at the root, as containers see it", () => {
  assert.deepEqual(cpuStatFiles("0::/user.slice/a:b\n"), [
    "/sys/fs/cgroup/user.slice/a:b/cpu.stat",
    "/sys/fs/cgroup/cpu.stat",
  ]);
  assert.deepEqual(cpuStatFiles("9:memory:/m\n4:cpu,cpuacct:/docker/f00\n0::/\n"), [
    "/sys/fs/cgroup/cpu,cpuacct/docker/f00/cpu.stat",
    "/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
    "/sys/fs/cgroup/cpu.stat",
  ]);
  assert.deepEqual(cpuStatFiles(""), []);
});

Deno.test("shares are of the time between two looks", () => {
  const before = { ticks: { cores: 2, total: 1000, busy: 100, stolen: 10 }, throttledMs: 5 };
  const after = { ticks: { cores: 2, total: 1400, busy: 300, stolen: 18 }, throttledMs: 12 };
  assert.deepEqual(surroundingsBetween(before, after), {
    cores: 2,
    busy: 0.5,
    steal: 0.02,
    throttled: 7,
  });
});

Deno.test("what is not told, and shares of no time at all, are null", () => {
  const nothing = { ticks: null, throttledMs: null };
  const unknown = { cores: null, busy: null, steal: null, throttled: null };
  assert.deepEqual(surroundingsBetween(nothing, nothing), unknown);
  const still = { ticks: { cores: 2, total: 1000, busy: 100, stolen: 10 }, throttledMs: null };
  assert.deepEqual(surroundingsBetween(still, still), unknown);
});

testWith(["linux"], "this machine tells who uses its cores", () => {
  const surroundings = watchSurroundings();
  const beganMs = performance.now();
  const elapsedMs = (): number => performance.now() - beganMs;
  while (elapsedMs() < 200);
  const ratioUsed = (): number => {
    const { busy, steal, cores } = surroundings();
    assert.ok(cores !== null && busy !== null && steal !== null);
    return (busy + steal) * cores;
  };
  // What a machine counts while it stands still is made up for by this test's going on.
  while (ratioUsed() < 0.5 && elapsedMs() < 10_000);
  assert.ok(ratioUsed() >= 0.5, `${ratioUsed()} cores, of which this test used one`);
});
