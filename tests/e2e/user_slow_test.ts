/** What the user app's cache and limit promise, over as many real connections as they name. */
import assert from "node:assert/strict";
import * as z from "zod";
import { needing } from "../needs.ts";
import { startRedis } from "../targets/fixtures/own_redis.ts";
import { plateau, serve, type Served } from "./plateau.ts";

const withRedis = needing("redis");

const stats = z.object({
  originCalls: z.number(),
  hits: z.number(),
  misses: z.number(),
  limited: z.number(),
});
type Stats = z.output<typeof stats>;

async function statsOf({ origin }: Served): Promise<Stats> {
  return stats.parse(await (await fetch(`${origin}/stats`)).json());
}

function serveUser(set: Record<string, string | number>, redisUrl?: string): Promise<Served> {
  const settings = Object.entries(set).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  return serve("user", ...settings, ...redisUrl === undefined ? [] : ["--redis", redisUrl]);
}

const answered = z.object({ status: z.record(z.string(), z.number()) });

/** Answers by status, of so many requests on so many connections at once. */
async function askMany(
  { origin }: Served,
  { connections, requests }: { connections: number; requests: number },
): Promise<Record<string, number>> {
  const load = ["-c", `${connections}`, "-n", `${requests}`, "-t", "60s"];
  const { stdout, stderr } = await plateau(["bench", `${origin}/user`, ...load, "--json", "-"]);
  assert.ok(stdout, stderr);
  return answered.parse(JSON.parse(stdout)).status;
}

/** The origin takes long enough that many are there before it answers. */
const DELAY = "1500ms";

const COLD = { connections: 1_000, requests: 1_000 };

Deno.test("1,000 connections that find the cache in memory cold reach the origin once", async () => {
  await using served = await serveUser({ cache: "memory", delay: DELAY });
  assert.deepEqual(await askMany(served, COLD), { 200: 1_000 });
  const { originCalls, hits, misses } = await statsOf(served);
  assert.deepEqual({ originCalls, hits, misses }, { originCalls: 1, hits: 999, misses: 1 });
});

Deno.test("with stampede all, 1,000 connections that find the cache cold reach the origin many times", async () => {
  await using served = await serveUser({ cache: "memory", delay: DELAY, stampede: "all" });
  assert.deepEqual(await askMany(served, COLD), { 200: 1_000 });
  const { originCalls, misses } = await statsOf(served);
  assert.ok(originCalls > 100 && misses === originCalls, `${originCalls} calls`);
});

withRedis.test("1,000 connections that find Redis cold, half at each of two instances, reach the origins once", async () => {
  await using redis = await startRedis();
  const set = { cache: "redis", delay: DELAY };
  await using one = await serveUser(set, redis.url);
  await using other = await serveUser(set, redis.url);
  const half = { connections: 500, requests: 500 };
  const statuses = await Promise.all([askMany(one, half), askMany(other, half)]);
  assert.deepEqual(statuses, [{ 200: 500 }, { 200: 500 }]);
  const [first, second] = [await statsOf(one), await statsOf(other)];
  assert.equal(first.originCalls + second.originCalls, 1);
  assert.equal(first.hits + second.hits, 999);
});

const LIMIT = 1_000;
const LIMITED = { "rateLimit.limit": LIMIT, "rateLimit.window": "1h" };

Deno.test("a limit in memory is exact under 100 connections", async () => {
  await using served = await serveUser(LIMITED);
  const statuses = await askMany(served, { connections: 100, requests: 4 * LIMIT });
  assert.deepEqual(statuses, { 200: LIMIT, 429: 3 * LIMIT });
  assert.equal((await statsOf(served)).limited, 3 * LIMIT);
});

withRedis.test("a limit in Redis is exact under 100 connections", async () => {
  await using redis = await startRedis();
  await using served = await serveUser({ ...LIMITED, "rateLimit.store": "redis" }, redis.url);
  const statuses = await askMany(served, { connections: 100, requests: 4 * LIMIT });
  assert.deepEqual(statuses, { 200: LIMIT, 429: 3 * LIMIT });
});

withRedis.test("a limit that two instances share in one Redis is exact under 100 connections", async () => {
  await using redis = await startRedis();
  const set = { ...LIMITED, "rateLimit.store": "redis" };
  await using one = await serveUser(set, redis.url);
  await using other = await serveUser(set, redis.url);
  const half = { connections: 50, requests: 2 * LIMIT };
  const statuses = await Promise.all([askMany(one, half), askMany(other, half)]);
  const sum = (status: string): number => statuses.reduce((all, by) => all + (by[status] ?? 0), 0);
  assert.deepEqual([sum("200"), sum("429")], [LIMIT, 3 * LIMIT]);
});
