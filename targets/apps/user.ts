/**
 * The app of the user study: one slow endpoint, a cache that hides how slow it is, and a rate limit in
 * front of both. The limit counts by the client's address.
 */
import type { Context } from "hono";
import { z } from "zod";
import { between } from "../../base/quantity.ts";
import { OWN_KEYS } from "../own_keys.ts";
import type { RedisClient } from "../redis_client.ts";
import type { App, RunningApp } from "./app.ts";
import { onOrOff, wholeNumber } from "./settings.ts";
import type { Cache } from "./user/cache.ts";
import type { Limiter } from "./user/limiter.ts";
import { openOrigin, type Origin, USERS } from "./user/origin.ts";

const wholeSeconds = between("1s", "24h").refine((ms) => ms % 1_000 === 0, {
  error: "Cannot use this duration: it must be whole seconds",
});

const settings = z.strictObject({
  delay: between("0s", "1m").prefault("0ms")
    .describe("How long the origin takes for each user that it is asked, as a database would"),
  cache: z.enum(["none", "memory", "redis"]).default("none")
    .describe("Where users are kept that the origin was asked: none, memory or redis"),
  ttl: between("10ms", "24h").prefault("60s").describe("How long the cache keeps a user"),
  stampede: z.enum(["wait", "all"]).default("wait").describe(
    "Who asks the origin for a user that many want and the cache does not have: " +
      "one, for whom the others wait (wait), or all",
  ),
  "rateLimit.store": z.enum(["memory", "redis"]).default("memory")
    .describe("Where requests are counted: memory, or redis, where all instances share the counts"),
  "rateLimit.limit": z.union([z.literal("none"), wholeNumber(1, 1_000_000_000)], {
    error: "Cannot read this as a limit: write none or a whole number",
  }).default("none")
    .describe("Requests that a client may make in each window, or none; others are answered 429"),
  "rateLimit.window": wholeSeconds.prefault("60s")
    .describe(
      "How long requests are counted together, from a client's first one, in whole seconds",
    ),
  log: onOrOff.default(false).describe("Request log, one line each: on or off"),
});

type Settings = z.output<typeof settings>;

export const user = {
  summary: "A slow /user behind a cache and a rate limit, in memory or Redis",
  settings,
  paths: ["/", "/user", "/user/2", "/stats"],
  needsRedis,
  async start(settings, context): Promise<RunningApp> {
    const { Hono } = await import("hono");
    const { openRedis } = await import("./user/shared_redis.ts");
    const redis = needsRedis(settings) ? await openRedis(context.redisUrl) : null;
    const origin = openOrigin(settings.delay);
    const limiter = await limiterOf(settings, redis);
    const cache = await cacheOf(settings, redis, origin);
    const counts = { hits: 0, misses: 0, limited: 0 };
    const app = new Hono();
    if (settings.log) app.use((await import("./request_log.ts")).requestLog(context.log));
    app.get("/", (c) => c.json({ app: "user", users: USERS, paths: user.paths }));
    app.get("/stats", (c) => c.json({ originCalls: origin.calls(), ...counts }));
    if (limiter) app.use("/user/*", limiter.middleware(() => counts.limited++));
    const answer = async (c: Context, id: number): Promise<Response> => {
      if (cache === null) return c.body(await origin.ask(id), 200, JSON_TYPE);
      const { text, hit } = await cache(`${id}`);
      counts[hit ? "hits" : "misses"]++;
      return c.body(text, 200, { ...JSON_TYPE, "x-cache": hit ? "hit" : "miss" });
    };
    app.get("/user", (c) => answer(c, 1));
    app.get("/user/:id{[0-9]{1,4}}", (c) => {
      const id = Number(c.req.param("id"));
      return id >= 1 && id <= USERS ? answer(c, id) : c.notFound();
    });
    app.onError((error, c) => c.json({ error: error.message }, 503)); // Redis is gone
    return {
      fetch: app.fetch,
      close: async () => {
        limiter?.close();
        if (redis?.isReady) await redis.close();
        else redis?.destroy();
      },
    };
  },
} satisfies App<typeof settings>;

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

/** A payment that takes longer than the origin's delay and this is not waited for. */
const HOLD_SLACK_MS = 10_000;

async function cacheOf(
  { cache, ttl, delay, stampede }: Settings,
  redis: RedisClient | null,
  origin: Origin,
): Promise<Cache | null> {
  if (cache === "none") return null;
  const { openCache } = await import("./user/cache.ts");
  const { memoryStore, redisStore } = await import("./user/store.ts");
  const kept = { prefix: `${OWN_KEYS.user}kept:`, ttlMs: ttl, holdMs: delay + HOLD_SLACK_MS };
  const store = redis && cache === "redis" ? redisStore(redis, kept) : memoryStore(ttl);
  return openCache({ store, pay: (id) => origin.ask(Number(id)), stampede });
}
