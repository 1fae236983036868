/** What becomes of visitors at the deadline. */
import assert from "node:assert/strict";
import type { Job } from "../../runner/load/engine/job.ts";
import { ask, type SessionStage, sessionStage } from "./session_stage.ts";
import { boundsOf, OK, opened, play, received, SECOND, tick } from "./stage.ts";

const MS = 1_000;

/**
 * Four visitors in a second: the first has gone, the second has a request in flight since 800 ms, and the two
 * who came at 500 and 750 ms are still dialing.
 */
function visiting(steps = [ask()], wish: Partial<Job> = {}): SessionStage {
  const job = { waitsForLast: false, timeoutUs: 60 * SECOND, connections: 4, ...wish };
  const s = sessionStage({ perSec: 4, steps, job });
  play(s, tick(0), opened(0, 10), received(0, 20));
  if (steps.length > 1) s.loop.onBytes(0, OK, OK.length, 30);
  play(s, tick(500 * MS), tick(750 * MS), opened(1, 800 * MS));
  s.driver.take();
  return s;
}

Deno.test("a visitor's request in flight at the deadline is waited for, and completes his session if it was the last", () => {
  const s = visiting();
  assert.ok(s.loop.onTick(SECOND) > SECOND);
  assert.deepEqual(s.driver.take(), ["close 2", "close 3"]);
  s.loop.onBytes(1, OK, OK.length, SECOND + 300 * MS);
  const { totals, sessions } = s.end(SECOND + 310 * MS);
  assert.deepEqual([totals.completed, totals.unfinished, totals.drain.completed], [2, 2, 1]);
  assert.deepEqual(boundsOf(s.parts), [2, 250 * MS, 500 * MS]);
  assert.deepEqual([sessions, s.loop.ending.elapsedUs], [[4, 2, 0], SECOND]);
  assert.deepEqual(s.driver.take(), ["close 1"]);
});

Deno.test("a session whose request ends in the wait takes no further step, and is unfinished", () => {
  const s = visiting([ask(), ask()]);
  s.loop.onBytes(1, OK, OK.length, SECOND + 300 * MS); // it is this that notices the deadline
  assert.deepEqual(s.driver.take(), ["close 2", "close 3"]);
  const { totals, sessions } = s.end(SECOND + 310 * MS);
  assert.deepEqual([totals.due, totals.completed, totals.drain.completed], [5, 3, 1]);
  assert.deepEqual(sessions, [4, 1, 0]);
});

Deno.test("nobody who thinks goes on after the deadline", () => {
  const s = visiting([ask(), { kind: "think", us: 250 * MS }]);
  s.loop.onBytes(1, OK, OK.length, 900 * MS);
  s.driver.take();
  const { sessions } = s.end(SECOND);
  assert.deepEqual(sessions, [4, 1, 0]);
  assert.ok(!s.driver.take().some((note) => note.startsWith("send")));
});

Deno.test("a visitor's request fails in the wait, and his session with it", () => {
  const cut = visiting();
  cut.loop.onTick(SECOND);
  cut.loop.onEnd(1, "connection reset", SECOND + MS);
  const { totals, sessions } = cut.end(SECOND + 10 * MS);
  assert.deepEqual([totals.failed, totals.drain.failed, sessions], [1, 1, [4, 1, 1]]);

  const silent = visiting([ask()], { timeoutUs: 700 * MS });
  play(silent, tick(SECOND), tick(SECOND + 490 * MS));
  assert.equal(silent.loop.ending.totals, null);
  silent.loop.onTick(SECOND + 500 * MS);
  const late = silent.end(SECOND + 510 * MS);
  assert.deepEqual([[...late.totals.reasons.keys()], late.sessions], [
    ["no whole response in time"],
    [4, 1, 1],
  ]);
});

Deno.test("a visitor is not waited for longer than five seconds, nor when the load is stopped", () => {
  const silent = visiting();
  silent.loop.onTick(SECOND);
  const { totals, sessions } = silent.end(6 * SECOND);
  assert.deepEqual([totals.completed, totals.unfinished, sessions], [1, 3, [4, 1, 0]]);
  assert.deepEqual(boundsOf(silent.parts), [3, 250 * MS, 5_750 * MS]);

  const stopped = visiting();
  stopped.loop.onTick(SECOND);
  Atomics.store(stopped.job.stop, 0, 1);
  stopped.end(SECOND + 20 * MS);
  assert.deepEqual(boundsOf(stopped.parts), [3, 250 * MS, 770 * MS]);
});

Deno.test("a stopped load of virtual users lingers 100 ms as every other, so that the server counts the same requests", () => {
  for (const isAnswered of [true, false]) {
    const s = visiting();
    Atomics.store(s.job.stop, 0, 1);
    assert.ok(s.loop.onTick(850 * MS) < Infinity, "it lingers");
    assert.deepEqual(s.driver.take(), ["close 2", "close 3"], "dials are given up at once");
    if (isAnswered) s.loop.onBytes(1, OK, OK.length, 900 * MS);
    assert.deepEqual(s.driver.take(), isAnswered ? ["close 1"] : []);
    assert.equal(s.loop.onTick(950 * MS), Infinity);
    assert.deepEqual(s.driver.take(), isAnswered ? [] : ["close 1"]);
    const { completed, unfinished } = s.loop.ending.totals ?? assert.fail("the load is over");
    assert.deepEqual([completed, unfinished, s.loop.ending.elapsedUs], [1, 3, 850 * MS]);
  }
});

Deno.test("visitors who found no place have waited since they came", () => {
  const s = sessionStage({
    perSec: 10,
    job: { waitsForLast: false, connections: 1, timeoutUs: 60 * SECOND },
  });
  play(s, tick(0), opened(0, 0), tick(SECOND), received(0, SECOND + 5 * MS));
  const { totals, sessions } = s.end(SECOND + 10 * MS);
  assert.deepEqual([totals.due, totals.completed, totals.dropped], [10, 1, 9]);
  assert.deepEqual(boundsOf(s.parts), [9, 100 * MS, 900 * MS]);
  assert.deepEqual(sessions, [1, 1, 0]);
});

Deno.test("phases wait for their visitors as they did, and the run lasts until the last has gone", () => {
  const s = visiting([ask()], { waitsForLast: true, durationUs: SECOND });
  s.loop.onTick(SECOND);
  for (const slot of [1, 2, 3]) {
    if (slot > 1) s.loop.onOpen(slot, SECOND + 7 * SECOND);
    s.loop.onBytes(slot, OK, OK.length, SECOND + 8 * SECOND);
  }
  const { totals, sessions } = s.end(SECOND + 9 * SECOND);
  assert.deepEqual([totals.completed, totals.drain.completed, sessions], [4, 0, [4, 4, 0]]);
  assert.equal(s.loop.ending.elapsedUs, 9 * SECOND);
});
