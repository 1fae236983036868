/** What becomes of what was due and never sent. */
import { staysUnder } from "../faults/soon.ts";
import assert from "node:assert/strict";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import {
  assertNothingLost,
  boundsOf,
  play,
  received,
  SECOND,
  stage,
  STEADY,
  tick,
  totalsOf,
} from "./stage.ts";

const MS = 1_000;

Deno.test("at a rate arrivals that were never sent have waited until the deadline, one by one", () => {
  const s = stage({ pacer: STEADY, durationUs: 10 * MS, intervalUs: 4 * MS });
  s.loop.onTick(0);
  s.loop.onOpen(0, 0); // takes the arrival of 0 ms, and is busy until after the end
  play(s, tick(10 * MS), received(0, 60 * MS));
  assert.equal(s.loop.onTick(61 * MS), Infinity);
  const totals = totalsOf(s);
  assert.deepEqual([totals.due, totals.completed, totals.dropped, totals.censored], [10, 1, 9, 9]);
  const [, , last] = s.parts;
  const waits = new Histogram();
  for (let ms = 1; ms <= 9; ms++) waits.record(ms * MS);
  assert.deepEqual(last.censored, waits.toSparse());
  assert.deepEqual([last.latency.count, last.latency.maxUs], [10, 60 * MS]);
  assert.deepEqual([totals.service.count, totals.serviceCensored.count], [1, 0]);
  assert.deepEqual(totals.slowest.map(({ outcome }) => outcome), ["completed"]);
  assertNothingLost(totals, s.parts);
});

Deno.test("a million arrivals that were never sent are in the latency within a second", async () => {
  await staysUnder(1_000, "ms", () => Promise.resolve(millionDroppedMs()));
});

/** How long it takes to count them. */
function millionDroppedMs(): number {
  const perSec = 1_000_000;
  const phases = [{ durationUs: SECOND, fromPerSec: perSec, toPerSec: perSec }];
  const arrivals = { kind: "uniform", seed: 1, first: 0, stride: 1 } as const;
  const s = stage({ pacer: { kind: "open", phases, arrivals } });
  s.loop.onTick(0);
  const startMs = performance.now();
  s.loop.onTick(SECOND);
  const tookMs = performance.now() - startMs;
  assert.equal(totalsOf(s).dropped, perSec);
  assert.deepEqual(boundsOf(s.parts), [perSec, 1, SECOND]);
  return tookMs;
}
