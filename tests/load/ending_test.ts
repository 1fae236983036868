/** What becomes of what is in flight at the deadline. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { happenings, Playing, SLOTS } from "./playing.ts";
import { ask, sessionStage } from "./session_stage.ts";
import {
  assertNothingLost,
  boundsOf,
  encoder,
  OK,
  opened,
  play,
  received,
  SECOND,
  type Stage,
  stage,
  STEADY,
  tick,
  totalsOf,
} from "./stage.ts";
import { forAll } from "../for_all.ts";

const MS = 1_000;
const HALF = OK.subarray(0, 20);

/** Two connections that have a request each in flight since 900 and 950 ms, one answered before. */
function inFlight(wish: Parameters<typeof stage>[0] = {}): Stage {
  const s = stage({ connections: 2, ...wish });
  play(s, tick(0), opened(0, 0), received(0, 900 * MS), opened(1, 950 * MS));
  s.driver.take();
  assert.ok(s.loop.onTick(SECOND) > SECOND, "it waits");
  return s;
}

Deno.test("what is in flight at the deadline is waited for: it completes, at the time that it takes, and nothing is sent", () => {
  const s = inFlight();
  s.loop.onBytes(0, HALF, HALF.length, SECOND + 10 * MS);
  s.loop.onBytes(0, OK.subarray(20), OK.length - 20, SECOND + 100 * MS);
  s.loop.onBytes(1, OK, OK.length, SECOND + 200 * MS);
  assert.equal(s.loop.onTick(SECOND + 210 * MS), Infinity);
  const totals = totalsOf(s);
  assert.deepEqual(s.driver.take(), ["close 0", "close 1"]);
  assert.deepEqual([totals.due, totals.completed, totals.unfinished], [3, 3, 0]);
  assert.deepEqual([totals.service.maxUs, totals.firstByte.count], [900 * MS, 3]);
  assert.deepEqual(totals.drain, { us: 200 * MS, completed: 2, failed: 0, bytesIn: 2 * OK.length });
  assert.equal(s.loop.ending.elapsedUs, SECOND);
  assert.deepEqual(boundsOf(s.parts), []);
  assertNothingLost(totals, s.parts);
});

Deno.test("intervals and seconds count until the deadline; the latencies of what was waited for are in the last one", () => {
  const s = inFlight({ check: { statuses: [500], body: null, contains: null } });
  s.loop.onBytes(0, OK, OK.length, SECOND + 600 * MS);
  s.loop.onEnd(1, "connection reset", SECOND + 700 * MS);
  s.loop.onTick(SECOND + 710 * MS);
  const { checksFailed, failed } = totalsOf(s);
  assert.deepEqual([checksFailed, failed], [2, 1]);
  assert.deepEqual(
    s.parts.map(({ secondCompleted, secondBytes }) => [secondCompleted, secondBytes]).at(-1),
    [[1], [OK.length]],
  );
  assert.deepEqual(
    s.parts.map(({ completed, failed, wrong, bytesIn, latency }) => {
      return [completed, failed, wrong, bytesIn, latency.count];
    }),
    [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 1, OK.length, 2]],
  );
  assert.equal(s.parts[3].errors, null);
});

Deno.test("an answer that is read late is waited for, too, whether or not the deadline was noticed before", () => {
  const s = stage();
  play(s, tick(0), opened(0, 400 * MS), received(0, SECOND));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0"]);
  assert.equal(s.loop.onTick(SECOND + 10 * MS), Infinity);
  const { completed, service, drain } = totalsOf(s);
  assert.deepEqual([completed, service.maxUs, drain.completed], [1, 600 * MS, 1]);
});

Deno.test("a request times out in the wait as before it", () => {
  const s = inFlight({ timeoutUs: 200 * MS });
  play(s, tick(SECOND + 100 * MS), tick(SECOND + 150 * MS));
  assert.equal(s.loop.onTick(SECOND + 160 * MS), Infinity);
  const totals = totalsOf(s);
  assert.deepEqual([...totals.reasons], [["no whole response in time", 2]]);
  assert.deepEqual([totals.failed, totals.unfinished, totals.drain.failed], [2, 0, 2]);
  assert.deepEqual(boundsOf(s.parts), [2, 200 * MS, 200 * MS]);
  assert.deepEqual(s.driver.take(), ["close 0", "close 1"], "and nothing is dialed");
  assertNothingLost(totals, s.parts);
});

