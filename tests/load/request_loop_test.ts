import assert from "node:assert/strict";
import {
  assertNothingLost,
  CLOSING,
  encoder,
  OK,
  opened,
  play,
  received,
  SECOND,
  stage,
  tick,
  totalsOf,
  waitedFor,
} from "./stage.ts";

Deno.test("an answer is followed by the next request on the same connection", () => {
  const s = stage();
  s.loop.onTick(0);
  assert.deepEqual(s.driver.take(), ["connect 0"]);
  s.loop.onOpen(0, 100);
  assert.deepEqual(s.driver.take(), ["send 0"]);
  s.loop.onBytes(0, OK, OK.length, 600);
  assert.deepEqual(s.driver.take(), ["send 0"]);
  s.loop.onTick(SECOND);
  const totals = waitedFor(s);
  assert.deepEqual([totals.due, totals.completed, totals.unfinished], [2, 1, 1]);
  assert.deepEqual([totals.connect.maxUs, totals.service.minUs], [100, 500]);
});

Deno.test("a run by count ends with its last answer, and sends not one more", () => {
  const s = stage({ requests: 2, durationUs: Infinity });
  play(s, tick(0), opened(0, 10), received(0, 20), received(0, 30));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "send 0"]);
  assert.equal(s.loop.onTick(10_000), Infinity);
  assert.equal(s.loop.ending.elapsedUs, 30);
  assert.equal(totalsOf(s).due, 2);
});

Deno.test("a connection that finds nothing left to do stays idle", () => {
  const s = stage({ requests: 3, connections: 2 });
  play(s, tick(0), opened(0, 5), opened(1, 6), received(0, 7), received(0, 8), received(1, 9));
  const sends = ["send 0", "send 1", "send 0"];
  assert.deepEqual(s.driver.take(), ["connect 0", "connect 1", ...sends]);
});

Deno.test("no more is dialed than there is left to do", () => {
  const s = stage({ requests: 2, connections: 5 });
  s.loop.onTick(0);
  assert.deepEqual(s.driver.take(), ["connect 0", "connect 1"]);
});

Deno.test("connections are dialed a few at a time, each clock begins at its dial, and all wait for the last", () => {
  const connections = 40;
  const s = stage({ connections, requests: 1_000 });
  const sent: string[] = [];
  for (let nowUs = 0, opened = 0; opened < connections; nowUs += 1_000) {
    assert.equal(s.loop.onTick(nowUs) <= nowUs, opened + 16 < connections);
    const dialed = s.driver.take();
    const dials = dialed.filter((note) => note.startsWith("connect"));
    assert.ok(dials.length <= 16);
    sent.push(...dialed.filter((note) => note.startsWith("send")));
    for (const dial of dials) s.loop.onOpen(Number(dial.split(" ")[1]), nowUs + 500);
    opened += dials.length;
    sent.push(...s.driver.take());
    if (opened < connections) assert.deepEqual(sent, []);
  }
  s.loop.onTick(10_000);
  assert.equal([...sent, ...s.driver.take()].length, connections);
  s.loop.onTick(SECOND);
  assert.equal(waitedFor(s).connect.maxUs, 500);
});

Deno.test("a silent request times out, its connection is closed and another dialed", () => {
  const s = stage({ timeoutUs: 50_000 });
  play(s, tick(0), opened(0, 0), tick(49_000));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0"]);
  s.loop.onTick(54_000);
  assert.deepEqual(s.driver.take(), ["close 0", "connect 0"]);
  s.loop.onTick(SECOND);
  const totals = totalsOf(s);
  assert.deepEqual([...totals.reasons], [["no whole response in time", 1]]);
  assert.deepEqual([totals.failed, totals.censored, totals.reconnects], [1, 2, 1]);
  assertNothingLost(totals, s.parts);
});

Deno.test("a dial without an answer times out too", () => {
  const s = stage({ timeoutUs: 50_000 });
  play(s, tick(0), tick(60_000));
  assert.deepEqual(s.driver.take(), ["connect 0", "close 0"]);
  s.loop.onTick(SECOND);
  assert.deepEqual([...totalsOf(s).reasons], [["no connection in time", 1]]);
});

Deno.test("a dead target is dialed again after 10 ms, 20 ms, … and at most a second", () => {
  const s = stage({ durationUs: 60 * SECOND });
  const dials: number[] = [];
  for (let nowUs = 0; nowUs < 10 * SECOND;) {
    const nextUs = s.loop.onTick(nowUs);
    if (s.driver.take().includes("connect 0")) {
      dials.push(nowUs);
      s.loop.onRefused(0, "connect", "refused", nowUs);
    }
    nowUs = nextUs;
  }
  const pausesMs = dials.slice(1).map((at, i) => (at - dials[i]) / 1_000);
  assert.deepEqual(pausesMs.slice(0, 8), [10, 20, 40, 80, 160, 320, 640, 1_000]);
  assert.ok(pausesMs.slice(8).every((pause) => pause === 1_000));
});

