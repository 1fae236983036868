import assert from "node:assert/strict";
import { serveUntil } from "../../runner/calibration/null_responder.ts";
import { pause } from "../e2e/patience.ts";

Deno.test("the server that does nothing closes its listener once, though the wait for a connection goes on", async () => {
  let closes = 0;
  let isOver = false;
  const never = new Promise<IteratorResult<Deno.Conn>>(() => {});
  const listener = {
    [Symbol.asyncIterator]: () => ({ next: () => never }),
    close(): void {
      if (++closes > 1) throw new Deno.errors.BadResource();
    },
  };
  const ended = serveUntil(() => isOver, listener);
  await pause(60);
  assert.equal(closes, 0);
  isOver = true;
  await ended;
  await pause(60); // three looks
  assert.equal(closes, 1);
});
