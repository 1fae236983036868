/**
 * The five endpoints of the Kuffel & Walter study of Node.js frameworks, with the bodies of its
 * servers (kffl/node-frameworks-benchmark on GitHub).
 */
import * as z from "zod";
import type { RedisClient } from "../redis/client.ts";
import type { App, RunningApp } from "./app.ts";
import { appSettings } from "../../base/target/app_settings.ts";

export const api = {
  summary: "Five small endpoints: static JSON, Fibonacci, Redis, validation, error",
  settings: appSettings.api,
  paths: ["/static", "/fib", "/redis", "/validation?number=5&string=x1237", "/error/2"],
  redisPaths: ["/redis"],
  async start({ log }, context): Promise<RunningApp> {
    const { Hono } = await import("hono");
    const redis = context.redisUrl === null ? null : await openCounter(context.redisUrl);
    const app = new Hono();
    if (log) app.use((await import("./app.ts")).requestLog(context.log));
    app.get("/static", (c) => c.json({ ok: true }));
    app.get("/fib", (c) => c.json({ res: fibonacci(23) }));
    app.get("/redis", async (c) => {
      if (redis) return c.json({ value: await redis.get(COUNTER_KEY) });
      return c.json({ error: "Cannot read from Redis: the app was started without a Redis" }, 503);
    });
    app.get("/validation", (c) => {
      const { error } = validation.safeParse(c.req.query());
      return error ? c.json({ errors: error.issues }, 400) : c.json({ ok: true });
    });
    app.get("/error/:id", (c) => c.json({ value: failAtOne(Number(c.req.param("id"))) }));
    app.onError((error, c) => c.json({ error: error.message }, 500));
    return { fetch: app.fetch, close: async () => await redis?.close() };
  },
} satisfies App<typeof appSettings.api>;

/**
 * Computes the nth Fibonacci number with naive recursion, which takes 92,735 calls for n = 23 (28,657). The study's
 * servers start the sequence one later, so they return 46,368 after as many calls.
 */
function fibonacci(n: number): number {
  return n < 2 ? n : fibonacci(n - 2) + fibonacci(n - 1);
}

const validation = z.object({
  number: z.string().regex(/^-?\d+$/, "number must be an integer"),
  string: z.string().min(5, "string must have at least 5 characters"),
});

/** Fails for 1 as the study's servers do: their division by `id - 1` throws. */
function failAtOne(id: number): number {
  if (id === 1) throw new TypeError("Division by 0");
  return id / (id - 1);
}

const COUNTER_KEY = "plateau:counter";

/** Opens a single connection, as in the study, and initialises the counter. */
async function openCounter(url: string): Promise<RedisClient> {
  const { connectRedis } = await import("../redis/client.ts");
  const client = await connectRedis(url);
  await client.set(COUNTER_KEY, 1);
  return client;
}
