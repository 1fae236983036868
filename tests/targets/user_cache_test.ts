import assert from "node:assert/strict";
import { connectRedis } from "../../targets/redis/client.ts";
import {
  type Cache,
  memoryStore,
  openCache,
  redisStore,
  type TextStore,
} from "../../targets/apps/user/cache.ts";
import { needing, testWith } from "../needs.ts";
import { startRedis } from "./fixtures/own_redis.ts";

const withRedis = needing("redis");

/** An origin that answers when it is told to. */
function heldOrigin(): {
  pay: (key: string) => Promise<string>;
  calls: string[];
  answer: () => void;
} {
  const gate = Promise.withResolvers<void>();
  const calls: string[] = [];
  return {
    calls,
    answer: gate.resolve,
    async pay(key): Promise<string> {
      const text = `${key} ${calls.push(key)}`;
      await gate.promise;
      return text;
    },
  };
}

interface Stage {
  /** Stores of several instances that share what they keep; one instance for a store in memory. */
  readonly stores: readonly TextStore[];
}

type InStage = (run: (stage: Stage) => Promise<void>) => Promise<void>;

const inMemory: InStage = (run) => run({ stores: [memoryStore(60_000)] });

const inRedis: InStage = async (run) => {
  await using redis = await startRedis();
  const clients = [await connectRedis(redis.url), await connectRedis(redis.url)];
  const kept = { prefix: "test:", ttlMs: 60_000, holdMs: 60_000 };
  try {
    await run({ stores: clients.map((client) => redisStore(client, kept)) });
  } finally {
    for (const client of clients) client.destroy();
  }
};

const STORES = [
  { name: "in memory", needs: [], inStage: inMemory },
  { name: "in Redis, two instances", needs: ["redis"], inStage: inRedis },
] as const;

/** Resolves when every read that was begun has been answered, and more. */
async function settled(stores: readonly TextStore[]): Promise<void> {
  for (let round = 0; round < 5; round++) {
    await Promise.all(stores.map((store) => store.read("no such key")));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

for (const { name, needs, inStage } of STORES) {
  const test = (sentence: string, run: Parameters<typeof inStage>[0]): void =>
    testWith(needs, sentence, () => inStage(run));
  const caches = (stores: readonly TextStore[], pay: (key: string) => Promise<string>): Cache[] =>
    stores.map((store) => openCache({ store, pay, stampede: "wait" }));

  test(`a cache ${name} pays once for 1,000 who want the same at once`, async ({ stores }) => {
    const origin = heldOrigin();
    const open = caches(stores, origin.pay);
    const asked = Array.from({ length: 1_000 }, (_, at) => open[at % open.length]("a"));
    await settled(stores);
    assert.deepEqual(origin.calls, ["a"]);
    origin.answer();
    const answers = await Promise.all(asked);
    assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(["a 1"]));
    assert.equal(answers.filter(({ hit }) => !hit).length, 1);
    assert.deepEqual(await open[0]("a"), { text: "a 1", hit: true });
  });

  test(`a cache ${name} pays for each of several keys`, async ({ stores }) => {
    const origin = heldOrigin();
    origin.answer();
    const [cache] = caches(stores, origin.pay);
    await Promise.all(["a", "b", "a", "c", "b"].map(cache));
    assert.deepEqual(origin.calls.sort(), ["a", "b", "c"]);
  });

  test(`with stampede all, a cache ${name} lets everybody pay`, async ({ stores }) => {
    const origin = heldOrigin();
    const cache = openCache({ store: stores[0], pay: origin.pay, stampede: "all" });
    const asked = Array.from({ length: 100 }, () => cache("a"));
    await settled(stores);
    assert.equal(origin.calls.length, 100);
    origin.answer();
    assert.ok((await Promise.all(asked)).every(({ hit }) => !hit));
    assert.equal((await cache("a")).hit, true);
  });

  test(`a payment that fails ${name} fails for all who wait, and the next one pays`, async ({ stores }) => {
    let calls = 0;
    const pay = (): Promise<string> =>
      ++calls === 1 ? Promise.reject(new Error("no money")) : Promise.resolve("paid");
    const [cache] = caches(stores, pay);
    const asked = await Promise.allSettled([cache("a"), cache("a"), cache("a")]);
    assert.deepEqual(asked.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
    assert.deepEqual(await cache("a"), { text: "paid", hit: false });
  });

  test(`a cache ${name} does not pay for what was kept between its look and its hold`, async ({ stores: [store] }) => {
    const late: TextStore = {
      ...store,
      async hold(key): ReturnType<TextStore["hold"]> {
        await store.keep(key, "another's");
        return await store.hold(key);
      },
    };
    const pay = (): Promise<string> => assert.fail("it pays");
    const cache = openCache({ store: late, pay, stampede: "wait" });
    assert.deepEqual(await cache("a"), { text: "another's", hit: true });
  });
}

Deno.test("a store in memory keeps a text until its time is over", async () => {
  let nowMs = 0;
  const store = memoryStore(100, () => nowMs);
  assert.equal(await store.read("a"), null);
  await store.keep("a", "text");
  nowMs = 99;
  assert.equal(await store.read("a"), "text");
  nowMs = 100;
  assert.equal(await store.read("a"), null);
});

withRedis.test("what Redis keeps and holds ends by itself; only the holder ends a hold before", async () => {
  await using redis = await startRedis();
  const client = await connectRedis(redis.url);
  const store = redisStore(client, { prefix: "test:", ttlMs: 60_000, holdMs: 30_000 });
  await store.keep("a", "text");
  const release = await store.hold("a");
  assert.ok(release);
  assert.equal(await store.hold("a"), null);
  const lifetimes = [await client.pTTL("test:a"), await client.pTTL("test:hold:a")];
  assert.ok(lifetimes[0] > 50_000 && lifetimes[0] <= 60_000, `${lifetimes}`);
  assert.ok(lifetimes[1] > 20_000 && lifetimes[1] <= 30_000, `${lifetimes}`);
  await client.set("test:hold:a", "someone else");
  await release();
  assert.equal(await client.get("test:hold:a"), "someone else");
  client.destroy();
});
