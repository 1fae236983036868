import assert from "node:assert/strict";
import { ONCE, openLink } from "../../runner/fleet/protocol/redis_link.ts";
import { Outbox } from "../../runner/fleet/agent/outbox.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { until } from "../e2e/patience.ts";
import { needing } from "../needs.ts";

const withRedis = needing("redis");

const LONG_MS = 60_000; // longer than any wait here, on the busiest machine

Deno.test("messages are sent in order, those together that wait for the ones before them", async () => {
  const sent: (readonly number[])[] = [];
  let atOnce = 0;
  const outbox = new Outbox<number>(async (messages) => {
    assert.equal(++atOnce, 1);
    await Promise.resolve();
    atOnce--;
    sent.push(messages);
  });
  for (const message of [1, 2, 3]) outbox.add(message);
  assert.equal(await outbox.emptied(LONG_MS), true);
  outbox.add(4);
  assert.equal(await outbox.emptied(LONG_MS), true);
  assert.deepEqual(sent, [[1], [2, 3], [4]]);
});

Deno.test("what does not arrive is sent again before what comes after it", async () => {
  const tried: (readonly number[])[] = [];
  const outbox = new Outbox<number>((messages) => {
    tried.push(messages);
    return tried.length < 3 ? Promise.reject(new Error("no")) : Promise.resolve();
  });
  outbox.add(1);
  outbox.add(2);
  assert.equal(await outbox.emptied(LONG_MS), true);
  assert.deepEqual(tried, [[1], [1, 2], [1, 2]]);
});

Deno.test("messages that are given up are not waited for, nor sent later", async () => {
  const sent: number[] = [];
  const answer = Promise.withResolvers<void>();
  const outbox = new Outbox<number>((messages) => {
    sent.push(...messages);
    return answer.promise;
  });
  outbox.add(1);
  outbox.add(2);
  const emptied = outbox.emptied(LONG_MS);
  outbox.giveUp();
  assert.equal(await emptied, false);
  outbox.add(3);
  answer.resolve();
  await answer.promise;
  assert.equal(await outbox.emptied(LONG_MS), false);
  assert.deepEqual(sent, [1]);
});

Deno.test("what has arrived of late is sent once more when it may be forgotten", async () => {
  const sent: number[] = [];
  const outbox = new Outbox<number>((messages) => {
    sent.push(...messages);
    return Promise.resolve();
  });
  outbox.add(1);
  assert.equal(await outbox.emptied(LONG_MS), true);
  outbox.add(2);
  outbox.sendAgain();
  assert.equal(await outbox.emptied(LONG_MS), true);
  assert.deepEqual(sent, [1, 2, 1]);
  outbox.sendAgain();
  assert.equal(await outbox.emptied(LONG_MS), true);
  assert.deepEqual(sent.slice(3).sort(), [1, 2]);
});

Deno.test("an outbox that is never emptied is not waited for longer than asked", async () => {
  const outbox = new Outbox<number>(() => new Promise(() => {}));
  outbox.add(1);
  assert.equal(await outbox.emptied(1), false);
  assert.equal(outbox.size, 1);
});

for (const persistent of [true, false]) {
  const what = persistent ? "with all it had" : "empty";
  withRedis.test(`a Redis that is killed and comes back ${what} loses no message`, async () => {
    await using redis = await RedisServer.start({ persistent });
    const link = await openLink({ url: redis.url });
    const taken: number[] = [];
    await link.reader("taken", (data) => {
      taken.push(Number(data)); // perhaps not for the first time
      return Promise.resolve();
    }, 1);
    const queue = link.queue("taken");
    const outbox = new Outbox<number>(async (messages) => {
      await link.client.ping();
      await Promise.all(
        messages.map((message) =>
          queue.add("message", message, { ...ONCE, jobId: `message-${message}` })
        ),
      );
    });
    link.client.on("ready", () => outbox.sendAgain());
    for (let message = 0; message < 20; message++) outbox.add(message);
    await until("some are taken", () => taken.length > 5);
    await redis.kill();
    for (let message = 20; message < 40; message++) outbox.add(message);
    assert.equal(await outbox.emptied(300), false);
    await redis.start();
    assert.equal(await outbox.emptied(LONG_MS), true);
    const all = [...Array(40).keys()];
    await until(() => `all are taken, not ${taken}`, () => new Set(taken).size === all.length);
    assert.deepEqual([...new Set(taken)].sort((a, b) => a - b), all);
    await link.close();
  });
}
