/**
 * The app of the user study: a slow endpoint, a cache that hides how slow it is, and a rate limit per client address in
 * front of both.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import type * as z from "zod";
import { TargetError } from "../../base/errors.ts";
import { appSettings } from "../../base/target/app_settings.ts";
import { connectRedis, forgetKeys, OWN_KEYS, type RedisClient } from "../redis/client.ts";
import type { App, ClientBindings, RunningApp } from "./app.ts";
import type { Cache } from "./user/cache.ts";
import type { Limiter } from "./user/limiter.ts";

type Settings = z.output<typeof appSettings.user>;

export const user = {
  summary: "A slow /user behind a cache and a rate limit, in memory or Redis",
  settings: appSettings.user,
  paths: ["/", "/user", "/user/2", "/stats"],
  needsRedis,
  async start(settings, context): Promise<RunningApp> {
    const { Hono } = await import("hono");
    const redis = needsRedis(settings) ? await openRedis(context.redisUrl) : null;
    const origin = openOrigin(settings.delay);
    const limiter = await limiterOf(settings, redis);
    const cache = await cacheOf(settings, redis, origin);
    const counts = { hits: 0, misses: 0, limited: 0 };
    const app = new Hono();
    if (settings.log) app.use((await import("./app.ts")).requestLog(context.log));
    app.get("/", (c) => c.json({ app: "user", users: USERS, paths: user.paths }));
    app.get("/stats", (c) => c.json({ originCalls: origin.calls(), ...counts }));
    if (limiter) app.use("/user/*", limiter.middleware(addressOf, () => counts.limited++));
    const respond = async (c: Context, id: number): Promise<Response> => {
      if (cache === null) return c.body(await origin.fetch(id), 200, JSON_TYPE);
      const { text, hit } = await cache(`${id}`);
      counts[hit ? "hits" : "misses"]++;
      return c.body(text, 200, { ...JSON_TYPE, "x-cache": hit ? "hit" : "miss" });
    };
    app.get("/user", (c) => respond(c, 1));
    app.get("/user/:id{[0-9]{1,4}}", (c) => {
      const id = Number(c.req.param("id"));
      return id >= 1 && id <= USERS ? respond(c, id) : c.notFound();
    });
    // An error here means that the Redis server can't be reached.
    app.onError((error, c) => c.json({ error: error.message }, 503));
    return {
      fetch: app.fetch,
      close: async () => {
        limiter?.close();
        if (redis?.isReady) await redis.close();
        else redis?.destroy();
      },
    };
  },
} satisfies App<typeof appSettings.user>;

/** The client's IP address, for the rate limit. */
function addressOf(c: Context<ClientBindings>): string {
  return c.env?.remoteAddr?.hostname ?? "unknown";
}

const JSON_TYPE = { "content-type": "application/json" };

function needsRedis(settings: Settings): boolean {
  const counts = settings["rateLimit.limit"] !== "none";
  return settings.cache === "redis" || (counts && settings["rateLimit.store"] === "redis");
}

async function limiterOf(settings: Settings, redis: RedisClient | null): Promise<Limiter | null> {
  const { "rateLimit.limit": limit, "rateLimit.store": store } = settings;
  if (limit === "none") return null;
  const { openLimiter } = await import("./user/limiter.ts");
  return openLimiter(
    { limit, windowSec: settings["rateLimit.window"] / 1_000 },
    store === "redis" && redis ? { client: redis, prefix: `${OWN_KEYS.user}limit` } : null,
  );
}

/**
 * While an instance fetches the text of a missing key, it holds the key in Redis for at most the origin's delay plus
 * this time. Other instances that need the key wait for no longer than that.
 */
const HOLD_SLACK_MS = 10_000;

async function cacheOf(
  { cache, ttl, delay, stampede }: Settings,
  redis: RedisClient | null,
  origin: UserOrigin,
): Promise<Cache | null> {
  if (cache === "none") return null;
  const { memoryStore, openCache, redisStore } = await import("./user/cache.ts");
  const kept = { prefix: `${OWN_KEYS.user}kept:`, ttlMs: ttl, holdMs: delay + HOLD_SLACK_MS };
  const store = redis && cache === "redis" ? redisStore(redis, kept) : memoryStore(ttl);
  return openCache({ store, pay: (id) => origin.fetch(Number(id)), stampede });
}

/** The number of users; their ids are 1 to USERS. */
const USERS = 1_000;

/**
 * The slow origin behind `/user`, in place of the study's database. It takes as long as the setting `delay` says, and
 * counts its calls.
 */
interface UserOrigin {
  /** Returns the user as JSON text after the delay, and counts the call. */
  readonly fetch: (id: number) => Promise<string>;
  /** The number of calls since the start. */
  readonly calls: () => number;
}

function openOrigin(delayMs: number): UserOrigin {
  let calls = 0;
  return {
    async fetch(id): Promise<string> {
      calls++;
      if (delayMs > 0) await sleep(delayMs);
      return JSON.stringify(userOf(id));
    },
    calls: () => calls,
  };
}

function userOf(id: number): { id: number; name: string; email: string } {
  return { id, name: `User ${id}`, email: `user${id}@example.com` };
}

/** The name that every instance gives to its Redis connection. */
const NAME = "plateau-user";

/**
 * Connects to the Redis that all instances share, with one connection per instance, as in the study. The first instance
 * to connect deletes what earlier instances have left, so that each group of instances starts with an empty cache,
 * whoever starts it. Instances that join later leave the data alone.
 */
async function openRedis(url: string | null): Promise<RedisClient> {
  if (url === null) {
    throw new TargetError(
      "Cannot start user: its settings need Redis, and no Redis is known; " +
        "name one with --redis URL or REDIS_URL",
    );
  }
  const client = await connectRedis(url);
  await client.clientSetName(NAME);
  const running = (await client.clientList()).filter(({ name }) => name === NAME);
  const firstId = Math.min(...running.map(({ id }) => id));
  if (await client.clientId() === firstId) await forgetKeys(client, OWN_KEYS.user);
  return client;
}
