import assert from "node:assert/strict";
import { Claims, roster } from "../../runner/fleet/coordinator/roster.ts";
import {
  claimKey,
  presenceKey,
  RUN_STATE_MS,
  runStateKey,
} from "../../runner/fleet/protocol/redis_keys.ts";
import type { Presence } from "../../runner/fleet/protocol/agent_message.ts";
import { VERSION } from "../../base/version.ts";
import { TargetError } from "../../base/errors.ts";
import { connectRedis, type RedisClient } from "../../targets/redis/client.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { pause, until } from "../e2e/patience.ts";
import { needing } from "../needs.ts";
import { rejected } from "../thrown.ts";

const withRedis = needing("redis");

const NAMES = ["a", "b", "c", "d"];

/** A Redis at which idle agents are listed, and coordinators that live. */
async function stage(
  ...coordinators: string[]
): Promise<{ client: RedisClient } & AsyncDisposable> {
  await using scope = new AsyncDisposableStack();
  const redis = scope.use(await RedisServer.start());
  const client = scope.adopt(await connectRedis(redis.url), (client) => client.destroy());
  for (const name of NAMES) {
    const presence: Presence = {
      ...{ name, version: VERSION, host: "h", cores: 2, openFiles: null, workers: 1 },
      ...{
        driver: "epoll",
        peakThroughput: null,
        allow: [],
        clock: { offsetMs: 0, uncertaintyMs: 0 },
      },
      ...{ coordinator: null, since: 0 },
    };
    await client.set(presenceKey(name), JSON.stringify(presence));
  }
  for (const coordinator of coordinators) await client.set(runStateKey(coordinator), "{}");
  const kept = scope.move();
  return { client, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function taken(claims: Claims, wanted: number | "all"): Promise<string[]> {
  return (await claims.take(wanted, () => {})).map(({ name }) => name);
}

withRedis.test("coordinators that choose at the same moment choose different agents", async () => {
  await using redis = await stage("one", "two");
  const one = new Claims(redis.client, "one");
  const two = new Claims(redis.client, "two");
  const [ofOne, ofTwo] = await Promise.all([taken(one, 2), taken(two, 2)]);
  assert.deepEqual([...ofOne, ...ofTwo].sort(), NAMES);
  const held = (await roster(redis.client)).map(({ name, coordinator }) => [name, coordinator]);
  const whose = (name: string): string => ofOne.includes(name) ? "one" : "two";
  assert.deepEqual(held, NAMES.map((name) => [name, whose(name)]));
  await one.end();
  await two.end();
  assert.ok((await roster(redis.client)).every(({ coordinator }) => coordinator === null));
});

withRedis.test("who gets too few agents has none, and is told who has them", async () => {
  await using redis = await stage("one", "two");
  const one = new Claims(redis.client, "one");
  const two = new Claims(redis.client, "two");
  assert.deepEqual(await taken(one, 2), ["a", "b"]);
  const error = await rejected(TargetError, taken(two, 3));
  assert.equal(error.message, "Cannot load from 3 agents: 2 are free");
  assert.deepEqual(error.evidence, ["agent a is working for one", "agent b is working for one"]);
  assert.deepEqual(await taken(two, "all"), ["c", "d"]);
  await one.end();
  await two.end();
});

withRedis.test("claims outlive their time while they are renewed, even in a Redis that lost them", async () => {
  await using redis = await stage("one");
  const one = new Claims(redis.client, "one");
  await taken(one, 1);
  const isHeld = async (): Promise<boolean> =>
    (await roster(redis.client))[0].coordinator === "one";
  await pause(RUN_STATE_MS.lives + 100);
  await until("it is still claimed", isHeld);
  await redis.client.del(claimKey("a"));
  await until("it is claimed again", isHeld);
  await one.end();
  assert.equal(await isHeld(), false);
});
