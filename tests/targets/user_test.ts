import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import { appNeedsRedis } from "../../targets/apps/registry.ts";
import { flatSettings } from "../../base/target/settings.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { needing } from "../needs.ts";
import { startRedis } from "./fixtures/own_redis.ts";
import { type Settings, startApp, type StartedApp } from "./fixtures/started_app.ts";

const withRedis = needing("redis");

async function stats(app: StartedApp): Promise<unknown> {
  return await (await app.ask("/stats")).json();
}

function limitFields({ status, headers }: Response): Record<string, string | number> {
  const fields = [...headers].filter(([name]) => /^(?:ratelimit|retry-after)/.test(name));
  return { status, ...Object.fromEntries(fields) };
}

Deno.test("user answers a user's JSON; /user is the first of a thousand", async () => {
  await using app = await startApp("user");
  const first = { id: 1, name: "User 1", email: "user1@example.com" };
  for (const path of ["/user", "/user/1"]) {
    const response = await app.ask(path);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.deepEqual(await response.json(), first);
  }
  assert.equal((await (await app.ask("/user/1000")).json()).id, 1_000);
  for (const path of ["/user/0", "/user/1001", "/user/x", "/user/99999"]) {
    assert.equal((await app.ask(path)).status, 404, path);
  }
});

Deno.test("user without a cache asks the origin every time, and says nothing of a cache", async () => {
  await using app = await startApp("user");
  for (let at = 0; at < 3; at++) {
    const { headers } = await app.ask("/user");
    assert.deepEqual([...headers.keys()], ["content-type"]);
  }
  assert.deepEqual(await stats(app), { originCalls: 3, hits: 0, misses: 0, limited: 0 });
});

Deno.test("user waits for its delay, for all who ask at once together", async () => {
  await using app = await startApp("user", { delay: "200ms" });
  const startMs = performance.now();
  await Promise.all(Array.from({ length: 20 }, () => app.ask("/user")));
  const elapsedMs = performance.now() - startMs;
  assert.ok(elapsedMs >= 199 && elapsedMs < 3_900, `${elapsedMs} ms, one after the other 4 s`);
});

Deno.test("user with a cache in memory pays once for each user, and says who paid", async () => {
  await using app = await startApp("user", { cache: "memory" });
  const states: (string | null)[] = [];
  for (const path of ["/user", "/user", "/user/2", "/user/1", "/user/2"]) {
    states.push((await app.ask(path)).headers.get("x-cache"));
  }
  assert.deepEqual(states, ["miss", "hit", "miss", "hit", "hit"]);
  assert.deepEqual(await stats(app), { originCalls: 2, hits: 3, misses: 2, limited: 0 });
});

Deno.test("user tells what the limit leaves, then answers 429 and when to come back", async () => {
  await using app = await startApp("user", { rateLimit: { limit: 2, window: "60s" } });
  const policy = { "ratelimit-policy": '"user";q=2;w=60', "ratelimit-limit": "2" };
  /** With so much of the window left as it says: nearly all. */
  const told = ({ headers }: Response, remaining: number): Record<string, string> => {
    const reset = headers.get("ratelimit-reset") ?? "";
    assert.match(reset, /^(60|5\d)$/);
    return {
      ...policy,
      "ratelimit": `"user";r=${remaining};t=${reset}`,
      "ratelimit-remaining": `${remaining}`,
      "ratelimit-reset": reset,
    };
  };
  for (const [path, remaining] of [["/user", 1], ["/user/2", 0]] as const) {
    const answer = await app.ask(path);
    assert.deepEqual(limitFields(answer), { status: 200, ...told(answer, remaining) });
  }
  const refused = await app.ask("/user");
  const later = { "retry-after": refused.headers.get("ratelimit-reset") };
  assert.deepEqual(limitFields(refused), { status: 429, ...told(refused, 0), ...later });
  assert.deepEqual(await refused.json(), { error: "Too many requests" });
  assert.deepEqual(await stats(app), { originCalls: 2, hits: 0, misses: 0, limited: 1 });
  assert.deepEqual(limitFields(await app.ask("/")), { status: 200 });
});

