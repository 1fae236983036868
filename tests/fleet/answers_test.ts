import assert from "node:assert/strict";
import process from "node:process";
import { replyWithin, retryUntilReply } from "../../runner/fleet/protocol/redis_link.ts";
import { TargetError } from "../../base/errors.ts";
import { rejected } from "../thrown.ts";

const LONG_MS = 60_000;
const never = (): Promise<never> => new Promise(() => {});

Deno.test("what is not answered in time is an error", async () => {
  assert.equal(await replyWithin(Promise.resolve(7), LONG_MS), 7);
  await assert.rejects(replyWithin(never(), 1), /Redis does not respond/);
});

Deno.test("a Redis that comes back is asked again until it answers", async () => {
  let asks = 0;
  const ask = (): Promise<number> =>
    ++asks < 3 ? Promise.reject(new Error("away")) : Promise.resolve(asks);
  assert.equal(await retryUntilReply(ask, new AbortController().signal), 3);
});

for (
  const [how, ask, why] of [
    ["refuses", () => Promise.reject(new Error("away")), /was unusable for 0\.3 s: away/],
    ["is silent", never, /was unusable for 0\.3 s: Redis does not respond/],
  ] as const
) {
  Deno.test(`a Redis that ${how} for too long is whoever runs it's to mend`, async () => {
    const error = await rejected(
      TargetError,
      retryUntilReply(ask, new AbortController().signal, 300),
    );
    assert.match(error.message, why);
  });

  Deno.test(`Ctrl-C ends the waiting for a Redis that ${how}`, async () => {
    const interruption = new AbortController();
    const waiting = retryUntilReply(ask, interruption.signal, LONG_MS);
    interruption.abort(new Error("interrupted"));
    await assert.rejects(waiting, /interrupted/);
  });
}

Deno.test("who was held up beyond the limit asks once more, and the runtime warns nobody of it", async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): number => warnings.push(message);
  process.on("warning", onWarning);
  let asks = 0;
  const ask = (): Promise<never> => {
    if (++asks === 1) setTimeout(holdUp);
    return Promise.reject(new Error("away"));
  };
  try {
    await assert.rejects(retryUntilReply(ask, new AbortController().signal, 150), /away/);
    await new Promise((resolve) => setTimeout(resolve)); // warnings are told when the turn is over
  } finally {
    process.off("warning", onWarning);
  }
  assert.equal(asks, 2);
  assert.deepEqual(warnings, []);
});

/** Longer than the limit, and than the pause before the next question. */
function holdUp(): void {
  const endMs = performance.now() + 200;
  while (performance.now() < endMs);
}
