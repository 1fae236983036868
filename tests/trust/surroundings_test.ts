import assert from "node:assert/strict";
import { hostActivityBetween, watchHostActivity } from "../../runner/host/host_activity.ts";
import { testWith } from "../needs.ts";

const times = (idleMs: number, stolenMs: number) => ({
  cores: 2,
  idleMs,
  stolenMs,
  interruptsMs: 0,
});

Deno.test("shares are of the time between two looks: what is neither idle nor stolen is in use", () => {
  const before = { atMs: 100, times: times(1_000, 10), throttledMs: 5 };
  const after = { atMs: 600, times: times(1_480, 30), throttledMs: 12 };
  assert.deepEqual(hostActivityBetween(before, after), {
    cores: 2,
    busy: 0.5,
    steal: 0.02,
    throttled: 7,
  });
});

Deno.test("what is not known, and shares of no time at all, are null", () => {
  const nothing = { atMs: 0, times: null, throttledMs: null };
  const unknown = { cores: null, busy: null, steal: null, throttled: null };
  assert.deepEqual(hostActivityBetween(nothing, { ...nothing, atMs: 10 }), unknown);
  const still = { atMs: 10, times: times(1_000, 10), throttledMs: null };
  assert.deepEqual(hostActivityBetween(still, still), unknown);
});

testWith(["linux"], "this machine says who uses its cores", () => {
  const surroundings = watchHostActivity();
  const beganMs = performance.now();
  const elapsedMs = (): number => performance.now() - beganMs;
  while (elapsedMs() < 200);
  const ratioUsed = (): number => {
    const { busy, steal, cores } = surroundings();
    assert.ok(cores !== null && busy !== null && steal !== null);
    return (busy + steal) * cores;
  };
  // A machine that halts counts no use for that time, so go on until this test has used its share all the same.
  while (ratioUsed() < 0.5 && elapsedMs() < 10_000);
  assert.ok(ratioUsed() >= 0.5, `${ratioUsed()} cores, of which this test used one`);
});