Deno.test("after five seconds what is left is unfinished, at the time that it has taken by then", () => {
  const s = inFlight({ timeoutUs: 60 * SECOND });
  assert.equal(s.loop.onTick(6 * SECOND - 5 * MS), 6 * SECOND);
  assert.equal(s.loop.onTick(6 * SECOND), Infinity);
  const totals = totalsOf(s);
  assert.deepEqual([totals.completed, totals.unfinished, totals.drain.us], [1, 2, 5 * SECOND]);
  assert.deepEqual(boundsOf(s.parts), [2, 5_050 * MS, 5_100 * MS]);
  assert.deepEqual([s.loop.ending.elapsedUs, totals.lastUs], [SECOND, 6 * SECOND]);
  assertNothingLost(totals, s.parts);
});

Deno.test("the wait ends soon after the time-out, also where nobody has looked for it", () => {
  const s = inFlight({ timeoutUs: 200 * MS });
  s.loop.onBytes(0, OK, OK.length, SECOND + 710 * MS);
  assert.equal(s.loop.onTick(SECOND + 720 * MS), Infinity);
  const totals = totalsOf(s);
  assert.deepEqual([totals.completed, totals.unfinished, totals.drain.us], [1, 2, 700 * MS]);
  assertNothingLost(totals, s.parts);
});

Deno.test("whoever stops the load does not wait, nor when it waits already", () => {
  const waiting = inFlight();
  Atomics.store(waiting.stop, 0, 1);
  waiting.loop.onTick(SECOND + 40 * MS);
  assert.deepEqual(boundsOf(waiting.parts), [2, 90 * MS, 140 * MS]);
  assert.equal(totalsOf(waiting).drain.us, 40 * MS);
  assert.equal(waiting.loop.ending.elapsedUs, SECOND);

  const loading = stage();
  play(loading, tick(0), opened(0, 100 * MS));
  Atomics.store(loading.stop, 0, 1);
  loading.loop.onTick(300 * MS);
  const totals = totalsOf(loading);
  assert.deepEqual([totals.unfinished, totals.drain.us], [1, 0]);
  assert.deepEqual(boundsOf(loading.parts), [1, 200 * MS, 200 * MS]);
});

Deno.test("a load that is stopped lingers 100 ms, so that the server counts the same requests", () => {
  const s = stage({ connections: 2 });
  play(s, tick(0), opened(0, 10), opened(1, 10));
  s.driver.take();
  Atomics.store(s.stop, 0, 1);
  assert.ok(s.loop.onTick(300 * MS) < Infinity, "it lingers");
  s.loop.onBytes(0, OK, OK.length, 305 * MS);
  assert.deepEqual(s.driver.take(), ["close 0"]);
  assert.equal(s.loop.onTick(400 * MS), Infinity);
  assert.deepEqual(s.driver.take(), ["close 1"]);
  assert.deepEqual([totalsOf(s).completed, totalsOf(s).unfinished], [0, 2]);
});

Deno.test("in a closed loop a dial under way at the deadline is given up, at its age, whatever comes of it", () => {
  for (const late of ["tick", "open", "refused"]) {
    const s = stage({ connections: 2, timeoutUs: 60 * SECOND });
    play(s, tick(400 * MS), opened(0, 700 * MS));
    if (late === "open") s.loop.onOpen(1, SECOND + 5);
    if (late === "refused") s.loop.onRefused(1, "dns", "no such name", SECOND + 5);
    s.loop.onTick(SECOND + 10);
    assert.deepEqual(s.driver.take().slice(-2), ["send 0", "close 1"], late);
    play(s, received(0, SECOND + 20 * MS), tick(SECOND + 40 * MS));
    const { due, completed, failed, unfinished, connect } = totalsOf(s);
    assert.deepEqual([due, completed, failed, unfinished, connect.count], [2, 1, 0, 1, 1]);
    assert.deepEqual(boundsOf(s.parts), [1, 600 * MS, 600 * MS]);
  }
});

