/** Memory that a worker takes for the messages of streams, which grows with the requests of a mix or flow. */
import assert from "node:assert/strict";
import { MessageRecorder } from "../../runner/load/recording/messages.ts";

const STEPS = new Set(Array.from({ length: 50 }, (_, step) => step));

/** @returns The recorder, so that it is not freed, and the memory of its buffers. */
function recorderWith(tokens: ReadonlySet<number>): readonly [MessageRecorder, bytes: number] {
  const before = Deno.memoryUsage().external;
  const recorder = new MessageRecorder(1, { steps: STEPS, withTokens: tokens });
  return [recorder, Deno.memoryUsage().external - before];
}

Deno.test("a step whose messages have no tokens and no lower bounds takes memory for neither", () => {
  const [plain, bytes] = recorderWith(new Set());
  assert.ok(bytes / STEPS.size < 1_000_000, `${bytes} bytes`);
  const [withTokens, more] = recorderWith(STEPS);
  assert.ok(more > 1.5 * bytes, `${more} bytes`);
  for (const recorder of [plain, withTokens]) {
    recorder.missUnsent(3, "dropped", 1_000);
    const totals = recorder.totals(2_000);
    assert.deepEqual(totals.map(({ first }) => first.censored.count), [
      ...[0, 0, 0, 1],
      ...new Array(46).fill(0),
    ]);
  }
});
