import assert from "node:assert/strict";
import fc from "fast-check";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { happenings, Playing, SLOTS } from "./playing.ts";
import {
  assertNothingLost,
  OK,
  opened,
  play,
  received,
  SECOND,
  stage,
  STEADY,
  tick,
  totalsOf,
} from "./stage.ts";
import { forAll } from "../for_all.ts";

Deno.test("in an open loop the next tick is when the next arrival is due", () => {
  const s = stage({ pacer: STEADY });
  play(s, tick(0), opened(0, 100));
  assert.equal(s.loop.onTick(200), 1_000);
  s.loop.onBytes(0, OK, OK.length, 500);
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0"]);
  assert.equal(s.loop.onTick(1_000), 2_000);
  assert.deepEqual(s.driver.take(), ["send 0"]);
});

Deno.test("an arrival that finds everybody busy waits, and its wait counts in latency and lag, not in service", () => {
  const s = stage({ pacer: STEADY, durationUs: 10_000 });
  play(s, tick(0), opened(0, 0), tick(2_500), received(0, 5_000), received(0, 5_100), tick(10_000));
  play(s, received(0, 12_000), tick(20_000));
  const totals = totalsOf(s);
  assert.deepEqual([totals.completed, totals.dropped, totals.due], [3, 7, 10]);
  assert.equal(totals.lag.maxUs, 4_000, "the arrival of 1 ms was sent at 5 ms");
  const latency = mergeHistograms(s.parts.map((part) => part.latency));
  const waits = mergeHistograms(s.parts.map((part) => part.censored));
  assert.deepEqual([latency.count, latency.maxUs], [10, 10_000], "2 ms → 12 ms");
  assert.deepEqual([waits.minUs, waits.maxUs], [1_000, 7_000], "9 ms and 3 ms → the end");
  assert.equal(totals.service.minUs, 100);
  assertNothingLost(totals, s.parts);
});

Deno.test("an open loop lasts as long as it was to, though its last arrival was answered before", () => {
  const s = stage({ pacer: STEADY, durationUs: 1_500_000 });
  play(s, tick(0), opened(0, 0));
  for (let nowUs = 0; nowUs < Infinity; nowUs = s.loop.onTick(nowUs)) {
    if (s.driver.take().includes("send 0")) s.loop.onBytes(0, OK, OK.length, nowUs);
  }
  assert.deepEqual([totalsOf(s).completed, s.loop.ending.elapsedUs], [1_000, 1_500_000]);
});

Deno.test("bytes that nobody asked for close the idle connection, are counted, and answer nothing", () => {
  const s = stage({ pacer: STEADY });
  play(s, tick(0), opened(0, 0), received(0, 100), received(0, 200));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "close 0", "connect 0"]);
  play(s, opened(0, 300), tick(1_000), received(0, 1_100), tick(SECOND));
  const { completed, failed, unsolicited, reconnects } = totalsOf(s);
  assert.deepEqual([completed, failed, unsolicited, reconnects], [2, 0, 1, 1]);
});

Deno.test("a load that is stopped before it starts has lasted no time", () => {
  const s = stage({ pacer: STEADY });
  Atomics.store(s.stop, 0, 1);
  s.loop.onTick(-2 * SECOND);
  assert.deepEqual([totalsOf(s).due, s.loop.ending.elapsedUs], [0, 0]);
});

Deno.test("arrivals go to the connection that has been idle longest", () => {
  const s = stage({ pacer: STEADY, connections: 3 });
  s.loop.onTick(0);
  for (const slot of [2, 0, 1]) s.loop.onOpen(slot, 10 + slot);
  s.driver.take();
  play(s, tick(1_000), tick(2_000));
  assert.deepEqual(s.driver.take(), ["send 0", "send 1"], "slot 2 took the arrival at the start");
});

Deno.test("in an open loop with nobody to connect to, each dial fails the arrival that waited for it, the rest are dropped", () => {
  const s = stage({ pacer: STEADY });
  for (let nowUs = 0; nowUs < Infinity;) {
    const nextUs = s.loop.onTick(nowUs);
    if (s.driver.take().includes("connect 0")) s.loop.onRefused(0, "connect", "refused", nowUs);
    nowUs = nextUs;
  }
  const totals = totalsOf(s);
  assert.deepEqual([totals.due, totals.completed, totals.failed + totals.dropped], [
    1_000,
    0,
    1_000,
  ]);
  assert.ok(totals.failed >= 5 && totals.failed <= 10);
});

Deno.test("whatever happens, in any order, every exchange that was due ends exactly once", () => {
  forAll([happenings, fc.integer({ min: 1, max: 4 }), fc.boolean()], (list, pipeline, open) => {
    const kind = open ? { pacer: STEADY } : { pipeline };
    const s = stage({ connections: SLOTS, timeoutUs: 60_000, durationUs: 2 * SECOND, ...kind });
    const playing = new Playing(s.loop, s.driver);
    playing.tick();
    for (const happening of list) if (!playing.isOver) playing.play(happening);
    playing.nowUs = 7 * SECOND;
    playing.tick();
    assertNothingLost(totalsOf(s), s.parts);
  }, { seed: 3, numRuns: 300 });
});