Deno.test("user counts each client by its address", async () => {
  await using app = await startApp("user", { rateLimit: { limit: 1 } });
  const statuses: number[] = [];
  for (const hostname of ["10.0.0.1", "10.0.0.2", "10.0.0.1"]) {
    const remoteAddr = { transport: "tcp", hostname, port: 1 } as const;
    statuses.push((await app.fetch(new Request("http://app/user"), { remoteAddr })).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
});

const NEED_REDIS: Settings[] = [{ cache: "redis" }, { rateLimit: { limit: 5, store: "redis" } }];

for (const set of NEED_REDIS) {
  Deno.test(`user ${JSON.stringify(set)} needs Redis`, () => {
    assert.equal(appNeedsRedis("user", flatSettings(set)), true);
  });

  Deno.test(`user ${JSON.stringify(set)} does not start without Redis`, async () => {
    await assert.rejects(startApp("user", set), TargetError);
  });
}

Deno.test("user needs no Redis for a limit that there is not", async () => {
  const set = { rateLimit: { store: "redis" } };
  assert.equal(appNeedsRedis("user", flatSettings(set)), false);
  await using app = await startApp("user", set);
  assert.equal((await app.ask("/user")).status, 200);
});

withRedis.test("two instances share cache and limit in Redis", async () => {
  await using redis = await startRedis();
  const set = { cache: "redis", ttl: "1h", rateLimit: { store: "redis", limit: 3 } };
  await using one = await startApp("user", set, redis.url);
  await using other = await startApp("user", set, redis.url);
  const answers = [await one.ask("/user"), await other.ask("/user"), await one.ask("/user")];
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200]);
  assert.deepEqual(answers.map(({ headers }) => headers.get("x-cache")), ["miss", "hit", "hit"]);
  assert.equal((await other.ask("/user")).status, 429);
  assert.deepEqual(await stats(one), { originCalls: 1, hits: 1, misses: 1, limited: 0 });
  assert.deepEqual(await stats(other), { originCalls: 0, hits: 1, misses: 0, limited: 1 });
});

withRedis.test("a start of user forgets what an earlier one left in Redis, and nothing else", async () => {
  await using redis = await startRedis();
  const client = await connectRedis(redis.url);
  await client.set("someone's", "own");
  const set = { cache: "redis", rateLimit: { store: "redis", limit: 1 } };
  for (const _ of ["first", "second"]) {
    await using app = await startApp("user", set, redis.url);
    const response = await app.ask("/user");
    assert.deepEqual([response.status, response.headers.get("x-cache")], [200, "miss"]);
    assert.equal((await app.ask("/user")).status, 429);
  }
  assert.equal(await client.get("someone's"), "own");
  client.destroy();
});

withRedis.test("an instance that joins others leaves what they share as it is", async () => {
  await using redis = await startRedis();
  const set = { cache: "redis", rateLimit: { store: "redis", limit: 2 } };
  await using one = await startApp("user", set, redis.url);
  assert.equal((await one.ask("/user")).headers.get("x-cache"), "miss");
  await using other = await startApp("user", set, redis.url);
  assert.equal((await other.ask("/user")).headers.get("x-cache"), "hit");
  assert.equal((await other.ask("/user")).status, 429);
});

withRedis.test("user answers 503 when its Redis is gone", {
  // The client's last wait before it dials again, 100 ms, is not cut short.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(): Promise<void> {
    await using redis = await startRedis();
    await using app = await startApp("user", { cache: "redis" }, redis.url);
    assert.equal((await app.ask("/user")).status, 200);
    await redis.stop();
    const response = await app.ask("/user");
    assert.equal(response.status, 503);
    assert.ok((await response.json()).error);
  },
});
