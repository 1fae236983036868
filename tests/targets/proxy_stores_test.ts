/** One suite over all stores, and what a store does when Redis dies or hangs. */
import assert from "node:assert/strict";
import { ErrorReply } from "redis";
import {
  decodeResponse,
  encodeResponse,
  openRedisStore,
  type RedisCommands,
  RedisStore,
} from "../../targets/gateways/proxy/stores/redis.ts";
import { MemoryStore } from "../../targets/gateways/proxy/stores/memory.ts";
import type { ResponseStore, StoredResponse } from "../../targets/gateways/proxy/stores/store.ts";
import { provideRedis } from "../../targets/redis/provide.ts";
import { needing } from "../needs.ts";

const withRedis = needing("redis");

const ANSWER: StoredResponse = {
  status: 200,
  headers: [["content-type", "image/png"], ["x-a", "1"], ["x-a", "2"]],
  body: Uint8Array.from({ length: 256 }, (_, byte) => byte),
  keptAtMs: 5,
  freshUntilMs: 60_005,
};

/** Redis as a map in this process, which may be down, hang, or refuse. */
class FakeRedis implements RedisCommands {
  state: "up" | "down" | "hangs" | "refuses" = "up";
  asked = 0;
  readonly #values = new Map<string, Uint8Array>();

  get(key: string): Promise<Uint8Array | null> {
    return this.#answer(() => this.#values.get(key) ?? null);
  }

  set(key: string, value: Uint8Array): Promise<unknown> {
    return this.#answer(() => this.#values.set(key, value));
  }

  ping(): Promise<unknown> {
    return this.#answer(() => "PONG");
  }

  close(): void {}

  #answer<Value>(value: () => Value): Promise<Value> {
    this.asked++;
    if (this.state === "refuses") return Promise.reject(new ErrorReply("OOM"));
    if (this.state === "hangs") return new Promise(() => {});
    return this.state === "up" ? Promise.resolve(value()) : Promise.reject(new Error("gone"));
  }
}

/** What a store in Redis does not wait for longer (stores/redis.ts). */
const LIMIT_MS = 250;

/** With a store of its own. A machine that stands still looks like a Redis that does: then it is tried again. */
async function undisturbed(open: () => Promise<RedisStore>): Promise<void> {
  for (let tries = 1;; tries++) {
    const store = await open();
    const startMs = performance.now();
    try {
      await suite(store);
      await store.set("short", ANSWER, 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(await store.get("short"), null);
      await store.set("fraction", ANSWER, 16.1 * 1_000);
      return assert.deepEqual(await store.get("fraction"), ANSWER);
    } catch (error) {
      if (performance.now() - startMs < LIMIT_MS || tries === 5) throw error;
    } finally {
      store.close();
    }
  }
}

async function suite(store: ResponseStore): Promise<void> {
  assert.equal(await store.get("a"), null);
  await store.set("a", ANSWER, 60_000);
  assert.deepEqual(await store.get("a"), ANSWER);
  assert.equal(await store.get("b"), null);
  const newer = { ...ANSWER, status: 301, body: new Uint8Array() };
  await store.set("a", newer, 60_000);
  assert.deepEqual(await store.get("a"), newer);
  store.empty();
  assert.equal(await store.get("a"), null);
  await store.set("a", ANSWER, 60_000);
  assert.deepEqual(await store.get("a"), ANSWER);
}

Deno.test("store memory keeps answers byte for byte, and forgets them when it is emptied", async () => {
  await suite(new MemoryStore());
});

withRedis.test("store redis keeps answers byte for byte, forgets them when it is emptied and after their time, whatever that is", async () => {
  const { signal } = new AbortController();
  const redis = await provideRedis({ url: null, signal, wellKnownUrl: "redis://127.0.0.1:1" });
  try {
    await undisturbed(() => openRedisStore(redis?.url ?? null));
  } finally {
    await redis?.stop();
  }
});

Deno.test("store memory forgets what is past its time", () => {
  let nowMs = 1_000;
  const store = new MemoryStore(1e6, () => nowMs);
  store.set("a", ANSWER, 100);
  nowMs = 1_100;
  assert.ok(store.get("a"));
  nowMs = 1_101;
  assert.equal(store.get("a"), null);
});

Deno.test("store memory forgets what was used least lately when it is full", () => {
  const store = new MemoryStore(3_000, () => 1);
  store.set("a", ANSWER, 100);
  store.set("b", ANSWER, 100);
  store.get("a");
  store.set("c", ANSWER, 100);
  assert.equal(store.get("b"), null);
  assert.ok(store.get("a") && store.get("c"));
});

Deno.test("a Redis that is down is not asked again until it answers", async () => {
  const redis = new FakeRedis();
  const store = new RedisStore(redis);
  await store.set("a", ANSWER, 1_000);
  redis.state = "down";
  assert.equal(await store.get("a"), null);
  const askedUntilDown = redis.asked;
  assert.equal(await store.get("a"), null);
  await store.set("b", ANSWER, 1_000);
  assert.equal(redis.asked, askedUntilDown);
  redis.state = "up";
  let back = await store.get("a");
  for (let tries = 0; back === null && tries < 500; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    back = await store.get("a");
  }
  assert.deepEqual(back, ANSWER);
  store.close();
});

Deno.test("a Redis that refuses what it is told is asked again at once", async () => {
  const redis = new FakeRedis();
  const store = new RedisStore(redis);
  await store.set("a", ANSWER, 1_000);
  redis.state = "refuses";
  await store.set("b", ANSWER, 1_000);
  assert.equal(await store.get("a"), null);
  redis.state = "up";
  assert.deepEqual(await store.get("a"), ANSWER);
  store.close();
});

Deno.test("a Redis that hangs holds up requests once, and none after that", async () => {
  const redis = new FakeRedis();
  redis.state = "hangs";
  const store = new RedisStore(redis);
  const first = Array.from({ length: 100 }, (_, n) => store.get(`${n}`));
  assert.ok((await Promise.all(first)).every((kept) => kept === null));
  const asked = redis.asked;
  assert.equal(await store.get("later"), null);
  assert.equal(redis.asked, asked);
  store.close();
});

Deno.test({
  name: "a store that is closed while it asks whether Redis is back asks no more",
  sanitizeOps: true, // a timer that it leaves is found
  async fn(): Promise<void> {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<never>();
    const redis = Object.assign(new FakeRedis(), {
      state: "down" as const,
      ping: () => (asked.resolve(), answer.promise),
    });
    const store = new RedisStore(redis);
    await store.get("a");
    await asked.promise;
    store.close();
    answer.reject(new Error("closed"));
    await new Promise((resolve) => setTimeout(resolve));
  },
});

Deno.test("bytes that are no kept answer are none", () => {
  const bytes = encodeResponse(ANSWER);
  assert.deepEqual(decodeResponse(bytes), ANSWER);
  assert.equal(decodeResponse(new Uint8Array()), null);
  assert.equal(decodeResponse(Uint8Array.of(0, 0, 0, 9, 1, 2)), null);
  assert.equal(decodeResponse(new TextEncoder().encode("somebody else's value")), null);
});
