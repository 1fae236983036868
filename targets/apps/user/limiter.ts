/**
 * Limits the requests of each client in each window, which begins with the client's first request. Counted by
 * rate-limiter-flexible: in this process, or in Redis by one script, and so exactly, however many instances count at
 * once.
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Context, Env, MiddlewareHandler } from "hono";
import type { RedisClient } from "../../redis/client.ts";

interface RateLimit {
  /** The number of requests allowed in each window. */
  readonly limit: number;
  /** The length of the window in whole seconds. */
  readonly windowSec: number;
}

interface LimitVerdict {
  readonly allowed: boolean;
  /** The number of requests left to the client in this window. */
  readonly remaining: number;
  /** The time until the window ends, in milliseconds. */
  readonly resetMs: number;
}

export interface Limiter {
  /** Counts each request by its client; responds with 429 itself when the client has sent too many. */
  readonly middleware: <Bindings extends Env>(
    clientOf: (c: Context<Bindings>) => string,
    onRefusal: () => void,
  ) => MiddlewareHandler<Bindings>;
  readonly close: () => void;
}

/** @param redis The Redis server, with the prefix of the limiter's keys; null: requests are counted in this process. */
export function openLimiter(
  limit: RateLimit,
  redis: { client: RedisClient; prefix: string } | null,
): Limiter {
  const counting = { points: limit.limit, duration: limit.windowSec };
  const memory = new RateLimiterMemory(counting);
  const counter = redis === null ? memory : new RateLimiterRedis({
    ...counting,
    storeClient: redis.client,
    useRedisPackage: true,
    keyPrefix: redis.prefix,
  });
  const count = async (client: string): Promise<LimitVerdict> => {
    const [result, allowed] = await counter.consume(client).then(
      (result) => [result, true] as const,
      (reason: unknown) => {
        if (reason instanceof RateLimiterRes) return [reason, false] as const;
        throw reason;
      },
    );
    return { allowed, remaining: result.remainingPoints, resetMs: result.msBeforeNext };
  };
  return {
    middleware: (clientOf, onRefusal) => async (c, next) => {
      const verdict = await count(clientOf(c));
      const fields = limitHeaders(limit, verdict);
      for (const [name, value] of Object.entries(fields)) c.header(name, value);
      if (verdict.allowed) return await next();
      onRefusal();
      return c.json({ error: "Too many requests" }, 429);
    },
    close(): void {
      // Each client that is counted in this process has a timer to stop.
      for (const { key } of memory.dump().storage) void memory.delete(key);
    },
  };
}

/**
 * The rate-limit fields of a response: those of draft-ietf-httpapi-ratelimit-headers-10 (RateLimit-Policy, RateLimit),
 * those of its versions up to 6, which most servers send and most clients read, and Retry-After (RFC 9110 §10.2.3) if
 * the client has to wait. Seconds, rounded up.
 */
function limitHeaders(
  { limit, windowSec }: RateLimit,
  { allowed, remaining, resetMs }: LimitVerdict,
): Record<string, string> {
  const resetSec = Math.ceil(resetMs / 1_000);
  return {
    "ratelimit-policy": `"user";q=${limit};w=${windowSec}`,
    "ratelimit": `"user";r=${remaining};t=${resetSec}`,
    "ratelimit-limit": `${limit}`,
    "ratelimit-remaining": `${remaining}`,
    "ratelimit-reset": `${resetSec}`,
    ...allowed ? {} : { "retry-after": `${resetSec}` },
  };
}
