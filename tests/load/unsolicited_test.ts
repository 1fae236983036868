/** Bytes that come when no request is outstanding (RFC 9112 §9.2): they close the connection and fail nothing. */
import assert from "node:assert/strict";
import { feedUntilClosed, segmentations } from "./segments.ts";
import { ask, sessionStage } from "./session_stage.ts";
import {
  assertNothingLost,
  CLOSING,
  OK,
  opened,
  play,
  received,
  SECOND,
  stage,
  tick,
  totalsOf,
} from "./stage.ts";

Deno.test("bytes after the answer in one read do not answer the next request, which is sent on a new connection", () => {
  const s = stage();
  play(s, tick(0), opened(0, 0));
  const twice = Uint8Array.from([...OK, ...OK]);
  s.loop.onBytes(0, twice, twice.length, 50);
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0", "close 0", "connect 0"]);
  play(s, opened(0, 60), tick(SECOND), received(0, SECOND + 10), tick(2 * SECOND));
  const { due, completed, unsolicited } = totalsOf(s);
  assert.deepEqual([due, completed, unsolicited], [2, 2, 1]);
});

const PIPELINES = [1, 2, 3];
for (const pipeline of PIPELINES) {
  const sentence =
    `bytes after the last answer (pipeline ${pipeline}) are unsolicited, however cut`;
  Deno.test(sentence, () => {
    for (const [what, pieces] of segmentations(Array(pipeline + 1).fill(OK))) {
      const s = stage({ pipeline, requests: pipeline });
      play(s, tick(0), opened(0, 0));
      s.driver.take();
      feedUntilClosed(s, pieces);
      s.loop.onTick(SECOND);
      const { completed, failed, unsolicited } = totalsOf(s);
      assert.deepEqual([completed, failed, unsolicited], [pipeline, 0, 1], what);
      assertNothingLost(totalsOf(s), s.parts);
    }
  });
}

Deno.test("an answer in the same read answers no request that was sent because of that read", () => {
  const s = stage({ pipeline: 2 });
  play(s, tick(0), opened(0, 0));
  s.driver.take();
  const thrice = Uint8Array.from([...OK, ...OK, ...OK]);
  s.loop.onBytes(0, thrice, thrice.length, 50);
  assert.deepEqual(s.driver.take(), ["close 0", "connect 0"]);
  s.loop.onTick(SECOND);
  assert.deepEqual([totalsOf(s).completed, totalsOf(s).unsolicited], [2, 1]);
});

Deno.test("bytes after an answer cost the connection, not the session, however they are cut", () => {
  for (const [what, pieces] of segmentations([OK, OK])) {
    const s = sessionStage({ steps: [ask(), { kind: "think", us: 100_000 }, ask()] });
    play(s, tick(0), opened(0, 10));
    feedUntilClosed(s, pieces);
    play(s, tick(100_050), opened(0, 100_060), received(0, 100_070));
    const { totals, sessions } = s.end(1_010_000);
    const { completed, failed, unsolicited, reconnects } = totals;
    assert.deepEqual([completed, failed, unsolicited, reconnects], [2, 0, 1, 1], what);
    assert.deepEqual(sessions, [1, 1, 0], what);
  }
});

Deno.test("bytes after an answer that closes the connection are nobody's, however they are cut", () => {
  for (const [what, pieces] of segmentations([CLOSING, OK])) {
    const s = sessionStage({});
    play(s, tick(0), opened(0, 10));
    feedUntilClosed(s, pieces);
    const { totals, sessions } = s.end(1_010_000);
    assert.deepEqual([totals.completed, totals.unsolicited, sessions], [1, 0, [1, 1, 0]], what);
  }
});