Deno.test("a server that hangs up on every request is not hammered either", () => {
  const s = stage();
  let dials = 0;
  for (let nowUs = 0; nowUs < Infinity;) {
    nowUs = s.loop.onTick(nowUs);
    for (let notes = s.driver.take(); notes.length > 0; notes = s.driver.take()) {
      if (!notes.includes("connect 0")) break;
      dials++;
      s.loop.onOpen(0, nowUs);
      s.loop.onEnd(0, null, nowUs);
    }
  }
  const totals = totalsOf(s);
  assert.ok(dials <= 12, `${dials} dials in a second`);
  assert.equal(totals.failed, dials);
  assertNothingLost(totals, s.parts);
});

Deno.test("«Connection: close» is obeyed and the next connection dialed at once", () => {
  const s = stage();
  play(s, tick(0), opened(0, 0));
  s.driver.take();
  s.loop.onBytes(0, CLOSING, CLOSING.length, 50);
  assert.deepEqual(s.driver.take(), ["close 0", "connect 0"]);
});

Deno.test("without keep-alive every answer is followed by a new connection", () => {
  const s = stage({ keepAlive: false, requests: 2 });
  play(s, tick(0), opened(0, 0), received(0, 50));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "close 0", "connect 0"]);
});

Deno.test("after so many requests a connection makes way for another, which may have as many", () => {
  const s = stage({ requestsPerConnection: 2, requests: 5 });
  s.loop.onTick(0);
  const each = ["send 0", "send 0", "close 0", "connect 0"];
  for (const nowUs of [100, 200]) {
    play(s, opened(0, nowUs), received(0, nowUs + 1), received(0, nowUs + 2));
  }
  assert.deepEqual(s.driver.take(), ["connect 0", ...each, ...each]);
  play(s, opened(0, 300), received(0, 301), tick(10_000));
  assert.equal(totalsOf(s).completed, 5);
});

Deno.test("a body above the limit is wrong", () => {
  const failedOf = (maxBody: number): number => {
    const s = stage({ maxBody, requests: 1, durationUs: Infinity });
    s.loop.onTick(0);
    s.loop.onOpen(0, 0);
    s.loop.onBytes(0, OK, OK.length, 1);
    s.loop.onTick(10_000);
    return totalsOf(s).checksFailed;
  };
  assert.deepEqual([1, 2].map(failedOf), [1, 0]);
});

Deno.test("an idle connection that the server closes is no failure", () => {
  const s = stage();
  play(s, tick(0), opened(0, 0), received(0, 50, CLOSING), opened(0, 60), received(0, 70));
  s.loop.onEnd(0, null, 80);
  s.loop.onTick(SECOND);
  assert.deepEqual(
    [totalsOf(s).errors[3], totalsOf(s).completed],
    [1, 2],
    "the request under way was lost",
  );
});

Deno.test("pipelined responses in one read are separated, and each is followed by one request", () => {
  const s = stage({ pipeline: 3 });
  play(s, tick(0), opened(0, 0));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "send 0", "send 0"]);
  const twice = Uint8Array.from([...OK, ...OK]);
  s.loop.onBytes(0, twice, twice.length, 50);
  assert.deepEqual(s.driver.take(), ["send 0", "send 0"]);
  const totals = waitedFor(s);
  assert.deepEqual([totals.completed, totals.unfinished], [2, 3]);
});

Deno.test("a wrong status or body fails its check but is a completed request", () => {
  const check = { statuses: [200], body: encoder.encode("ok"), contains: null };
  const s = stage({ check });
  play(s, tick(0), opened(0, 0));
  for (
    const answer of [
      "200 OK\r\nContent-Length: 2\r\n\r\nok",
      "200 OK\r\nContent-Length: 2\r\n\r\nno",
      "404 x\r\nContent-Length: 2\r\n\r\nok",
    ]
  ) {
    const bytes = encoder.encode(`HTTP/1.1 ${answer}`);
    s.loop.onBytes(0, bytes, bytes.length, 50);
  }
  const totals = waitedFor(s);
  assert.deepEqual([totals.completed, totals.checksPassed, totals.checksFailed], [3, 1, 2]);
});

Deno.test("the stop flag ends the load at the next tick, and everything under way is unfinished", () => {
  const s = stage({ connections: 3 });
  play(s, tick(0), opened(0, 5));
  Atomics.store(s.stop, 0, 1);
  s.loop.onTick(10_000);
  assert.deepEqual([totalsOf(s).due, totalsOf(s).unfinished, s.loop.ending.elapsedUs], [
    3,
    3,
    10_000,
  ]);
});
