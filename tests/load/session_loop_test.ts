import assert from "node:assert/strict";
import type { StepSpec } from "../../runner/load/engine/flow.ts";
import { ask, sessionStage } from "./session_stage.ts";
import { encoder, OK, opened, play, received, SECOND, tick } from "./stage.ts";
import { loadEngine } from "../../base/pattern.ts";

await loadEngine();

Deno.test("a visitor has a connection of its own, asks, thinks, asks again, and goes", () => {
  const s = sessionStage({ steps: [ask(), { kind: "think", us: 300_000 }, ask()] });
  play(s, tick(0), opened(0, 1_000), received(0, 2_000));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0"]);
  s.loop.onTick(301_999);
  assert.deepEqual(s.driver.take(), []);
  s.loop.onTick(302_000);
  assert.deepEqual(s.driver.take(), ["send 0"]);
  s.loop.onBytes(0, OK, OK.length, 305_000);
  assert.deepEqual(s.driver.take(), ["close 0"]);
  const { totals, sessions, lengthUs } = s.end(1_010_000);
  assert.deepEqual(sessions, [1, 1, 0]);
  assert.deepEqual([totals.completed, lengthUs, s.loop.ending.elapsedUs], [2, 305_000, SECOND]);
});

Deno.test("latency counts from the arrival: the visitor's dial is in it, and in the lag", () => {
  const s = sessionStage({});
  play(s, tick(5_000), opened(0, 8_000), received(0, 9_000));
  const { totals } = s.end(1_010_000);
  assert.deepEqual([totals.lag.maxUs, totals.service.maxUs, totals.connect.maxUs], [
    8_000,
    1_000,
    3_000,
  ]);
});

Deno.test("with a shared pool the next visitor takes the open connection", () => {
  const s = sessionStage({ perSec: 2, sharedPool: true });
  play(s, tick(0), opened(0, 10), received(0, 20), tick(500_000));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "send 0"]);
});

Deno.test("without it every visitor dials", () => {
  const s = sessionStage({ perSec: 2 });
  play(s, tick(0), opened(0, 10), received(0, 20), tick(500_000));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "close 0", "connect 1"]);
});

Deno.test("an error ends the session, and what would have followed is never due", () => {
  const s = sessionStage({ steps: [ask(), ask(), ask()] });
  play(s, tick(0), opened(0, 10));
  s.loop.onEnd(0, "connection reset", 20);
  const { totals, sessions } = s.end(1_010_000);
  assert.deepEqual([totals.due, totals.failed, sessions], [1, 1, [1, 0, 1]]);
});

Deno.test("a stream that fails ends the session, and its connection goes on to the next visitor of a shared pool", () => {
  const s = sessionStage({ perSec: 2, sharedPool: true, steps: [ask(), ask()] });
  Object.assign(s.loop, { cancel: () => true });
  play(s, tick(0), opened(0, 10));
  s.loop.load.onFailed(0, "reset", "RST_STREAM with REFUSED_STREAM", 20);
  s.loop.onTick(500_000);
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "send 0"]);
  play(s, received(0, 500_010), received(0, 500_020));
  const { totals, sessions } = s.end(1_010_000);
  assert.deepEqual([totals.completed, totals.failed, sessions], [2, 1, [2, 1, 1]]);
  assert.equal(totals.reconnects, 0);
});

Deno.test("a visitor whose dial is refused or unanswered has failed", () => {
  const s = sessionStage({ perSec: 2 });
  s.loop.onTick(0);
  s.loop.onRefused(0, "connect", "refused", 10);
  play(s, tick(500_000), tick(1_000_000));
  const { totals, sessions } = s.end(1_010_000);
  assert.deepEqual([...totals.reasons.keys()], ["refused", "no connection in time"]);
  assert.deepEqual(sessions, [2, 0, 2]);
});