Deno.test("a load with nothing in flight at the deadline ends there", () => {
  const s = stage({ pacer: STEADY, durationUs: 1_500 * MS });
  play(s, tick(0), opened(0, 0));
  for (let nowUs = 0; nowUs < 1_499 * MS; nowUs = s.loop.onTick(nowUs)) {
    if (s.driver.take().includes("send 0")) s.loop.onBytes(0, OK, OK.length, nowUs);
  }
  assert.equal(s.loop.onTick(1_500 * MS), Infinity);
  assert.deepEqual(totalsOf(s).drain, { us: 0, completed: 0, failed: 0, bytesIn: 0 });
});

Deno.test("a connection that was idle at the deadline is closed after the wait, and what comes on it does not matter", () => {
  const s = stage({ pacer: STEADY, connections: 2, durationUs: 1_500 });
  play(s, tick(0), opened(0, 0), opened(1, 0), tick(1_000), received(0, 1_200));
  s.driver.take();
  s.loop.onBytes(0, OK, OK.length, 1_600);
  assert.deepEqual(s.driver.take(), [], "to close many would hold up the others");
  assert.equal(s.loop.ending.totals, null, "it waits for the other");
  s.loop.onBytes(0, OK, OK.length, 1_650);
  assert.deepEqual(s.driver.take(), ["close 0"]);
  s.loop.onBytes(1, OK, OK.length, 1_700);
  assert.equal(s.loop.onTick(20_000), Infinity);
  assert.deepEqual(s.driver.take(), ["close 1"]);
  assert.deepEqual([totalsOf(s).completed, totalsOf(s).unsolicited], [2, 0]);
});

Deno.test("each of several pipelined requests is waited for", () => {
  const s = stage({ pipeline: 3 });
  play(s, tick(0), opened(0, 500 * MS), received(0, SECOND + MS));
  const both = encoder.encode(new TextDecoder().decode(OK).repeat(2));
  s.loop.onBytes(0, both, both.length, SECOND + 2 * MS);
  assert.equal(s.loop.onTick(SECOND + 20 * MS), Infinity);
  assert.deepEqual([totalsOf(s).due, totalsOf(s).drain.completed], [3, 3]);
  assert.deepEqual(s.driver.take().at(-1), "close 0");
});

Deno.test("whatever happens in the wait, every exchange ends once, and intervals count until the deadline", () => {
  let waited = 0;
  forAll([
    happenings,
    fc.constantFrom("closed", "rate", "visitors"),
    fc.integer({ min: 100, max: 900 }),
  ], (list, kind, deadlineMs) => {
    const job = { connections: SLOTS, timeoutUs: 300 * MS, durationUs: deadlineMs * MS };
    const sessions = { sharedPool: true, perSec: 50, job: { ...job, waitsForLast: false } };
    const s = kind === "visitors"
      ? sessionStage({ ...sessions, steps: [ask(), ask()] })
      : stage({ ...job, ...(kind === "rate" && { pacer: STEADY }) });
    const playing = new Playing(s.loop, s.driver);
    playing.tick();
    for (const happening of list) if (!playing.isOver) playing.play(happening);
    playing.nowUs = Math.max(playing.nowUs, deadlineMs * MS + 5 * SECOND);
    playing.tick();
    const { totals, elapsedUs } = s.loop.ending;
    if (totals === null) assert.fail("the load is over");
    assert.equal(elapsedUs, deadlineMs * MS);
    assert.equal(s.parts.length, Math.ceil(deadlineMs / 250));
    assertNothingLost(totals, s.parts);
    if (totals.drain.completed > 0) waited++;
  }, { seed: 14, numRuns: 300 });
  assert.ok(waited > 30, `${waited}`);
});