Deno.test("what is captured is used later: from JSON, a header, or by a pattern", () => {
  const steps: StepSpec[] = [
    ask({
      captures: [
        { as: "token", from: { kind: "json", path: ["data", "0", "token"] } },
        { as: "tag", from: { kind: "header", name: "etag" } },
        { as: "csrf", from: { kind: "pattern", source: '"csrf":"(\\w+)"' } },
      ],
    }),
    ask({
      wire: {
        method: "POST",
        path: "/{{ token }}",
        headers: { "x-tag": "{{tag}}" },
        body: "{{ csrf }} {{ name }}",
      },
    }),
  ];
  const s = sessionStage({ steps, users: [{ name: "Ada" }] });
  play(s, tick(0), opened(0, 10));
  const body = '{"data":[{"token":"a/b"}],"csrf":"xyz"}';
  const answer = encoder.encode(
    `HTTP/1.1 200 OK\r\nETag: "7"\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  s.loop.onBytes(0, answer, answer.length, 20);
  const [, second] = s.driver.sent;
  assert.match(second, /^POST \/a%2Fb HTTP\/1\.1\r\n/);
  assert.match(second, /\r\nx-tag: "7"\r\n/);
  assert.match(second, /\r\nContent-Length: 7\r\n\r\nxyz Ada$/);
});

Deno.test("a value that can't be captured fails the check and ends the session", () => {
  const captures = [{ as: "token", from: { kind: "json" as const, path: ["token"] } }];
  const s = sessionStage({ steps: [ask({ captures }), ask()] });
  play(s, tick(0), opened(0, 10), received(0, 20));
  const { totals, sessions } = s.end(1_010_000);
  assert.deepEqual([totals.completed, totals.checksFailed, sessions], [1, 1, [1, 0, 1]]);
});

const WRONG = { statuses: [201], body: null, contains: null };
for (
  const [strict, asked, sentence] of [
    [true, 1, "a wrong answer ends the session where the step is strict"],
    [false, 2, "a wrong answer is only counted where it isn't"],
  ] as const
) {
  Deno.test(sentence, () => {
    const s = sessionStage({ steps: [ask({ check: WRONG, strict }), ask()] });
    play(s, tick(0), opened(0, 10), received(0, 20));
    if (!strict) s.loop.onBytes(0, OK, OK.length, 30);
    const { totals, sessions } = s.end(1_010_000);
    assert.deepEqual([totals.completed, totals.checksFailed], [asked, 1]);
    assert.deepEqual(sessions, strict ? [1, 0, 1] : [1, 1, 0]);
  });
}

Deno.test("visitors beyond the places wait, in order, and their wait is lag", () => {
  const s = sessionStage({ perSec: 10, job: { connections: 1 } });
  play(s, tick(0), opened(0, 0));
  s.loop.onTick(250_000); // the visitors of 100 and 200 ms wait
  play(s, received(0, 250_000), tick(250_000), opened(0, 250_000));
  Atomics.store(s.job.stop, 0, 1);
  const { totals, sessions } = s.end(260_000);
  assert.deepEqual([totals.due, totals.completed, totals.unfinished, totals.dropped], [3, 1, 1, 1]);
  assert.equal(totals.lag.maxUs, 150_000);
  assert.deepEqual(sessions, [2, 1, 0]);
});

Deno.test("the load goes on after the phases until the last visitor has gone", () => {
  const s = sessionStage({});
  play(s, tick(0), opened(0, 900_000));
  assert.ok(s.loop.onTick(1_100_000) > 0);
  s.loop.onBytes(0, OK, OK.length, 1_200_000);
  const { totals } = s.end(1_210_000);
  assert.deepEqual([totals.completed, s.loop.ending.elapsedUs], [1, 1_200_000]);
});

Deno.test("visitors whose think times vary go on at moments of their own", () => {
  const think = { kind: "think", us: 100_000, as: "exponential" } as const;
  const s = sessionStage({ steps: [ask(), think, ask()], perSec: 2 });
  play(s, tick(0), opened(0, 0), received(0, 1_000));
  const wakesUs = s.loop.onTick(1_000);
  assert.notEqual(wakesUs, 101_000);
  assert.ok(wakesUs > 1_000);
});

Deno.test("a server that hangs up on a visitor who thinks costs a new connection, not the session", () => {
  const s = sessionStage({ steps: [ask(), { kind: "think", us: 100_000 }, ask()] });
  play(s, tick(0), opened(0, 10), received(0, 20));
  s.loop.onEnd(0, null, 50_000);
  play(s, tick(100_020), opened(0, 100_030), received(0, 100_040));
  const { totals, sessions } = s.end(1_010_000);
  assert.deepEqual([totals.completed, totals.reconnects, sessions], [2, 1, [1, 1, 0]]);
});

Deno.test("bytes that nobody asked for while a visitor thinks cost the connection, and are counted", () => {
  const s = sessionStage({ steps: [ask(), { kind: "think", us: 100_000 }, ask()] });
  play(s, tick(0), opened(0, 10), received(0, 20), received(0, 50_000), tick(100_020));
  play(s, opened(0, 100_030), received(0, 100_040));
  const { totals, sessions } = s.end(1_010_000);
  assert.deepEqual([totals.completed, totals.unsolicited, sessions], [2, 1, [1, 1, 0]]);
});

Deno.test("in a closed loop a place is taken again at once, and the clock runs from the send", () => {
  const s = sessionStage({
    job: {
      pacer: { kind: "closed", requests: Infinity },
      connections: 1,
      waitsForLast: false,
      timeoutUs: 60 * SECOND,
    },
    steps: [ask(), ask()],
    sharedPool: true,
  });
  play(s, tick(0), opened(0, 100), received(0, 200), received(0, 300), received(0, 400));
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "send 0", "send 0", "send 0"]);
  s.loop.onTick(SECOND);
  const { totals, sessions } = s.end(6 * SECOND);
  assert.deepEqual([totals.due, totals.completed, totals.unfinished], [4, 3, 1]);
  assert.deepEqual([totals.service.minUs, totals.lag.count, s.loop.ending.elapsedUs], [
    100,
    0,
    SECOND,
  ]);
  assert.deepEqual(sessions, [2, 1, 0]);
});

Deno.test("visitors who find a dead target in a closed loop come back only after a pause", () => {
  const s = sessionStage({
    job: { pacer: { kind: "closed", requests: Infinity }, connections: 1, waitsForLast: false },
  });
  for (let nowUs = 0; nowUs < SECOND;) {
    nowUs = s.loop.onTick(nowUs);
    while (s.driver.take().includes("connect 0")) s.loop.onRefused(0, "connect", "refused", nowUs);
  }
  const { totals } = s.end(SECOND);
  assert.equal(totals.due, totals.failed + totals.unfinished);
  assert.ok(totals.failed > 5 && totals.failed < 15, `${totals.failed} dials`);
});

Deno.test("a load of a number of sessions ends with its last virtual user, not while that one thinks", () => {
  const s = sessionStage({
    job: { pacer: { kind: "closed", requests: 1 }, durationUs: Infinity, waitsForLast: false },
    steps: [ask(), { kind: "think", us: 100_000 }, ask()],
  });
  play(s, tick(0), opened(0, 100), received(0, 200), tick(50_000), tick(100_200));
  play(s, received(0, 100_300));
  const { totals, sessions } = s.end(120_000);
  assert.deepEqual([totals.completed, s.loop.ending.elapsedUs], [2, 100_300]);
  assert.deepEqual(sessions, [1, 1, 0]);
});
